-- What a question says of processes and machines: true of some, it is a finding only where they differ from the others.
ALTER TABLE verdict ADD COLUMN split TEXT;

-- The share of the process's life in which a row of the profile was counted.
ALTER TABLE profile ADD COLUMN coverage REAL;
