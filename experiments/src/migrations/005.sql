-- The messages between ranks over time, by sender and receiver. A run without a row is one of which they are not known.
CREATE TABLE message_series (
    run BIGINT PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,
    bytes BLOB NOT NULL
);
