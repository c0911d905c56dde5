-- A profile of another tool to the letter, with all that a run has no room for. A run without a row was measured by whyperf, or simulated.
CREATE TABLE foreign_profile (
    run BIGINT PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,
    bytes BLOB NOT NULL
);
-- Views for those who ask by SQL: runs with names and seconds. They are described in docs/experiments.md, and columns are only ever added.
CREATE VIEW run_view AS
SELECT run.id AS run, application.name AS application, experiment.name AS experiment, run.trial AS trial,
       run.started / 1000000000.0 AS started_s, run.elapsed / 1000000000.0 AS elapsed_s,
       run.exit_status AS exit_status, run.complete AS complete,
       run.processes AS processes, run.threads AS threads, run.hosts AS hosts,
       run.cost_mean AS cost_mean, run.cost_max AS cost_max, run.command AS command,
       CASE WHEN run.source IS NULL THEN 0 ELSE 1 END AS is_diagnosis
FROM run JOIN experiment ON experiment.id = run.experiment JOIN application ON application.id = experiment.application;
CREATE VIEW profile_view AS
SELECT run.id AS run, profile.process AS process, profile.thread AS thread, profile.path AS path, profile.calls AS calls,
       profile.inclusive / 1000000000.0 AS inclusive_s, profile.exclusive / 1000000000.0 AS exclusive_s,
       profile.sent AS sent_bytes, profile.received AS received_bytes, profile.source AS source, profile.coverage AS coverage
FROM profile JOIN run ON run.number = profile.run;
CREATE VIEW verdict_view AS
SELECT run.id AS run, verdict.number / 4294967296 AS phase, verdict.hypothesis AS hypothesis, verdict.focus AS focus, verdict.truth AS truth,
       verdict.value AS value, verdict.threshold AS threshold, verdict.confidence AS confidence, verdict.asked AS asked,
       verdict.found / 1000000000.0 AS found_s, verdict.origin AS origin
FROM verdict JOIN run ON run.number = verdict.run;
CREATE VIEW resource_view AS
SELECT run.id AS run, resource.name AS resource, resource.appeared / 1000000000.0 AS appeared_s,
       resource.retired / 1000000000.0 AS retired_s
FROM resource JOIN run ON run.number = resource.run;
CREATE VIEW fact_view AS
SELECT run.id AS run, fact.topic AS topic, fact.name AS name, fact.value AS value
FROM fact JOIN run ON run.number = fact.run;
