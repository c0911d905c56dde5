//! Requested pairs: `--measure` names them, and they are measured for the whole run, whatever the search does.

use whyperf_daemon::{Daemon, PairId};
use whyperf_model::{Counter, Focus, Metric, Pair, Unit};

use crate::measuring::counters::plus_minus;
use crate::output::report::{ReportedMeasurement, rounded};

/// The pairs of `--measure METRIC FOCUS`, two words each; refused with what to write instead.
pub(crate) fn pairs(words: &[String]) -> Result<Vec<Pair>, String> {
    words.chunks(2).map(pair).collect()
}

/// A metric and a focus, as two words.
pub(crate) fn pair(words: &[String]) -> Result<Pair, String> {
    let [metric, focus] = words else {
        return Err("--measure takes a metric and a focus, as in --measure calls '</Code>'".into());
    };
    let metric: Metric = metric.parse().map_err(|_| {
        let all = Metric::ALL.map(Metric::name).join(", ");
        format!("cannot measure '{metric}': there is no such metric; there are {all}")
    })?;
    let focus = Focus::parse(focus).map_err(|error| {
        format!(
            "cannot measure {metric} at '{focus}': {error}; a focus is written as in \
             '</Code/app.c/work,/Machine,/Process/(0,1),/SyncObject>', what is left out restricts nothing"
        )
    })?;
    Ok(Pair::new(metric, focus))
}

/// The pairs being measured for a run.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    pairs: Vec<PairId>,
}

impl Measure {
    /// Begins to measure them.
    pub(crate) fn start(pairs: &[Pair], daemon: &mut Daemon) -> Self {
        let started = pairs.iter().map(|pair| daemon.start_by_name(pair.metric, &pair.focus));
        Self { pairs: started.collect() }
    }

    /// By how much what counters tell of functions may be off, in the order of [`Measure::taken`]; `None` where it is counted, or not known.
    pub(crate) fn errors(&self, daemon: &mut Daemon) -> Vec<Option<f64>> {
        let error = |id: &PairId| {
            let pair = daemon.pair(*id).cloned()?;
            let counter = Counter::of(pair.metric)?;
            let amount = daemon.over_run(&pair)?;
            let error = plus_minus(amount.error);
            Some(rounded(total(error, counter.metric().definition().unit)))
        };
        self.pairs.iter().map(error).collect()
    }

    /// What came of them so far.
    pub(crate) fn taken(&self, daemon: &Daemon) -> Vec<ReportedMeasurement> {
        self.pairs.iter().filter_map(|id| measured(*id, daemon)).collect()
    }
}

fn measured(id: PairId, daemon: &Daemon) -> Option<ReportedMeasurement> {
    let pair = daemon.pair(id)?;
    let bin = daemon.histogram(id)?.whole();
    let unit = pair.metric.definition().unit;
    let sum = daemon.sum(id);
    let (amount, covered) = match sum {
        Some(sum) => (sum.total, sum.covered),
        None => (whole(bin.amount), bin.covered),
    };
    // What no counter told is not nothing.
    let is_known = Counter::of(pair.metric).is_none() || !covered.is_zero();
    Some(ReportedMeasurement {
        metric: pair.metric.name(),
        focus: pair.focus.to_string(),
        total: is_known.then(|| rounded(total(amount, unit))),
        plus_minus: sum.and_then(|sum| sum.error).map(|error| rounded(total(error, unit))),
        covered_s: rounded(covered.as_secs_f64()),
        note: daemon.remark(id),
        unit: symbol(unit),
    })
}

/// Seconds of what is time; of a state, how long it held.
fn total(amount: f64, unit: Unit) -> f64 {
    match unit {
        Unit::Nanoseconds | Unit::Processes => amount / 1e9,
        Unit::Operations | Unit::Bytes | Unit::Events | Unit::OfProgram => amount,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a report needs no more than 15 digits")]
fn whole(amount: i128) -> f64 {
    amount as f64
}

const fn symbol(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "s",
        Unit::Processes => "process seconds",
        Unit::Operations => "calls",
        Unit::Bytes => "B",
        Unit::Events => "events",
        Unit::OfProgram => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Vec<Pair>, String> {
        pairs(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_pair_is_a_metric_and_a_focus() {
        let two = read(&["calls", "</Code/app.c/f>", "cpu", "</Process/3>"]).expect("well formed");
        assert_eq!(two.len(), 2);
        assert_eq!(two[0].to_string(), "calls </Code/app.c/f,/Machine,/Process,/SyncObject>");
        let set = read(&["calls", "</Code/app.c/(g,f)>"]).expect("well formed");
        let set = set[0].focus.part(whyperf_model::Hierarchy::Code);
        assert_eq!(set.iter().map(|code| code.name()).collect::<Vec<_>>(), ["f", "g"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_write() {
        let metric = read(&["call", "</Code>"]).expect_err("no such metric");
        assert!(metric.contains("'call'") && metric.contains("sync_wait"), "{metric}");
        let focus = read(&["calls", "Code/f"]).expect_err("no focus");
        assert!(focus.contains("column 1") && focus.contains("</Code/app.c/work"), "{focus}");
    }
}
