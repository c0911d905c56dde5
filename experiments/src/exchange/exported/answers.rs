//! The answers to a question as a table of Parquet, with the columns that comma-separated values have.

use super::parquet;
use super::table::{Column, ColumnValues, Table};
use crate::query::{Answers, QueryRow};

impl Answers {
    /// The bytes of the file.
    #[must_use]
    pub fn parquet(&self) -> Vec<u8> {
        let text = |name, read: fn(&QueryRow) -> String| Column {
            name,
            values: ColumnValues::text(self.rows.iter().map(read)),
        };
        let rows = || self.rows.iter();
        let ranks = ColumnValues::whole(rows().map(|row| u64::from(row.ranks)));
        let columns = vec![
            text("run", |row| row.run.to_string()),
            text("application", |row| row.application.clone()),
            text("experiment", |row| row.experiment.clone()),
            text("trial", |row| row.trial.clone()),
            Column { name: "ranks", values: ranks },
            text("metric", |row| row.metric.to_owned()),
            text("focus", |row| row.foci.join(" ")),
            Column { name: "value", values: ColumnValues::real(rows().map(|row| row.value)) },
            text("unit", |row| row.unit.to_owned()),
        ];
        parquet::file(&Table { name: "answers", columns, about: Vec::new() })
    }
}
