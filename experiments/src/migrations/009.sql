-- Each callpath of a run is told once: a profile of many threads has the same ones in each, and a path is longer than all the rest of a row.
-- Rows of older versions stay in `profile`; `profile_row` has those that came since, and `whole_profile` has both.
CREATE TABLE callpath (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE profile_row (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    process BIGINT NOT NULL,
    thread BIGINT NOT NULL,
    callpath BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    inclusive BIGINT NOT NULL,
    exclusive BIGINT NOT NULL,
    sent BIGINT NOT NULL,
    received BIGINT NOT NULL,
    source TEXT,
    coverage DOUBLE PRECISION,
    PRIMARY KEY (run, process, thread, callpath)
) WITHOUT ROWID;
CREATE VIEW whole_profile AS
SELECT run, process, thread, path, calls, inclusive, exclusive, sent, received, source, coverage FROM profile
UNION ALL
SELECT profile_row.run AS run, profile_row.process AS process, profile_row.thread AS thread, callpath.path AS path,
       profile_row.calls AS calls, profile_row.inclusive AS inclusive, profile_row.exclusive AS exclusive,
       profile_row.sent AS sent, profile_row.received AS received, profile_row.source AS source, profile_row.coverage AS coverage
FROM profile_row JOIN callpath ON callpath.run = profile_row.run AND callpath.number = profile_row.callpath;
DROP VIEW profile_view;
CREATE VIEW profile_view AS
SELECT run.id AS run, whole_profile.process AS process, whole_profile.thread AS thread, whole_profile.path AS path, whole_profile.calls AS calls,
       whole_profile.inclusive / 1000000000.0 AS inclusive_s, whole_profile.exclusive / 1000000000.0 AS exclusive_s,
       whole_profile.sent AS sent_bytes, whole_profile.received AS received_bytes, whole_profile.source AS source, whole_profile.coverage AS coverage
FROM whole_profile JOIN run ON run.number = whole_profile.run;
