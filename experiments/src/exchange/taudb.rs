//! TAUdb: the trials of many runs in a SQLite file, by the schema that TAU publishes.
//!
//! ```text
//!   trial ── thread ── timer_call_data ── timer_value ── metric
//!                          │
//!                     timer_callpath ── timer          a callpath names the one above it
//! ```
//! Threads with a negative index are means and totals that TAU derived, and so are some metrics: both are left out.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};

use super::error::ExchangeError;
use crate::foreign_profile::{
    ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue, UserEvent,
};

/// Callpaths deeper than this are no program's.
const DEEPEST: usize = 10_000;

/// Which trial of a file is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedTrial {
    /// The only one.
    Only,
    /// The one with this number, or else with this name.
    Named(String),
}

/// Reads a trial of the file.
///
/// # Errors
/// When it is no such database, has no such trial, or several where one is wanted.
pub fn taudb(path: &Path, wanted: &WantedTrial) -> Result<ForeignProfile, ExchangeError> {
    let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
    let failed = |source| ExchangeError::Database { path: path.to_owned(), source };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(failed)?;
    let has_trials = "SELECT count(*) FROM sqlite_master WHERE name IN ('trial', 'timer_callpath')";
    let tables: u32 = database.query_row(has_trials, [], |row| row.get(0)).map_err(failed)?;
    if tables != 2 {
        return Err(refused("no trials of TAUdb"));
    }
    let trial = trial(&database, path, wanted)?;
    let mut reader = Reader { database, trial, timers: Vec::new() };
    let profile = reader.profile().map_err(failed)?;
    profile.ok_or_else(|| refused("a trial of TAUdb with no timers, or with callpaths in a circle"))
}

fn trial(database: &Connection, path: &Path, wanted: &WantedTrial) -> Result<i64, ExchangeError> {
    let failed = |source| ExchangeError::Database { path: path.to_owned(), source };
    let query = "SELECT id, coalesce(name, '') FROM trial ORDER BY id";
    let trials: Vec<(i64, String)> =
        rows(database, query, &[], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
    let found = match wanted {
        WantedTrial::Named(word) => {
            let by_number = trials.iter().find(|(id, _)| id.to_string() == *word);
            by_number.or_else(|| trials.iter().find(|(_, name)| name == word))
        }
        WantedTrial::Only => trials.first().filter(|_| trials.len() == 1),
    };
    found.map(|(id, _)| *id).ok_or_else(|| {
        let named = trials.iter().map(|(id, name)| format!("{id} ({name})"));
        let names = named.collect::<Vec<_>>().join(", ");
        ExchangeError::Trials { path: path.to_owned(), names }
    })
}

fn rows<T>(
    database: &Connection,
    query: &str,
    parameters: &[&dyn rusqlite::ToSql],
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = database.prepare(query)?;
    let found = statement.query_map(parameters, |row| read(row))?;
    found.collect()
}

/// One trial as it is read.
struct Reader {
    database: Connection,
    trial: i64,
    /// By place in the list: the name of each callpath, and its groups.
    timers: Vec<(String, Vec<String>)>,
}

impl Reader {
    fn of_trial<T>(
        &self,
        query: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        rows(&self.database, query, &[&self.trial], read)
    }

    /// `None` where there are no timers, or callpaths have no end.
    fn profile(&mut self) -> rusqlite::Result<Option<ForeignProfile>> {
        let metrics: Vec<(i64, String)> = self.of_trial(
            "SELECT id, name FROM metric WHERE trial = $1 AND lower(derived) NOT IN ('1', 'true', 't') ORDER BY id",
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let mut threads: BTreeMap<i64, ForeignThread> = self.threads()?;
        let Some(callpaths) = self.callpaths()? else { return Ok(None) };
        self.timers_into(&mut threads, &callpaths, &metrics)?;
        self.events_into(&mut threads, &callpaths)?;
        self.metadata_into(&mut threads)?;
        if threads.values().all(|thread| thread.timers.is_empty()) {
            return Ok(None);
        }
        let mut threads: Vec<ForeignThread> = threads.into_values().collect();
        threads.sort_by_key(|one| (one.node, one.context, one.thread));
        let metrics = metrics.into_iter().map(|(_, name)| ForeignMetric { name }).collect();
        Ok(Some(ForeignProfile { metrics, threads, notes: Vec::new() }))
    }

    fn threads(&self) -> rusqlite::Result<BTreeMap<i64, ForeignThread>> {
        let query = "SELECT id, node_rank, context_rank, thread_rank FROM thread WHERE trial = $1 AND thread_index >= 0";
        let found = self.of_trial(query, |row| {
            let (node, context, thread) = (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((row.get(0)?, ForeignThread { node, context, thread, ..ForeignThread::default() }))
        })?;
        Ok(found.into_iter().collect())
    }

    /// By the number of a callpath: its place in the list of timers.
    fn callpaths(&mut self) -> rusqlite::Result<Option<BTreeMap<i64, usize>>> {
        let mut groups: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        let query = "SELECT timer_group.timer, group_name FROM timer_group \
                     JOIN timer ON timer.id = timer_group.timer WHERE trial = $1 ORDER BY timer_group.rowid";
        for (timer, group) in self.of_trial(query, |row| Ok((row.get(0)?, row.get(1)?)))? {
            groups.entry(timer).or_default().push(group);
        }
        let query = "SELECT timer_callpath.id, parent, timer.id, timer.name FROM timer_callpath \
                     JOIN timer ON timer.id = timer_callpath.timer WHERE trial = $1";
        let found: Vec<(i64, Option<i64>, i64, String)> =
            self.of_trial(query, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let known: BTreeMap<i64, (Option<i64>, &str)> =
            found.iter().map(|(id, parent, _, name)| (*id, (*parent, name.as_str()))).collect();
        let mut places = BTreeMap::new();
        for (id, parent, timer, _) in &found {
            let Some(name) = path(&known, *id) else { return Ok(None) };
            let mut own = groups.get(timer).cloned().unwrap_or_default();
            if parent.is_some() && !own.iter().any(|group| group == Timer::CALLPATH) {
                own.push(Timer::CALLPATH.to_owned());
            }
            places.insert(*id, self.timers.len());
            self.timers.push((name, own));
        }
        Ok(Some(places))
    }

    fn timers_into(
        &self,
        threads: &mut BTreeMap<i64, ForeignThread>,
        callpaths: &BTreeMap<i64, usize>,
        metrics: &[(i64, String)],
    ) -> rusqlite::Result<()> {
        let query = "SELECT timer_call_data.id, timer_callpath, thread, calls, subroutines FROM timer_call_data \
                     JOIN thread ON thread.id = thread WHERE trial = $1 AND time_range IS NULL ORDER BY timer_call_data.id";
        let found: Vec<([i64; 3], [f64; 2])> = self.of_trial(query, |row| {
            let count = |at| row.get::<_, Option<f64>>(at).map(Option::unwrap_or_default);
            Ok(([row.get(0)?, row.get(1)?, row.get(2)?], [count(3)?, count(4)?]))
        })?;
        let mut places: BTreeMap<i64, (i64, usize)> = BTreeMap::new();
        for ([id, callpath, thread], [calls, subcalls]) in found {
            let Some(known) = threads.get_mut(&thread) else { continue };
            let Some((name, groups)) = callpaths.get(&callpath).map(|at| &self.timers[*at]) else {
                continue;
            };
            places.insert(id, (thread, known.timers.len()));
            known.timers.push(Timer {
                name: name.clone(),
                groups: groups.clone(),
                calls,
                subcalls,
                values: vec![TimerValue::default(); metrics.len()],
            });
        }
        let query = "SELECT timer_call_data, metric, exclusive_value, inclusive_value FROM timer_value \
                     JOIN metric ON metric.id = metric WHERE trial = $1";
        let mut statement = self.database.prepare(query)?;
        let mut found = statement.query([self.trial])?;
        while let Some(row) = found.next()? {
            let (id, metric): (i64, i64) = (row.get(0)?, row.get(1)?);
            let Some((thread, at)) = places.get(&id) else { continue };
            let Some(metric) = metrics.iter().position(|(known, _)| *known == metric) else {
                continue;
            };
            let value = |at| row.get::<_, Option<f64>>(at).map(Option::unwrap_or_default);
            if let Some(timer) = threads.get_mut(thread).and_then(|one| one.timers.get_mut(*at)) {
                timer.values[metric] = TimerValue { exclusive: value(2)?, inclusive: value(3)? };
            }
        }
        Ok(())
    }

    /// Counters, which TAU's files call user events; one at a callpath has it in its name.
    fn events_into(
        &self,
        threads: &mut BTreeMap<i64, ForeignThread>,
        callpaths: &BTreeMap<i64, usize>,
    ) -> rusqlite::Result<()> {
        let query = "SELECT thread, name, timer_callpath, sample_count, maximum_value, minimum_value, mean_value, \
                     standard_deviation FROM counter_value JOIN counter ON counter.id = counter WHERE trial = $1";
        let found = self.of_trial(query, |row| {
            let number = |at| row.get::<_, Option<f64>>(at).map(Option::unwrap_or_default);
            let (count, mean, deviation) = (number(3)?, number(6)?, number(7)?);
            let event = UserEvent {
                name: row.get(1)?,
                count,
                most: number(4)?,
                least: number(5)?,
                mean,
                squares: count * (deviation.powi(2) + mean.powi(2)),
            };
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(2)?, event))
        })?;
        for (thread, callpath, mut event) in found {
            let path = callpath.and_then(|id| callpaths.get(&id)).map(|at| &self.timers[*at].0);
            if let Some(path) = path.filter(|_| !event.name.contains(" : ")) {
                event.name = format!("{} : {path}", event.name);
            }
            if let Some(thread) = threads.get_mut(&thread) {
                thread.events.push(event);
            }
        }
        Ok(())
    }

    /// What is known of the trial, and what of its threads.
    fn metadata_into(&self, threads: &mut BTreeMap<i64, ForeignThread>) -> rusqlite::Result<()> {
        let pair = |row: &Row<'_>| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?.unwrap_or_default()))
        };
        let query = "SELECT name, value FROM primary_metadata WHERE trial = $1";
        let of_all = self.of_trial(query, pair)?;
        for thread in threads.values_mut() {
            thread.metadata.clone_from(&of_all);
        }
        let query = "SELECT name, value, thread FROM secondary_metadata \
                     WHERE trial = $1 AND thread IS NOT NULL AND timer_call_data IS NULL AND parent IS NULL";
        let own = self.of_trial(query, |row| Ok((row.get::<_, i64>(2)?, pair(row)?)))?;
        for (thread, (name, value)) in own {
            let Some(thread) = threads.get_mut(&thread) else { continue };
            thread.metadata.retain(|(known, _)| *known != name);
            thread.metadata.push((name, value));
        }
        Ok(())
    }
}

/// The names from the outside in; `None` where there is no end of them.
fn path(known: &BTreeMap<i64, (Option<i64>, &str)>, id: i64) -> Option<String> {
    let (mut names, mut next) = (Vec::new(), Some(id));
    while let Some((parent, name)) = next.and_then(|id| known.get(&id)) {
        names.push(*name);
        if names.len() > DEEPEST {
            return None;
        }
        next = *parent;
    }
    names.reverse();
    Some(names.join(Timer::ARROW))
}
