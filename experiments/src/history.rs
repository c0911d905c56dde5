//! Reads the store: the list of runs, and every part of one run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use serde::Serialize;
use whyperf_model::{
    Focus, Histogram, Metric, Nanos, Pair, Time, UserEventKind, UserEventRow, UserEventTotals,
};

use crate::bins;
use crate::callpath_numbers::SEPARATOR;
use crate::database::{DatabaseError, Parameter, Row, params};
use crate::error::StoreError;
use crate::foreign_profile::ForeignProfile;
use crate::instant::{counted, moment, text};
use crate::message_series::MessageSeries;
use crate::recorder::{WHOLE, first_of, transact};
use crate::run::{
    Edge, ObjectRow, Phase, RunId, StepRow, StoredProfileRow, StoredReport, StoredVerdict, Summary,
};
use crate::store::Store;

/// Something that was so during a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// `setting` or `environment`.
    pub topic: String,
    /// What.
    pub name: String,
    /// How it was.
    pub value: String,
}

/// A resource, and from when to when it was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResourceSpan {
    /// Its path.
    pub name: String,
    /// When it was first seen.
    pub appeared: Time,
    /// When it went away; never, when there is none.
    pub retired: Option<Time>,
}

/// Which runs are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Of this application only.
    pub application: Option<String>,
    /// At most so many, the newest.
    pub most: Option<u32>,
    /// Only those that were written to their end.
    pub complete: bool,
}

/// The columns of a [`RunRow`], of all runs.
const SUMMARIES: &str = "SELECT number, id, experiment, trial, started, elapsed, exit_status, complete, command, source FROM run";

/// A row of the list, before names and tags are put in.
struct RunRow {
    number: i64,
    experiment: i64,
    /// The number of the run that it is a diagnosis of.
    source: Option<i64>,
    summary: Summary,
}

impl Store {
    /// The runs there are, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs(&self, history: &History) -> Result<Vec<Summary>, StoreError> {
        let doing = "listing the runs";
        let most = history.most.map_or(i64::MAX, i64::from);
        let complete = i64::from(history.complete);
        let order = "ORDER BY started DESC, number DESC LIMIT";
        let read = lister();
        let listed = match &history.application {
            None => {
                let query = format!("{SUMMARIES} WHERE complete >= $1 {order} $2");
                self.rows(doing, &query, params![complete, most], read)?
            }
            Some(application) => {
                // Among the runs of the application alone, by the index that knows their experiments.
                let query = format!(
                    "{SUMMARIES} WHERE experiment IN (SELECT experiment.id FROM experiment \
                     JOIN application ON application.id = experiment.application \
                     WHERE application.name = $1) AND complete >= $2 {order} $3"
                );
                self.rows(doing, &query, params![application, complete, most], read)?
            }
        };
        self.with_names(listed)
    }

    /// One run as it is listed.
    ///
    /// # Errors
    /// When the store cannot be read or the run is gone.
    pub fn summary(&self, run: &RunId) -> Result<Summary, StoreError> {
        let query = format!("{SUMMARIES} WHERE id = $1");
        let found = self.rows("reading a run", &query, params![run.0], lister())?;
        self.with_names(found)?.pop().ok_or_else(|| self.gone(run))
    }

    /// The trials of an experiment, the oldest first: complete runs that were measured, of whatever application.
    ///
    /// # Errors
    /// When the store cannot be read, or there is none.
    pub fn trials(&self, experiment: &str) -> Result<Vec<RunId>, StoreError> {
        let query = "SELECT run.id FROM run JOIN experiment ON experiment.id = run.experiment \
                     WHERE experiment.name = $1 AND run.source IS NULL AND run.complete = 1 \
                     ORDER BY run.started, run.number";
        let found = self
            .rows("looking for trials", query, params![experiment], |row| row.get(0).map(RunId))?;
        let wanted = || format!("of an experiment {experiment} that was seen to its end");
        if found.is_empty() {
            return Err(StoreError::NoSuchRun { path: self.shown.clone(), wanted: wanted() });
        }
        Ok(found)
    }

    /// With what is the same for many: asked for each of a hundred thousand runs it would take longer than all else.
    fn with_names(&self, listed: Vec<RunRow>) -> Result<Vec<Summary>, StoreError> {
        let doing = "reading names";
        let numbers = listed.iter().map(|run| run.number);
        let (least, most) = (numbers.clone().min().unwrap_or(0), numbers.max().unwrap_or(0));
        let query = "SELECT run, name FROM tag WHERE run BETWEEN $1 AND $2 ORDER BY run, name";
        let mut tags: HashMap<i64, Vec<String>> = HashMap::new();
        for (run, name) in
            self.rows(doing, query, params![least, most], |row| Ok((row.get(0)?, row.get(1)?)))?
        {
            tags.entry(run).or_default().push(name);
        }
        let query = "SELECT experiment.id, application.name, experiment.name FROM experiment \
                     JOIN application ON application.id = experiment.application";
        let names =
            self.rows(doing, query, &[], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        let shared = |(id, (application, experiment)): (_, (String, String))| {
            (id, (Arc::from(application), Arc::from(experiment)))
        };
        let names: HashMap<i64, (Arc<str>, Arc<str>)> = names.into_iter().map(shared).collect();
        let sources = self.sources(&listed)?;
        let named = |RunRow { number, experiment, source, mut summary }| {
            if let Some((application, name)) = names.get(&experiment) {
                summary.application.clone_from(application);
                summary.experiment.clone_from(name);
            }
            summary.tags = tags.remove(&number).unwrap_or_default();
            summary.source = source.and_then(|source| sources.get(&source).cloned());
            summary
        };
        Ok(listed.into_iter().map(named).collect())
    }

    /// How the runs are called that some of these are diagnoses of.
    fn sources(&self, listed: &[RunRow]) -> Result<HashMap<i64, RunId>, StoreError> {
        let wanted: HashSet<i64> = listed.iter().filter_map(|run| run.source).collect();
        let here = listed.iter().filter(|run| wanted.contains(&run.number));
        let mut found: HashMap<i64, RunId> =
            here.map(|run| (run.number, run.summary.id.clone())).collect();
        for number in wanted {
            if !found.contains_key(&number) {
                let query = "SELECT id FROM run WHERE number = $1";
                let ids = self.rows("reading names", query, params![number], |row| row.get(0))?;
                found.extend(ids.into_iter().map(|id| (number, RunId(id))));
            }
        }
        Ok(found)
    }

    /// Settings and environment of a run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn facts(&self, run: &RunId) -> Result<Vec<Fact>, StoreError> {
        // Of a diagnosis the surroundings are those of its source.
        let query = "SELECT topic, name, value FROM fact WHERE run = $1 UNION \
                     SELECT topic, name, value FROM fact WHERE (topic = 'environment' OR topic LIKE 'metadata%') \
                     AND run = (SELECT source FROM run WHERE number = $1) ORDER BY topic, name";
        self.of_run(run, query, |row| {
            Ok(Fact { topic: row.get(0)?, name: row.get(1)?, value: row.get(2)? })
        })
    }

    /// Directives that a run was given.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn directives(&self, run: &RunId) -> Result<Vec<String>, StoreError> {
        self.of_run(run, "SELECT text FROM directive WHERE run = $1 ORDER BY number", |row| {
            row.get(0)
        })
    }

    /// What there was in a run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn resources(&self, run: &RunId) -> Result<Vec<ResourceSpan>, StoreError> {
        let query = "SELECT name, appeared, retired FROM resource WHERE run = $1 ORDER BY name";
        self.measured(run, query, |row| {
            let retired: Option<i64> = row.get(2)?;
            Ok(ResourceSpan {
                name: row.get(0)?,
                appeared: time(row.get(1)?),
                retired: retired.map(time),
            })
        })
    }

    /// Every question of a run's search.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn verdicts(&self, run: &RunId) -> Result<Vec<StoredVerdict>, StoreError> {
        self.verdicts_in(run, WHOLE)
    }

    /// Every question of the search over one phase of a run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn verdicts_in(&self, run: &RunId, phase: u32) -> Result<Vec<StoredVerdict>, StoreError> {
        let query = "SELECT number - $1, hypothesis, focus, truth, value, threshold, confidence, asked, found, \
                     cost, origin, split FROM verdict WHERE run = $2 AND number >= $1 AND number < $3 ORDER BY number";
        let range = params![first_of(phase), self.number(run)?, first_of(phase) + first_of(1)];
        self.rows("reading a run", query, range, verdict)
    }

    /// Which question of a run led to which.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn edges(&self, run: &RunId) -> Result<Vec<Edge>, StoreError> {
        self.edges_in(run, WHOLE)
    }

    /// Which question of one phase of a run led to which.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn edges_in(&self, run: &RunId, phase: u32) -> Result<Vec<Edge>, StoreError> {
        let query = "SELECT parent - $1, child - $1, axis FROM edge \
                     WHERE run = $2 AND parent >= $1 AND parent < $3 ORDER BY parent, child";
        let range = params![first_of(phase), self.number(run)?, first_of(phase) + first_of(1)];
        self.rows("reading a run", query, range, |row| {
            let [parent, child] = [row.get(0)?, row.get(1)?].map(counted);
            Ok(Edge { parent, child, axis: row.get(2)? })
        })
    }

    /// The phases of a run that were searched by themselves.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn phases(&self, run: &RunId) -> Result<Vec<Phase>, StoreError> {
        let query = "SELECT number, name, began, ended FROM phase WHERE run = $1 ORDER BY number";
        self.of_run(run, query, |row| {
            let [began, ended] = [row.get(2)?, row.get(3)?].map(time);
            Ok(Phase { number: row.get(0)?, name: row.get(1)?, began, ended })
        })
    }

    /// The log of a run's search.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn steps(&self, run: &RunId) -> Result<Vec<StepRow>, StoreError> {
        let query = "SELECT time, text FROM step WHERE run = $1 ORDER BY number";
        self.of_run(run, query, |row| Ok(StepRow { time: time(row.get(0)?), text: row.get(1)? }))
    }

    /// The pairs a run has histograms of.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn pairs(&self, run: &RunId) -> Result<Vec<Pair>, StoreError> {
        let query =
            "SELECT DISTINCT metric, focus FROM histogram WHERE run = $1 ORDER BY metric, focus";
        let pairs = self.measured(run, query, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(pairs
            .into_iter()
            .filter_map(|(metric, focus): (String, String)| pair(&metric, &focus))
            .collect())
    }

    /// A pair over time, all its measurements as one; none when the run has no such.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn histogram(&self, run: &RunId, pair: &Pair) -> Result<Option<Histogram>, StoreError> {
        let query = "SELECT bins FROM histogram WHERE run = (SELECT coalesce(source, number) FROM run WHERE id = $1) \
                     AND metric = $2 AND focus = $3 ORDER BY part";
        let wanted = params![run.0, pair.metric.definition().name, pair.focus.to_string()];
        let found: Vec<Vec<u8>> =
            self.rows("reading a histogram", query, wanted, |row| row.get(0))?;
        let damaged = || StoreError::Damaged {
            path: self.shown.clone(),
            reason: format!("the histogram of {pair} in run {run} makes no sense"),
        };
        let mut whole: Option<Histogram> = None;
        for bytes in &found {
            let part = bins::histogram(bytes).ok_or_else(damaged)?;
            match &mut whole {
                Some(whole) => whole.merge(&part),
                None => whole = Some(part),
            }
        }
        Ok(whole)
    }

    /// The callpath profile of a run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn profile(&self, run: &RunId) -> Result<Vec<StoredProfileRow>, StoreError> {
        let query = "SELECT process, thread, path, calls, inclusive, exclusive, sent, received, source, \
                     coverage FROM whole_profile WHERE run = $1 ORDER BY process, thread, path";
        self.measured(run, query, profile_row)
    }

    /// Whether the profile of a run may have callpaths that end in one of these functions. In a run with thousands of them for each thread it is told
    /// by the names of its paths alone, which are there once.
    pub(crate) fn has_callpaths_to(
        &self,
        run: &RunId,
        functions: &HashSet<String>,
    ) -> Result<bool, StoreError> {
        if functions.is_empty() {
            return Ok(false);
        }
        let query = "SELECT path FROM callpath WHERE run = $1";
        let ends = |row: &Row<'_>| {
            let last = row.text(0)?.rsplit(SEPARATOR).next().unwrap_or_default();
            Ok(functions.contains(last))
        };
        if self.measured(run, query, ends)?.contains(&true) {
            return Ok(true);
        }
        // An older whyperf wrote names into each row.
        let query = "SELECT count(*) FROM (SELECT 1 FROM profile WHERE run = $1 LIMIT 1) AS first";
        Ok(self.measured(run, query, |row| row.get::<i64>(0))?.contains(&1))
    }

    /// Counters and gauges of the program's own, by name, process, thread and path.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn user_events(&self, run: &RunId) -> Result<Vec<UserEventRow>, StoreError> {
        let query = "SELECT name, kind, process, thread, path, count, sum, least, most, squares FROM user_event \
                     WHERE run = $1 ORDER BY name, kind, process, thread, path";
        let rows = self.measured(run, query, user_event)?;
        // One of a kind that this whyperf does not know says nothing here.
        Ok(rows.into_iter().flatten().collect())
    }

    /// The messages of a run by sender and receiver; none where they are not known, as an older whyperf stored the run.
    ///
    /// # Errors
    /// When the store cannot be read, or what it holds of them makes no sense.
    pub fn messages(&self, run: &RunId) -> Result<Option<MessageSeries>, StoreError> {
        let query = "SELECT bytes FROM message_series WHERE run = $1";
        let bytes: Option<Vec<u8>> = self.measured(run, query, |row| row.get(0))?.pop();
        let series = bytes.map(|bytes| MessageSeries::parse(&bytes)).transpose();
        series.map_err(|reason| StoreError::BadMessages {
            path: self.shown.clone(),
            run: run.clone(),
            reason,
        })
    }

    /// When something of a run was written last: while it goes on, a few seconds ago.
    ///
    /// # Errors
    /// When the store cannot be read or the run is gone.
    pub fn last_written(&self, run: &RunId) -> Result<SystemTime, StoreError> {
        let query = "SELECT written FROM run WHERE number = $1";
        let found = self.of_run(run, query, |row| Ok(moment(row.get(0)?)))?.pop();
        found.ok_or_else(|| self.gone(run))
    }

    /// The report of a run as it was made at its end, or last while it goes on; none of a run that ended early, or that an older whyperf stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn report(&self, run: &RunId) -> Result<Option<StoredReport>, StoreError> {
        let query = "SELECT json, text FROM report WHERE run = $1";
        let read = |row: &Row<'_>| Ok(StoredReport { json: row.get(0)?, text: row.get(1)? });
        Ok(self.of_run(run, query, read)?.pop())
    }

    /// The profile of a run that another tool measured, to the letter; none of other runs.
    ///
    /// # Errors
    /// When the store cannot be read, or what it holds makes no sense.
    pub fn foreign_profile(&self, run: &RunId) -> Result<Option<ForeignProfile>, StoreError> {
        let query = "SELECT bytes FROM foreign_profile WHERE run = $1";
        let mut parts: Vec<Vec<u8>> = self.measured(run, query, |row| row.get(0))?;
        let query = "SELECT bytes FROM foreign_part WHERE run = $1 ORDER BY number";
        parts.extend(self.measured(run, query, |row| row.get(0))?);
        if parts.is_empty() {
            return Ok(None);
        }
        let bytes = parts.concat();
        let damaged = || StoreError::Damaged {
            path: self.shown.clone(),
            reason: format!("the imported profile of run {run} makes no sense"),
        };
        ForeignProfile::parse(&bytes).map(Some).ok_or_else(damaged)
    }

    /// Programs and libraries that a run was made of.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn objects(&self, run: &RunId) -> Result<Vec<ObjectRow>, StoreError> {
        let query = "SELECT name, build_id, compiler FROM object WHERE run = $1 ORDER BY name";
        self.measured(run, query, |row| {
            Ok(ObjectRow { name: row.get(0)?, build_id: row.get(1)?, compiler: row.get(2)? })
        })
    }

    /// Forgets runs and the diagnoses of them, all or none; names those that are gone now.
    ///
    /// # Errors
    /// When the store cannot be written or a run is gone already.
    pub fn remove(&mut self, runs: &[RunId]) -> Result<Vec<RunId>, StoreError> {
        let removed = transact(self, "removing runs", |transaction| {
            let mut with_diagnoses = transaction.prepare(
                "SELECT id FROM run WHERE id = $1 \
                 OR source = (SELECT number FROM run WHERE id = $1) ORDER BY number",
            )?;
            let mut removed: Vec<RunId> = Vec::new();
            for run in runs {
                let found = with_diagnoses.query(params![run.0], |row| row.get(0).map(RunId))?;
                if !found.contains(run) {
                    return Ok(Err(run));
                }
                removed.extend(found);
            }
            let mut delete = transaction.prepare("DELETE FROM run WHERE id = $1")?;
            removed.iter().try_for_each(|run| delete.execute(params![run.0]))?;
            Ok(Ok(removed))
        })?;
        let mut removed = removed.map_err(|run| self.gone(run))?;
        let mut known = HashSet::new();
        removed.retain(|run| known.insert(run.clone()));
        Ok(removed)
    }

    /// Calls a run something, or no longer.
    ///
    /// # Errors
    /// When the store cannot be written or the run is gone.
    pub fn tag(&mut self, run: &RunId, name: &str, is_set: bool) -> Result<(), StoreError> {
        let number = self.number(run)?;
        let change = if is_set {
            "INSERT INTO tag (run, name) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        } else {
            "DELETE FROM tag WHERE run = $1 AND name = $2"
        };
        transact(self, "tagging a run", |transaction| {
            transaction.execute(change, params![number, name])
        })
    }

    /// Puts another report in the place of the one that a run has; one that has none gets none.
    ///
    /// # Errors
    /// When the store cannot be written or the run is gone.
    pub fn replace_report(&mut self, run: &RunId, report: &StoredReport) -> Result<(), StoreError> {
        let number = self.number(run)?;
        let change = "UPDATE report SET json = $1, text = $2 WHERE run = $3";
        transact(self, "replacing a report", |transaction| {
            transaction.execute(change, params![report.json, report.text, number])
        })
    }

    fn number(&self, run: &RunId) -> Result<i64, StoreError> {
        let query = "SELECT number FROM run WHERE id = $1";
        let mut found = self.rows("looking for a run", query, params![run.0], |row| row.get(0))?;
        found.pop().ok_or_else(|| self.gone(run))
    }

    pub(crate) fn gone(&self, run: &RunId) -> StoreError {
        StoreError::NoSuchRun { path: self.shown.clone(), wanted: run.to_string() }
    }

    /// What was measured: of a diagnosis, in its source.
    pub(crate) fn measured<T>(
        &self,
        run: &RunId,
        query: &str,
        read: impl FnMut(&Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, StoreError> {
        let source = "SELECT coalesce(source, number) FROM run WHERE id = $1";
        let found = self.rows("looking for a run", source, params![run.0], |row| row.get(0))?;
        let number: i64 = found.first().copied().ok_or_else(|| self.gone(run))?;
        self.rows("reading a run", query, params![number], read)
    }

    fn of_run<T>(
        &self,
        run: &RunId,
        query: &str,
        read: impl FnMut(&Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, StoreError> {
        let number = self.number(run)?;
        self.rows("reading a run", query, params![number], read)
    }

    pub(crate) fn rows<T>(
        &self,
        doing: &'static str,
        query: &str,
        parameters: &[&dyn Parameter],
        read: impl FnMut(&Row<'_>) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.connection.query(query, parameters, read);
        rows.map_err(|error| StoreError::of(&self.shown, doing, &error))
    }
}

fn time(nanos: i64) -> Time {
    Time(Nanos(counted(nanos)))
}

fn pair(metric: &str, focus: &str) -> Option<Pair> {
    let metric: Metric = metric.parse().ok()?;
    let focus: Focus = focus.parse().ok()?;
    Some(Pair::new(metric, focus))
}

/// Reads rows of the list; the same command again is not taken apart again.
#[expect(clippy::cast_precision_loss, reason = "seconds for a reader")]
fn lister() -> impl FnMut(&Row<'_>) -> Result<RunRow, DatabaseError> {
    let nothing: Arc<str> = Arc::from("");
    let mut latest = (String::new(), Arc::from([]));
    move |row| {
        let command = row.text(8)?;
        if command != latest.0 {
            let words: Vec<String> = serde_json::from_str(command).unwrap_or_default();
            latest = (command.to_owned(), Arc::from(words));
        }
        let summary = Summary {
            id: RunId(row.get(1)?),
            application: Arc::clone(&nothing),
            experiment: Arc::clone(&nothing),
            trial: row.get(3)?,
            started: text(row.get(4)?),
            elapsed_s: row.get::<i64>(5)? as f64 / 1e9,
            exit_status: row.get(6)?,
            complete: row.get(7)?,
            command: Arc::clone(&latest.1),
            tags: Vec::new(),
            source: None,
        };
        Ok(RunRow { number: row.get(0)?, experiment: row.get(2)?, source: row.get(9)?, summary })
    }
}

fn verdict(row: &Row<'_>) -> Result<StoredVerdict, DatabaseError> {
    let found: Option<i64> = row.get(8)?;
    Ok(StoredVerdict {
        number: counted(row.get(0)?),
        hypothesis: row.get(1)?,
        focus: row.get(2)?,
        truth: row.get(3)?,
        value: row.get(4)?,
        threshold: row.get(5)?,
        confidence: row.get(6)?,
        asked: counted(row.get(7)?),
        found: found.map(time),
        cost: row.get(9)?,
        origin: row.get(10)?,
        split: row.get(11)?,
    })
}

fn user_event(row: &Row<'_>) -> Result<Option<UserEventRow>, DatabaseError> {
    let (kind, path, squares): (String, String, Option<String>) =
        (row.get(1)?, row.get(4)?, row.get(9)?);
    let extremes: (Option<i64>, Option<i64>) = (row.get(7)?, row.get(8)?);
    let totals = UserEventTotals {
        count: counted(row.get(5)?),
        sum: row.get(6)?,
        extremes: extremes.0.zip(extremes.1).map(|(least, most)| [least, most]),
        squares: squares.and_then(|text| text.parse().ok()),
    };
    let (name, process, thread) = (row.get(0)?, row.get(2)?, row.get(3)?);
    Ok(UserEventKind::named(&kind).map(|kind| UserEventRow {
        name,
        kind,
        process,
        thread,
        path: path.split(SEPARATOR).filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        totals,
    }))
}

fn profile_row(row: &Row<'_>) -> Result<StoredProfileRow, DatabaseError> {
    let path: String = row.get(2)?;
    Ok(StoredProfileRow {
        process: row.get(0)?,
        thread: row.get(1)?,
        path: path.split(SEPARATOR).map(str::to_owned).collect(),
        calls: counted(row.get(3)?),
        inclusive: Nanos(counted(row.get(4)?)),
        exclusive: Nanos(counted(row.get(5)?)),
        sent: counted(row.get(6)?),
        received: counted(row.get(7)?),
        source: row.get(8)?,
        coverage: row.get(9)?,
    })
}
