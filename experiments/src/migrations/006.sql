-- The report of a run as it was made at its end: as JSON without profile and messages, which stand in tables of their own, and as it was
-- printed. A run without a row is one whose end nobody saw, or of an older whyperf.
CREATE TABLE report (
    run BIGINT PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,
    json TEXT NOT NULL,
    text TEXT NOT NULL
);
