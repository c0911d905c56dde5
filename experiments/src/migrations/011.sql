-- What the threads of a run together came to, by kind: a question to a thousand runs reads this and none of their records. The shape has the names of
-- kinds and resources; runs of one program mostly have the same, which the digest tells. A run without a row is read as a whole.
CREATE TABLE run_sums (
    run BIGINT PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,
    digest BLOB NOT NULL,
    sums BLOB NOT NULL,
    shape BLOB NOT NULL
);
