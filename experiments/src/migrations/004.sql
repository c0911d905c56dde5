-- What a question says of processes and machines: true of some, it is a finding only where they differ from the others.
ALTER TABLE verdict ADD COLUMN split TEXT;
