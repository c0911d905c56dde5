-- An imported run is written in parts, as it is read: the profile to the letter, the growths of its record, and the place of a callpath once and not
-- in each row. While it is written, the run has -1 as `complete`: nobody sees it, and one that was never ended goes with a later import.
CREATE TABLE foreign_part (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE record_part (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE callpath_source (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    callpath BIGINT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (run, callpath)
) WITHOUT ROWID;
DROP VIEW profile_view;
DROP VIEW whole_profile;
CREATE VIEW whole_profile AS
SELECT run, process, thread, path, calls, inclusive, exclusive, sent, received, source, coverage FROM profile
UNION ALL
SELECT profile_row.run AS run, profile_row.process AS process, profile_row.thread AS thread, callpath.path AS path,
       profile_row.calls AS calls, profile_row.inclusive AS inclusive, profile_row.exclusive AS exclusive,
       profile_row.sent AS sent, profile_row.received AS received, coalesce(profile_row.source, callpath_source.source) AS source,
       profile_row.coverage AS coverage
FROM profile_row JOIN callpath ON callpath.run = profile_row.run AND callpath.number = profile_row.callpath
LEFT JOIN callpath_source ON callpath_source.run = profile_row.run AND callpath_source.callpath = profile_row.callpath;
CREATE VIEW profile_view AS
SELECT run.id AS run, whole_profile.process AS process, whole_profile.thread AS thread, whole_profile.path AS path, whole_profile.calls AS calls,
       whole_profile.inclusive / 1000000000.0 AS inclusive_s, whole_profile.exclusive / 1000000000.0 AS exclusive_s,
       whole_profile.sent AS sent_bytes, whole_profile.received AS received_bytes, whole_profile.source AS source, whole_profile.coverage AS coverage
FROM whole_profile JOIN run ON run.number = whole_profile.run WHERE run.complete >= 0;
DROP VIEW run_view;
CREATE VIEW run_view AS
SELECT run.id AS run, application.name AS application, experiment.name AS experiment, run.trial AS trial,
       run.started / 1000000000.0 AS started_s, run.elapsed / 1000000000.0 AS elapsed_s,
       run.exit_status AS exit_status, run.complete AS complete,
       run.processes AS processes, run.threads AS threads, run.hosts AS hosts,
       run.cost_mean AS cost_mean, run.cost_max AS cost_max, run.command AS command,
       CASE WHEN run.source IS NULL THEN 0 ELSE 1 END AS is_diagnosis
FROM run JOIN experiment ON experiment.id = run.experiment JOIN application ON application.id = experiment.application
WHERE run.complete >= 0;
DROP VIEW fact_view;
CREATE VIEW fact_view AS
SELECT run.id AS run, fact.topic AS topic, fact.name AS name, fact.value AS value
FROM fact JOIN run ON run.number = fact.run WHERE run.complete >= 0;
DROP VIEW user_event_view;
CREATE VIEW user_event_view AS
SELECT run.id AS run, user_event.name AS name, user_event.kind AS kind, user_event.process AS process, user_event.thread AS thread,
       user_event.path AS path, user_event.count AS count, user_event.sum AS sum, user_event.least AS least, user_event.most AS most,
       CAST(user_event.sum AS DOUBLE PRECISION) / user_event.count AS mean, user_event.deviation AS deviation
FROM user_event JOIN run ON run.number = user_event.run WHERE run.complete >= 0;
