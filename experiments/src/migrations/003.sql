-- Phases that were searched by themselves. Their questions stand in `verdict` and `edge` beside those of the whole run, with
-- numbers from 2^32 times the number of the phase on. And tags are found by their names.
CREATE TABLE phase (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    began BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE INDEX tag_by_name ON tag (name);
