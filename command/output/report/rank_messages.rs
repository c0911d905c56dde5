//! A row of the table of messages, as a report has it.

use serde::Serialize;
use whyperf_model::MessageTable;

use super::rounded;

/// The messages from one rank to another one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct RankMessages {
    /// Of several jobs in one run, which one.
    pub(crate) job: u32,
    /// Rank that sent; `None` where it cannot be told.
    pub(crate) from: Option<u32>,
    /// Rank that received; `None` where it cannot be told.
    pub(crate) to: Option<u32>,
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
    /// Seconds for which the receiver received them or waited for them.
    pub(crate) waiting_s: f64,
    /// Seconds for which the sender sent them or waited until they were sent.
    pub(crate) sending_s: f64,
}

impl RankMessages {
    /// All rows of a table, by job, sender and receiver.
    pub(crate) fn all(table: &MessageTable) -> Vec<Self> {
        let row = |row: whyperf_model::MessageRow| Self {
            job: row.route.job,
            from: row.route.from,
            to: row.route.to,
            calls: row.number,
            bytes: row.bytes,
            waiting_s: rounded(row.waiting.as_secs_f64()),
            sending_s: rounded(row.sending.as_secs_f64()),
        };
        table.rows().map(row).collect()
    }
}
