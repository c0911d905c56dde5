-- What grew in a run in full, so that it can be searched again; diagnoses, which are runs of their own over what another
-- run measured; and the objects that a run was made of.
ALTER TABLE run ADD COLUMN source BIGINT REFERENCES run (number) ON DELETE CASCADE;
CREATE INDEX run_by_source ON run (source);
CREATE TABLE record (
    run BIGINT PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,
    bytes BLOB NOT NULL
);
CREATE TABLE object (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    name TEXT NOT NULL,
    build_id TEXT,
    compiler TEXT,
    PRIMARY KEY (run, name)
);
