//! A run as tables: its callpaths, its measured pairs by bin, and the questions of its search.

use std::fs;
use std::path::Path;

use whyperf_model::{Histogram, Pair, Unit};

use super::table::{Column, ColumnValues, Table};
use super::{ExportedRun, arrow, parquet};
use crate::error::StoreError;
use crate::exchange::error::ExchangeError;
use crate::store::Store;

/// A run that is given out as tables.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedTables {
    run: ExportedRun,
    /// What was measured over time.
    series: Vec<(Pair, Histogram)>,
}

/// The format of the files of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Apache Parquet.
    Parquet,
    /// The file of Apache Arrow's interprocess form, which is Feather's second version.
    Arrow,
}

impl Store {
    /// A run as tables, with what was measured over time.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn exported_tables(&self, run: ExportedRun) -> Result<ExportedTables, StoreError> {
        let (id, mut series) = (run.summary.id.clone(), Vec::new());
        for pair in self.pairs(&id)? {
            series.extend(self.histogram(&id, &pair)?.map(|histogram| (pair, histogram)));
        }
        Ok(ExportedTables { run, series })
    }
}

impl ExportedTables {
    /// What is not in them, beside what no format has of the run.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let note = "nothing was measured over time: the table of series has no rows";
        if self.series.is_empty() { vec![note.into()] } else { Vec::new() }
    }

    /// Writes a file for each table into a folder: `profile`, `series` and `verdicts`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path, format: TableFormat) -> Result<(), ExchangeError> {
        let failed = |source| ExchangeError::Write { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        for table in [self.profile(), self.series_table(), self.verdicts()] {
            let (bytes, ending) = match format {
                TableFormat::Parquet => (parquet::file(&table), "parquet"),
                TableFormat::Arrow => (arrow::file(&table), "arrow"),
            };
            let path = folder.join(format!("{}.{ending}", table.name));
            fs::write(&path, bytes).map_err(|source| ExchangeError::Write { path, source })?;
        }
        Ok(())
    }

    fn table(&self, name: &'static str, columns: Vec<(&'static str, ColumnValues)>) -> Table {
        let summary = &self.run.summary;
        let columns = columns.into_iter().map(|(name, values)| Column { name, values });
        let about = vec![
            ("whyperf.run", summary.id.to_string()),
            ("whyperf.application", summary.application.to_string()),
            ("whyperf.experiment", summary.experiment.to_string()),
            ("whyperf.started", summary.started.clone()),
        ];
        Table { name, columns: columns.collect(), about }
    }

    /// The same columns as comma-separated values have.
    fn profile(&self) -> Table {
        let rows = || self.run.rows.iter();
        let whole =
            |read: fn(&super::StoredProfileRow) -> u64| ColumnValues::whole(rows().map(read));
        let real = |read: fn(&super::StoredProfileRow) -> Option<f64>| {
            ColumnValues::real(rows().map(read))
        };
        let sources = rows().map(|row| row.source.clone()).collect();
        self.table(
            "profile",
            vec![
                ("process", whole(|row| u64::from(row.process))),
                ("thread", whole(|row| u64::from(row.thread))),
                ("path", ColumnValues::text(rows().map(|row| row.path.join(" => ")))),
                ("calls", whole(|row| row.calls)),
                ("inclusive_s", real(|row| Some(row.inclusive.as_secs_f64()))),
                ("exclusive_s", real(|row| Some(row.exclusive.as_secs_f64()))),
                ("sent_bytes", whole(|row| row.sent)),
                ("received_bytes", whole(|row| row.received)),
                ("source", ColumnValues::Text(sources)),
                ("coverage", real(|row| row.coverage)),
            ],
        )
    }

    /// A row for each bin that knows something.
    fn series_table(&self) -> Table {
        let (mut names, mut units, mut foci) = (Vec::new(), Vec::new(), Vec::new());
        let [mut starts, mut ends, mut amounts, mut covered] = [(); 4].map(|()| Vec::new());
        for (pair, histogram) in &self.series {
            let definition = pair.metric.definition();
            let known = histogram.bins().iter().enumerate();
            for (at, bin) in known.filter(|(_, bin)| !bin.covered.is_zero()) {
                let span = histogram.span(at);
                names.push(definition.name.to_owned());
                units.push(unit(definition.unit).map(str::to_owned));
                foci.push(pair.focus.to_string());
                starts.push(Some(span.start.0.as_secs_f64()));
                ends.push(Some(span.end.0.as_secs_f64()));
                amounts.push(Some(bin.amount as f64));
                covered.push(Some(bin.covered.as_secs_f64()));
            }
        }
        self.table(
            "series",
            vec![
                ("metric", ColumnValues::text(names.into_iter())),
                ("unit", ColumnValues::Text(units)),
                ("focus", ColumnValues::text(foci.into_iter())),
                ("start_s", ColumnValues::real(starts.into_iter())),
                ("end_s", ColumnValues::real(ends.into_iter())),
                ("amount", ColumnValues::real(amounts.into_iter())),
                ("covered_s", ColumnValues::real(covered.into_iter())),
            ],
        )
    }

    fn verdicts(&self) -> Table {
        let rows = || self.run.verdicts.iter();
        let text = |read: fn(&super::StoredVerdict) -> &String| {
            ColumnValues::text(rows().map(|row| read(row).clone()))
        };
        let real =
            |read: fn(&super::StoredVerdict) -> Option<f64>| ColumnValues::real(rows().map(read));
        let splits = rows().map(|row| row.split.clone()).collect();
        self.table(
            "verdicts",
            vec![
                ("number", ColumnValues::whole(rows().map(|row| row.number))),
                ("hypothesis", text(|row| &row.hypothesis)),
                ("focus", text(|row| &row.focus)),
                ("truth", text(|row| &row.truth)),
                ("value", real(|row| row.value)),
                ("threshold", real(|row| Some(row.threshold))),
                ("confidence", real(|row| Some(row.confidence))),
                ("asked", ColumnValues::whole(rows().map(|row| row.asked))),
                ("found_s", real(|row| row.found.map(|found| found.0.as_secs_f64()))),
                ("cost", real(|row| Some(row.cost))),
                ("origin", text(|row| &row.origin)),
                ("split", ColumnValues::Text(splits)),
            ],
        )
    }
}

/// What amounts count; none of the program's own counters.
const fn unit(of: Unit) -> Option<&'static str> {
    match of {
        Unit::Nanoseconds => Some("ns"),
        Unit::Processes => Some("process ns"),
        Unit::Operations => Some("calls"),
        Unit::Bytes => Some("bytes"),
        Unit::Events => Some("events"),
        Unit::OfProgram => None,
    }
}
