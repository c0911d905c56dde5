-- Counters and gauges of the program's own, by callpath and thread. What is not known, or is beyond 64 bits, is null; the squares are a sum of up
-- to 39 digits. Their unit is the program's.
CREATE TABLE user_event (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    process BIGINT NOT NULL,
    thread BIGINT NOT NULL,
    path TEXT NOT NULL,
    count BIGINT NOT NULL,
    sum BIGINT,
    least BIGINT,
    most BIGINT,
    squares TEXT,
    deviation DOUBLE PRECISION,
    PRIMARY KEY (run, name, kind, process, thread, path)
);
CREATE VIEW user_event_view AS
SELECT run.id AS run, user_event.name AS name, user_event.kind AS kind, user_event.process AS process, user_event.thread AS thread,
       user_event.path AS path, user_event.count AS count, user_event.sum AS sum, user_event.least AS least, user_event.most AS most,
       CAST(user_event.sum AS DOUBLE PRECISION) / user_event.count AS mean, user_event.deviation AS deviation
FROM user_event JOIN run ON run.number = user_event.run;
