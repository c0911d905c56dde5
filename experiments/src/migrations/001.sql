-- Applications, experiments, runs, and all that belongs to a run. Times are nanoseconds: of a run since its
-- start, of `started` and `written` since 1970. Written so that SQLite and PostgreSQL understand it alike.
CREATE TABLE application (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY,
    application INTEGER NOT NULL REFERENCES application (id),
    name TEXT NOT NULL,
    UNIQUE (application, name)
);
CREATE TABLE run (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    experiment INTEGER NOT NULL REFERENCES experiment (id),
    trial TEXT NOT NULL,
    started BIGINT NOT NULL,
    written BIGINT NOT NULL,
    elapsed BIGINT NOT NULL DEFAULT 0,
    exit_status INTEGER,
    complete INTEGER NOT NULL DEFAULT 0,
    command TEXT NOT NULL,
    processes BIGINT NOT NULL DEFAULT 0,
    threads BIGINT NOT NULL DEFAULT 0,
    hosts BIGINT NOT NULL DEFAULT 0,
    cost_mean DOUBLE PRECISION NOT NULL DEFAULT 0,
    cost_max DOUBLE PRECISION NOT NULL DEFAULT 0
);
CREATE INDEX run_by_start ON run (started, number);
CREATE INDEX run_by_experiment ON run (experiment, started);
CREATE TABLE fact (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    topic TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, topic, name)
);
CREATE TABLE resource (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    name TEXT NOT NULL,
    appeared BIGINT NOT NULL,
    retired BIGINT,
    PRIMARY KEY (run, name)
);
CREATE TABLE verdict (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    hypothesis TEXT NOT NULL,
    focus TEXT NOT NULL,
    truth TEXT NOT NULL,
    value DOUBLE PRECISION,
    threshold DOUBLE PRECISION NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    asked BIGINT NOT NULL,
    found BIGINT,
    cost DOUBLE PRECISION NOT NULL,
    origin TEXT NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE edge (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    parent BIGINT NOT NULL,
    child BIGINT NOT NULL,
    axis TEXT NOT NULL,
    PRIMARY KEY (run, parent, child)
);
CREATE TABLE step (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    time BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE histogram (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    metric TEXT NOT NULL,
    focus TEXT NOT NULL,
    part BIGINT NOT NULL,
    bins BLOB NOT NULL,
    PRIMARY KEY (run, metric, focus, part)
);
CREATE TABLE profile (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    process BIGINT NOT NULL,
    thread BIGINT NOT NULL,
    path TEXT NOT NULL,
    calls BIGINT NOT NULL,
    inclusive BIGINT NOT NULL,
    exclusive BIGINT NOT NULL,
    sent BIGINT NOT NULL,
    received BIGINT NOT NULL,
    source TEXT,
    PRIMARY KEY (run, process, thread, path)
);
CREATE TABLE directive (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, number)
);
CREATE TABLE tag (
    run BIGINT NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    name TEXT NOT NULL,
    PRIMARY KEY (run, name)
);
