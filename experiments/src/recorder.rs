//! Writes a run into the store while the run goes on.
//!
//! The parameters of each statement stand in the order of their numbers: SQLite counts a `$n` where it first stands, PostgreSQL by
//! its number, and so both agree.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use whyperf_model::matching::{IntervalRecord, Line};
use whyperf_model::{Resource, Time, UserEventRow};

use crate::bins;
use crate::callpath_numbers::{CallpathNumbers, SEPARATOR};
use crate::database::{Connection, DatabaseError, Parameter, params};
use crate::error::StoreError;
use crate::foreign_bytes::ForeignBytes;
use crate::instant::{count, nanos};
use crate::message_series::MessageSeries;
use crate::record::{GrownKinds, Record, RunShape};
use crate::run::{
    Edge, Measurement, NewRun, ObjectRow, Phase, RunId, StepRow, StoredProfileRow, StoredReport,
    StoredVerdict, Topic,
};
use crate::store::{Access, Store};

/// In the place of a phase's number: the search over the whole run.
pub(crate) const WHOLE: u32 = 0;

/// The number that the store gives to the first question of a phase: those of one run share a table.
pub(crate) fn first_of(phase: u32) -> i64 {
    i64::from(phase) << 32
}

/// What is new since it was last written; what is written again replaces what was there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// How long the run took by now.
    pub elapsed: Duration,
    /// Processes, threads and hosts so far.
    pub counts: [u64; 3],
    /// Mean and highest share of the slowest process's time that measuring took.
    pub cost: [f64; 2],
    /// Things that appeared, and when.
    pub appeared: Vec<(Resource, Time)>,
    /// Things that went away, and when.
    pub retired: Vec<(Resource, Time)>,
    /// Questions whose answer changed.
    pub verdicts: Vec<StoredVerdict>,
    /// Which question led to which.
    pub edges: Vec<Edge>,
    /// Phases, each with its questions whose answer changed and what led to them.
    pub searched: Vec<(Phase, Vec<StoredVerdict>, Vec<Edge>)>,
    /// Lines of the log that came.
    pub steps: Vec<StepRow>,
    /// Measurements whose histogram grew.
    pub histograms: Vec<Measurement>,
    /// Callpaths that grew; the record and the messages are written when there are any.
    pub profile: Vec<StoredProfileRow>,
    /// Counters and gauges of the program's own that grew.
    pub user_events: Vec<UserEventRow>,
    /// What passes brought, in full and in order.
    pub interval_records: Vec<IntervalRecord>,
    /// Phases that began: when, and how they are called.
    pub phases: Vec<(Time, String)>,
    /// Where in the source all that grew so far was called; told together with the profile.
    pub lines: Vec<Line>,
    /// By rank: the code in which it computed longer so far than the others did; told together with the profile.
    pub codes_of_excess: BTreeMap<Resource, Resource>,
    /// Programs and libraries that were found.
    pub objects: Vec<ObjectRow>,
    /// What became known of the surroundings.
    pub facts: Vec<(Topic, String, String)>,
    /// The report, once the run is over.
    pub report: Option<StoredReport>,
    /// Of a run that another tool measured: its profile, to the letter.
    pub foreign: Option<ForeignBytes>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// How long it took.
    pub elapsed: Duration,
    /// The program's status.
    pub exit_status: Option<i32>,
}

/// Writes one run.
#[derive(Debug)]
pub struct Recorder {
    store: Store,
    number: i64,
    id: RunId,
    steps: i64,
    record: Record,
    messages: MessageSeries,
    callpaths: CallpathNumbers,
}

impl Recorder {
    /// Begins a run in the store of this file.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn begin(path: &Path, run: &NewRun) -> Result<Self, StoreError> {
        let mut store = Store::open(path, Access::Write)?;
        let id = RunId::new();
        let number =
            transact(&mut store, "beginning a run", |transaction| begin(transaction, run, &id))?;
        let (record, messages) = (Record::default(), MessageSeries::default());
        let callpaths = CallpathNumbers::default();
        Ok(Self { store, number, id, steps: 0, record, messages, callpaths })
    }

    /// Begins the same run in another store, where nothing of it is written yet.
    pub(crate) fn begin_again(self, place: &Path, run: &NewRun) -> Result<Self, StoreError> {
        let mut store = Store::open(place, Access::Write)?;
        let Self { id, record, messages, .. } = self;
        let number =
            transact(&mut store, "beginning a run", |transaction| begin(transaction, run, &id))?;
        let callpaths = CallpathNumbers::default();
        Ok(Self { store, number, id, steps: 0, record, messages, callpaths })
    }

    /// The name of the run.
    #[must_use]
    pub const fn id(&self) -> &RunId {
        &self.id
    }

    /// Adds what is new, all or nothing.
    ///
    /// # Errors
    /// See [`StoreError`]; what was written before stays.
    pub fn record(&mut self, progress: &Progress) -> Result<(), StoreError> {
        self.take_in(progress);
        self.record_again(progress)
    }

    /// Adds what could not be added just now: the same, and nothing else.
    ///
    /// # Errors
    /// See [`StoreError`]; what was written before stays.
    pub fn record_again(&mut self, progress: &Progress) -> Result<(), StoreError> {
        self.write("writing a run", progress, |_, _| Ok(()))?;
        self.steps += count(progress.steps.len() as u64);
        Ok(())
    }

    /// Adds what is kept pass by pass.
    pub(crate) fn take_in(&mut self, progress: &Progress) {
        for interval_record in &progress.interval_records {
            self.record.add(interval_record);
            self.messages.add(interval_record.interval, &interval_record.messages);
        }
        // Each after the pass at whose end it began, which is among those that were just added.
        progress.phases.iter().for_each(|(now, name)| self.record.begin_phase(*now, name));
        if !progress.lines.is_empty() {
            self.record.set_lines(&progress.lines);
        }
        if !progress.codes_of_excess.is_empty() {
            self.record.set_codes_of_excess(&progress.codes_of_excess);
        }
    }

    /// Adds the last that is new, and calls the run complete.
    ///
    /// # Errors
    /// See [`StoreError`]; the run stays, incomplete.
    pub fn finish(mut self, progress: &Progress, ending: Ending) -> Result<RunId, StoreError> {
        self.take_in(progress);
        self.finish_again(progress, ending)?;
        Ok(self.id)
    }

    /// Finishes what could not be finished just now, with the same.
    pub(crate) fn finish_again(
        &mut self,
        progress: &Progress,
        ending: Ending,
    ) -> Result<(), StoreError> {
        let number = self.number;
        self.write("finishing a run", progress, |writer, record| {
            // Of a run whose record is not written now, what is in the store may be less than what is known.
            if is_recorded(progress, record) {
                writer.sums(record, &record.grown_kinds())?;
            }
            let end =
                "UPDATE run SET complete = 1, elapsed = $1, exit_status = $2 WHERE number = $3";
            let elapsed = count(ending.elapsed.as_nanos().try_into().unwrap_or(u64::MAX));
            writer.transaction.execute(end, params![elapsed, ending.exit_status, number])
        })
    }

    /// Writes what is new and something beside it, all or nothing.
    fn write(
        &mut self,
        doing: &'static str,
        progress: &Progress,
        beside: impl FnOnce(&Writer<'_>, &Record) -> Result<(), DatabaseError>,
    ) -> Result<(), StoreError> {
        let (run, steps) = (self.number, self.steps);
        let passes = (&self.record, &self.messages);
        let callpaths = &mut self.callpaths;
        let done = transact(&mut self.store, doing, |transaction| {
            let writer = Writer { transaction, run };
            writer.write(progress, steps, passes)?;
            writer.profile(&progress.profile, callpaths)?;
            beside(&writer, passes.0)
        });
        match done {
            Ok(()) => self.callpaths.keep(),
            Err(_) => self.callpaths.take_back(),
        }
        done
    }
}

/// Does something as a whole, or not at all.
pub(crate) fn transact<T>(
    store: &mut Store,
    doing: &'static str,
    work: impl FnOnce(&Connection) -> Result<T, DatabaseError>,
) -> Result<T, StoreError> {
    let done = store.connection.transact(work);
    done.map_err(|error| StoreError::of(&store.shown, doing, &error))
}

pub(crate) fn begin(
    transaction: &Connection,
    run: &NewRun,
    id: &RunId,
) -> Result<i64, DatabaseError> {
    let experiment = experiment(transaction, &run.application, &run.experiment)?;
    let command = serde_json::to_string(&run.command).unwrap_or_default();
    let number = returned(
        transaction,
        "INSERT INTO run (id, experiment, trial, started, written, command) \
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING number",
        params![id.0, experiment, run.trial, nanos(run.started), nanos(SystemTime::now()), command],
    )?;
    add_facts(transaction, number, &run.facts)?;
    add_directives(transaction, number, &run.directives)?;
    Ok(number)
}

/// The experiment of this name, which is made when there is none.
pub(crate) fn experiment(
    transaction: &Connection,
    application: &str,
    name: &str,
) -> Result<i64, DatabaseError> {
    // The update that changes nothing makes the row answer.
    let application = returned(
        transaction,
        "INSERT INTO application (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id",
        params![application],
    )?;
    returned(
        transaction,
        "INSERT INTO experiment (application, name) VALUES ($1, $2) \
         ON CONFLICT (application, name) DO UPDATE SET name = excluded.name RETURNING id",
        params![application, name],
    )
}

/// The number that a row got.
pub(crate) fn returned(
    transaction: &Connection,
    insert: &str,
    parameters: &[&dyn Parameter],
) -> Result<i64, DatabaseError> {
    let number = transaction.query_first(insert, parameters, |row| row.get(0))?;
    // Each of these statements returns the row that it wrote or found.
    number.ok_or(DatabaseError::Content { column: 0 })
}

pub(crate) fn add_facts(
    transaction: &Connection,
    run: i64,
    facts: &[(Topic, String, String)],
) -> Result<(), DatabaseError> {
    let mut fact = transaction.prepare(
        "INSERT INTO fact (run, topic, name, value) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
    )?;
    for (topic, name, value) in facts {
        fact.execute(params![run, topic.name(), name, value])?;
    }
    Ok(())
}

pub(crate) fn add_directives(
    transaction: &Connection,
    run: i64,
    directives: &[String],
) -> Result<(), DatabaseError> {
    let mut directive =
        transaction.prepare("INSERT INTO directive (run, number, text) VALUES ($1, $2, $3)")?;
    for (position, text) in (1i64..).zip(directives) {
        directive.execute(params![run, position, text])?;
    }
    Ok(())
}

/// Whether the record is written, too.
fn is_recorded(progress: &Progress, record: &Record) -> bool {
    !progress.profile.is_empty() && record.passes() > 0
}

/// Writes into one run, inside one transaction.
pub(crate) struct Writer<'a> {
    pub(crate) transaction: &'a Connection,
    pub(crate) run: i64,
}

impl Writer<'_> {
    /// What a search found, without what was measured.
    pub(crate) fn write_found(&self, progress: &Progress) -> Result<(), DatabaseError> {
        self.answers(progress)?;
        self.report(progress.report.as_ref())?;
        self.steps(&progress.steps, 0)
    }

    pub(crate) fn write(
        &self,
        progress: &Progress,
        steps: i64,
        (record, messages): (&Record, &MessageSeries),
    ) -> Result<(), DatabaseError> {
        self.summary(progress)?;
        self.resources(progress)?;
        self.answers(progress)?;
        self.steps(&progress.steps, steps)?;
        self.histograms(&progress.histograms)?;
        self.objects(&progress.objects)?;
        self.report(progress.report.as_ref())?;
        progress.foreign.iter().try_for_each(|bytes| self.foreign(0, bytes))?;
        add_facts(self.transaction, self.run, &progress.facts)?;
        if is_recorded(progress, record) {
            self.record(record)?;
            self.messages(messages)?;
        }
        self.user_events(&progress.user_events)
    }

    pub(crate) fn record(&self, record: &Record) -> Result<(), DatabaseError> {
        let write = "INSERT INTO record (run, bytes) VALUES ($1, $2) \
                     ON CONFLICT (run) DO UPDATE SET bytes = excluded.bytes";
        self.transaction.prepare(write)?.execute(params![self.run, record.bytes()])
    }

    /// What all threads together came to, of a run whose resources are written.
    pub(crate) fn sums(&self, record: &Record, grown: &GrownKinds) -> Result<(), DatabaseError> {
        let names = "SELECT name FROM resource WHERE run = $1";
        let names = self
            .transaction
            .query(names, params![self.run], |row| Ok(row.text(0)?.parse::<Resource>().ok()))?;
        let (shape, sums) = record.summed(grown, names.into_iter().flatten());
        let shape = shape.bytes();
        let write = "INSERT INTO run_sums (run, digest, sums, shape) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (run) DO UPDATE SET digest = excluded.digest, sums = excluded.sums, shape = excluded.shape";
        let digest = RunShape::digest(&shape);
        let values = params![self.run, digest.as_slice(), sums.bytes(), shape];
        self.transaction.prepare(write)?.execute(values)
    }

    pub(crate) fn messages(&self, messages: &MessageSeries) -> Result<(), DatabaseError> {
        let write = "INSERT INTO message_series (run, bytes) VALUES ($1, $2) \
                     ON CONFLICT (run) DO UPDATE SET bytes = excluded.bytes";
        self.transaction.prepare(write)?.execute(params![self.run, messages.bytes()])
    }

    fn report(&self, report: Option<&StoredReport>) -> Result<(), DatabaseError> {
        let Some(StoredReport { json, text }) = report else { return Ok(()) };
        let write = "INSERT INTO report (run, json, text) VALUES ($1, $2, $3) \
                     ON CONFLICT (run) DO UPDATE SET json = excluded.json, text = excluded.text";
        self.transaction.prepare(write)?.execute(params![self.run, json, text])
    }

    /// Adds a part of a profile to the letter.
    pub(crate) fn foreign(&self, number: i64, bytes: &ForeignBytes) -> Result<(), DatabaseError> {
        let write = "INSERT INTO foreign_part (run, number, bytes) VALUES ($1, $2, $3) \
                     ON CONFLICT (run, number) DO UPDATE SET bytes = excluded.bytes";
        self.transaction.prepare(write)?.execute(params![self.run, number, bytes.as_slice()])
    }

    fn objects(&self, objects: &[ObjectRow]) -> Result<(), DatabaseError> {
        let mut statement = self.transaction.prepare(
            "INSERT INTO object (run, name, build_id, compiler) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        )?;
        for object in objects {
            statement.execute(params![self.run, object.name, object.build_id, object.compiler])?;
        }
        Ok(())
    }

    fn summary(&self, progress: &Progress) -> Result<(), DatabaseError> {
        let [processes, threads, hosts] = progress.counts.map(count);
        let elapsed = count(progress.elapsed.as_nanos().try_into().unwrap_or(u64::MAX));
        let written = nanos(SystemTime::now());
        let [mean, max] = progress.cost;
        self.transaction
            .prepare(
                "UPDATE run SET written = $1, elapsed = $2, processes = $3, threads = $4, hosts = $5, \
                 cost_mean = $6, cost_max = $7 WHERE number = $8",
            )?
            .execute(params![written, elapsed, processes, threads, hosts, mean, max, self.run])?;
        Ok(())
    }

    fn resources(&self, progress: &Progress) -> Result<(), DatabaseError> {
        let mut appeared = self.transaction.prepare(
            "INSERT INTO resource (run, name, appeared) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        )?;
        for (resource, time) in &progress.appeared {
            appeared.execute(params![self.run, resource.to_string(), count(time.0.0)])?;
        }
        let mut retired = self
            .transaction
            .prepare("UPDATE resource SET retired = $1 WHERE run = $2 AND name = $3")?;
        for (resource, time) in &progress.retired {
            retired.execute(params![count(time.0.0), self.run, resource.to_string()])?;
        }
        Ok(())
    }

    fn answers(&self, progress: &Progress) -> Result<(), DatabaseError> {
        self.verdicts(&progress.verdicts, WHOLE)?;
        self.edges(&progress.edges, WHOLE)?;
        let mut statement = self.transaction.prepare(
            "INSERT INTO phase (run, number, name, began, ended) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (run, number) DO UPDATE SET ended = excluded.ended",
        )?;
        for (phase, verdicts, edges) in &progress.searched {
            let [began, ended] = [phase.began, phase.ended].map(|time| count(time.0.0));
            statement.execute(params![self.run, phase.number, phase.name, began, ended])?;
            self.verdicts(verdicts, phase.number)?;
            self.edges(edges, phase.number)?;
        }
        Ok(())
    }

    fn verdicts(&self, verdicts: &[StoredVerdict], phase: u32) -> Result<(), DatabaseError> {
        let mut statement = self.transaction.prepare(
            "INSERT INTO verdict (run, number, hypothesis, focus, truth, value, threshold, confidence, asked, \
             found, cost, origin, split) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
             ON CONFLICT (run, number) DO UPDATE SET truth = excluded.truth, value = excluded.value, \
             threshold = excluded.threshold, confidence = excluded.confidence, asked = excluded.asked, \
             found = excluded.found, cost = excluded.cost, origin = excluded.origin, split = excluded.split",
        )?;
        for verdict in verdicts {
            statement.execute(params![
                self.run,
                first_of(phase) + count(verdict.number),
                verdict.hypothesis,
                verdict.focus,
                verdict.truth,
                verdict.value,
                verdict.threshold,
                verdict.confidence,
                count(verdict.asked),
                verdict.found.map(|time| count(time.0.0)),
                verdict.cost,
                verdict.origin,
                verdict.split,
            ])?;
        }
        Ok(())
    }

    fn edges(&self, edges: &[Edge], phase: u32) -> Result<(), DatabaseError> {
        let mut statement = self.transaction.prepare(
            "INSERT INTO edge (run, parent, child, axis) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        )?;
        for edge in edges {
            statement.execute(params![
                self.run,
                first_of(phase) + count(edge.parent),
                first_of(phase) + count(edge.child),
                edge.axis
            ])?;
        }
        Ok(())
    }

    fn steps(&self, steps: &[StepRow], before: i64) -> Result<(), DatabaseError> {
        let mut statement = self
            .transaction
            .prepare("INSERT INTO step (run, number, time, text) VALUES ($1, $2, $3, $4)")?;
        for (number, step) in (before + 1..).zip(steps) {
            statement.execute(params![self.run, number, count(step.time.0.0), step.text])?;
        }
        Ok(())
    }

    fn histograms(&self, histograms: &[Measurement]) -> Result<(), DatabaseError> {
        let mut statement = self.transaction.prepare(
            "INSERT INTO histogram (run, metric, focus, part, bins) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (run, metric, focus, part) DO UPDATE SET bins = excluded.bins",
        )?;
        for Measurement { pair, part, histogram } in histograms {
            let metric = pair.metric.definition().name;
            statement.execute(params![
                self.run,
                metric,
                pair.focus.to_string(),
                part,
                bins::bytes(histogram)
            ])?;
        }
        Ok(())
    }

    pub(crate) fn user_events(&self, rows: &[UserEventRow]) -> Result<(), DatabaseError> {
        let mut statement = self.transaction.prepare(
            "INSERT INTO user_event (run, name, kind, process, thread, path, count, sum, least, most, squares, deviation) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
             ON CONFLICT (run, name, kind, process, thread, path) DO UPDATE SET count = excluded.count, sum = excluded.sum, \
             least = excluded.least, most = excluded.most, squares = excluded.squares, deviation = excluded.deviation",
        )?;
        for UserEventRow { name, kind, process, thread, path, totals } in rows {
            statement.execute(params![
                self.run,
                name,
                kind.name(),
                process,
                thread,
                path.join(SEPARATOR),
                count(totals.count),
                totals.sum,
                totals.extremes.map(|[least, _]| least),
                totals.extremes.map(|[_, most]| most),
                totals.squares.map(|squares| squares.to_string()),
                totals.deviation(),
            ])?;
        }
        Ok(())
    }

    fn profile(
        &self,
        rows: &[StoredProfileRow],
        callpaths: &mut CallpathNumbers,
    ) -> Result<(), DatabaseError> {
        let mut statement = self.transaction.prepare(
            "INSERT INTO profile_row (run, process, thread, callpath, calls, inclusive, exclusive, sent, received, source, \
             coverage) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
             ON CONFLICT (run, process, thread, callpath) DO UPDATE SET calls = excluded.calls, \
             inclusive = excluded.inclusive, exclusive = excluded.exclusive, sent = excluded.sent, \
             received = excluded.received, source = excluded.source, coverage = excluded.coverage",
        )?;
        for row in rows {
            statement.execute(params![
                self.run,
                row.process,
                row.thread,
                callpaths.number(self.transaction, self.run, &row.path)?,
                count(row.calls),
                count(row.inclusive.0),
                count(row.exclusive.0),
                count(row.sent),
                count(row.received),
                row.source,
                row.coverage,
            ])?;
        }
        Ok(())
    }
}
