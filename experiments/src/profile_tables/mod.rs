//! A profile as TAU's `pprof` prints it: a table of functions for each thread with its user events, then total, mean and deviation over threads.
//!
//! ```text
//!   %Time    Exclusive    Inclusive       #Call      #Subrs  Inclusive Name
//!                 msec   total msec                          usec/call
//!   100.0           14          383           1           4     383333 main
//! ```
//! Callpaths are left out, as TAU has none unless they are asked for. `pprof` has no table of deviations: it is that of each number over all threads, a
//! function that a thread never called being nothing there; of a call it is that over the threads that called it.

mod general_number;
mod table_row;

use std::collections::BTreeMap;
use std::fmt;

use crate::foreign_profile::{ForeignProfile, ForeignThread, Timer, UserEvent};
use general_number::general;
use table_row::TableRow;

/// The tables of a profile.
#[derive(Clone, Copy, Debug)]
pub struct ProfileTables<'p> {
    profile: &'p ForeignProfile,
    metric: usize,
}

impl<'p> ProfileTables<'p> {
    /// Of the time in a profile; of its first metric where it has none.
    #[must_use]
    pub fn of(profile: &'p ForeignProfile) -> Self {
        let time = profile.metrics.iter().position(|metric| metric.is_time());
        Self { profile, metric: time.unwrap_or(0) }
    }

    fn is_time(&self) -> bool {
        self.profile.metrics.get(self.metric).is_some_and(|metric| metric.is_time())
    }

    /// The functions of a thread, by name. Those of one name are added up.
    fn functions(&self, thread: &'p ForeignThread) -> BTreeMap<&'p str, TableRow> {
        let mut functions: BTreeMap<&str, TableRow> = BTreeMap::new();
        for timer in thread.timers.iter().filter(|timer| !timer.is_callpath()) {
            let value = timer.values.get(self.metric).copied().unwrap_or_default();
            let row = TableRow {
                calls: timer.calls,
                subcalls: timer.subcalls,
                exclusive: value.exclusive,
                inclusive: value.inclusive,
                per_call: None,
            };
            functions.entry(plain(timer)).or_default().add(&row);
        }
        functions
    }
}

/// Without its place in the source.
fn plain(timer: &Timer) -> &str {
    timer.name.split_once(" [{").map_or(timer.name.as_str(), |(name, _)| name).trim()
}

/// What is highest in a thread has all of its time.
fn whole(functions: &BTreeMap<&str, TableRow>) -> f64 {
    functions.values().map(|row| row.inclusive).fold(0.0, f64::max)
}

impl fmt::Display for ProfileTables<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut threads: Vec<&ForeignThread> = self.profile.threads.iter().collect();
        threads.sort_by_key(|thread| (thread.node, thread.context, thread.thread));
        let all: Vec<BTreeMap<&str, TableRow>> =
            threads.iter().map(|thread| self.functions(thread)).collect();
        for (thread, functions) in threads.iter().zip(&all) {
            let ForeignThread { node, context, thread: number, events, .. } = thread;
            writeln!(out, "\nNODE {node};CONTEXT {context};THREAD {number}:")?;
            self.write_table(functions, whole(functions), out)?;
            if !events.is_empty() {
                writeln!(out, "{LINE}")?;
                writeln!(
                    out,
                    "\nUSER EVENTS Profile :NODE {node}, CONTEXT {context}, THREAD {number}"
                )?;
                write_events(events, out)?;
            }
        }
        // Of one thread they would say the same again.
        if all.len() > 1 { self.write_summaries(&all, out) } else { Ok(()) }
    }
}

impl ProfileTables<'_> {
    fn write_summaries(
        &self,
        threads: &[BTreeMap<&str, TableRow>],
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let mut by_name: BTreeMap<&str, Vec<TableRow>> = BTreeMap::new();
        for (name, row) in threads.iter().flatten() {
            by_name.entry(*name).or_default().push(*row);
        }
        let count = threads.len() as f64;
        let time: f64 = threads.iter().map(whole).sum();
        let summed = |of: fn(&[TableRow], f64) -> TableRow| {
            let rows = by_name.iter().map(|(name, rows)| (*name, of(rows, count)));
            rows.collect::<BTreeMap<&str, TableRow>>()
        };
        for (title, rows, time) in [
            ("total", summed(|rows, _| TableRow::sum(rows)), time),
            ("mean", summed(|rows, count| TableRow::sum(rows).by(count)), time / count),
            ("stddev", summed(TableRow::deviation), time / count),
        ] {
            writeln!(out, "\nFUNCTION SUMMARY ({title}):")?;
            self.write_table(&rows, time, out)?;
        }
        Ok(())
    }

    /// Those with the most time come first.
    fn write_table(
        &self,
        functions: &BTreeMap<&str, TableRow>,
        whole: f64,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let heading = if self.is_time() { OF_TIME } else { OF_COUNTS };
        writeln!(out, "{LINE}\n{}\n{}\n{LINE}", heading[0], heading[1])?;
        let mut rows: Vec<(&&str, &TableRow)> = functions.iter().collect();
        rows.sort_by(|(_, one), (_, other)| other.inclusive.total_cmp(&one.inclusive));
        for (name, row) in
            rows.into_iter().filter(|(_, row)| row.calls > 0.0 || row.inclusive > 0.0)
        {
            writeln!(out, "{} {name}", row.numbers(whole, self.is_time()))?;
        }
        Ok(())
    }
}

fn write_events(events: &[UserEvent], out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let heading = "NumSamples   MaxValue   MinValue  MeanValue  Std. Dev.  Event Name";
    writeln!(out, "{LINE}\n{heading}\n{LINE}")?;
    let mut events: Vec<&UserEvent> = events.iter().collect();
    events.sort_by(|one, other| one.name.cmp(&other.name));
    for event in events {
        for value in [event.count, event.most, event.least, event.mean, event.deviation()] {
            write!(out, "{:>10} ", general(value, 4))?;
        }
        writeln!(out, " {}", event.name)?;
    }
    writeln!(out, "{LINE}")
}

const LINE: &str =
    "---------------------------------------------------------------------------------------";
const OF_TIME: [&str; 2] = [
    "%Time    Exclusive    Inclusive       #Call      #Subrs  Inclusive Name",
    "              msec   total msec                          usec/call ",
];
const OF_COUNTS: [&str; 2] = [
    "%Time   Exclusive   Inclusive       #Call      #Subrs Count/Call Name",
    "           counts total counts                            ",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign_profile::{ForeignMetric, TimerValue};

    fn timer(name: &str, [calls, subcalls, exclusive, inclusive]: [f64; 4]) -> Timer {
        let values = vec![TimerValue { exclusive, inclusive }];
        Timer { name: name.into(), calls, subcalls, values, ..Timer::default() }
    }

    fn profile(threads: Vec<Vec<Timer>>) -> ForeignProfile {
        let thread = |(node, timers)| ForeignThread { node, timers, ..ForeignThread::default() };
        ForeignProfile {
            metrics: vec![ForeignMetric { name: "TIME".into() }],
            threads: (0..).zip(threads).map(thread).collect(),
            notes: Vec::new(),
        }
    }

    fn shown(profile: &ForeignProfile) -> Vec<String> {
        ProfileTables::of(profile).to_string().lines().map(str::to_owned).collect()
    }

    /// The lines that pprof itself prints of these numbers.
    #[test]
    fn a_thread_is_printed_as_pprof_does() {
        let timers = vec![
            timer(".TAU application", [1.0, 1.0, 38.0, 70_733_442.0]),
            timer("main", [1.0, 4654.0, 9_400.0, 70_733_404.0]),
            timer("step", [27_006.0, 54_012.0, 1_167_000.0, 68_653_000.0]),
            timer("init [{a.c} {3,1}]", [8.0, 0.0, 110.0, 110.0]),
            timer("main => step", [1.0, 0.0, 1.0, 1.0]),
            timer("nothing", [2.5, 0.0, 0.0, 0.0]),
            timer("never", [0.0, 0.0, 0.0, 0.0]),
        ];
        assert_eq!(
            shown(&profile(vec![timers])),
            [
                "",
                "NODE 0;CONTEXT 0;THREAD 0:",
                LINE,
                "%Time    Exclusive    Inclusive       #Call      #Subrs  Inclusive Name",
                "              msec   total msec                          usec/call ",
                LINE,
                "100.0        0.038     1:10.733           1           1   70733442 .TAU application",
                "100.0            9     1:10.733           1        4654   70733404 main",
                " 97.1        1,167     1:08.653       27006       54012       2542 step",
                "  0.0         0.11         0.11           8           0         14 init",
                "  0.0            0            0         2.5           0          0 nothing",
            ]
        );
    }

    #[test]
    fn of_several_threads_there_are_total_mean_and_deviation() {
        let one = timer("f", [3.0, 0.0, 30_000.0, 30_000.0]);
        let other = timer("f", [1.0, 0.0, 50_000.0, 50_000.0]);
        let lines = shown(&profile(vec![vec![one], vec![other]]));
        let last = |title: &str| {
            let title = format!("FUNCTION SUMMARY ({title}):");
            let at = lines.iter().position(|line| *line == title).expect("it is there");
            lines[at + 5].as_str()
        };
        assert_eq!(
            ["total", "mean", "stddev"].map(last),
            [
                "100.0           80           80           4           0      20000 f",
                "100.0           40           40           2           0      20000 f",
                " 25.0           10           10           1           0      20000 f",
            ]
        );
    }

    #[test]
    fn events_stand_beneath_their_thread() {
        let mut profile = profile(vec![vec![timer("f", [1.0, 0.0, 1.0, 1.0])]]);
        profile.threads[0].events = vec![
            UserEvent {
                name: "level".into(),
                count: 5.0,
                most: 698.0,
                least: 8.0,
                mean: 146.0,
                squares: 5.0 * (146.0 * 146.0 + 276.0 * 276.0),
            },
            UserEvent {
                name: "bytes".into(),
                count: 604.0,
                most: 1.6e5,
                least: 1.6e5,
                mean: 1.6e5,
                squares: 604.0 * 2.56e10,
            },
        ];
        let lines = shown(&profile);
        let [.., bytes, level, _] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(
            [bytes, level],
            [
                "       604    1.6E+05    1.6E+05    1.6E+05          0  bytes",
                "         5        698          8        146        276  level",
            ]
        );
    }

    #[test]
    fn counts_are_no_times() {
        let mut profile =
            profile(vec![vec![timer("main() int (int, char **)", [1.0, 1.0, 6.0, 57.0])]]);
        profile.metrics[0].name = "PAPI_L2_DCM".into();
        let lines = shown(&profile);
        assert_eq!(
            lines[6],
            "100.0           6          57           1           1         57 main() int (int, char **)"
        );
    }
}
