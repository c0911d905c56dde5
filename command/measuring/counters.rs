//! `--counters`: the events that the kernel and the processor are to count of each thread.

use whyperf_consultant::Hypotheses;
use whyperf_daemon::{CountedFunction, CounterRefusal, CounterTotals, Daemon};
use whyperf_model::{Counter, Pair, SURE};

use crate::output::report::{
    CountedCode, CountedThread, ReportedCounter, ReportedProcess, rounded,
};

/// The counters of `--counters`; refused with what there is.
pub(crate) fn named(words: &[String]) -> Result<Vec<Counter>, String> {
    // TAU separates them by colons.
    let names = words.iter().flat_map(|word| word.split([',', ':'])).map(str::trim);
    let mut counters = Vec::new();
    for name in names.filter(|name| !name.is_empty()) {
        let counter = name.parse().map_err(|error| format!("cannot count '{name}': {error}"))?;
        add(&mut counters, counter);
    }
    Ok(counters)
}

/// Those, and what pairs and hypotheses need.
pub(crate) fn needed(named: Vec<Counter>, pairs: &[Pair], hypotheses: &Hypotheses) -> Vec<Counter> {
    let mut counters = named;
    let rows = hypotheses.ids().map(|id| hypotheses.row(id));
    let asked = rows.flat_map(|row| [row.numerator, row.denominator]);
    let metrics = pairs.iter().map(|pair| pair.metric).chain(asked);
    metrics.filter_map(Counter::of).for_each(|counter| add(&mut counters, counter));
    counters
}

fn add(counters: &mut Vec<Counter>, counter: Counter) {
    if !counters.contains(&counter) {
        counters.push(counter);
    }
}

/// What is not counted, in a sentence; nothing when all is.
pub(crate) fn refused(refused: &[(Counter, CounterRefusal)]) -> Vec<String> {
    let of = |wanted| {
        let names = refused.iter().filter(|(_, refusal)| *refusal == wanted);
        let names: Vec<&str> = names.map(|(counter, _)| counter.name()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let absent = of(CounterRefusal::Absent).map(|names| {
        format!("This machine has no counter for {names}: of these nothing is known.")
    });
    let forbidden = of(CounterRefusal::Forbidden).map(|names| {
        format!("The system does not allow to count {names} (perf_event_paranoid): of these nothing is known.")
    });
    absent.into_iter().chain(forbidden).collect()
}

/// What was counted so far, for the report.
pub(crate) fn counted(daemon: &Daemon) -> Vec<ReportedCounter> {
    let refused = daemon.refused_counters().iter().map(|(counter, refusal)| ReportedCounter {
        refused: Some(match refusal {
            CounterRefusal::Absent => "this machine has no such counter",
            CounterRefusal::Forbidden => "the system does not allow it",
        }),
        ..ReportedCounter::of(*counter)
    });
    daemon.counted().iter().map(row).chain(refused).collect()
}

fn row(totals: &CounterTotals) -> ReportedCounter {
    let processes = totals.processes.iter().map(|one| ReportedProcess {
        process: one.process.name().to_owned(),
        total: one.amount,
        threads: { one.threads.iter() }
            .map(|(thread, total)| CountedThread {
                thread: thread.name().to_owned(),
                total: *total,
            })
            .collect(),
    });
    ReportedCounter {
        total: Some(totals.amount),
        unplaced: totals.unplaced,
        is_scaled: totals.is_scaled,
        uncounted_s: rounded(totals.uncounted.as_secs_f64()),
        missed_threads: totals.missed,
        processes: processes.collect(),
        functions: totals.functions.iter().map(code).collect(),
        ..ReportedCounter::of(totals.counter)
    }
}

fn code(of: &CountedFunction) -> CountedCode {
    CountedCode {
        function: of.code.to_string(),
        inclusive: of.inclusive.amount,
        inclusive_plus_minus: plus_minus(of.inclusive.error),
        own: of.own.amount,
        own_plus_minus: plus_minus(of.own.error),
    }
}

/// By how much an amount may be off, with 95 of 100.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(crate) fn plus_minus(error: u64) -> f64 {
    rounded((SURE * error as f64).ceil())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Vec<&'static str>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        named(&words).map(|counters| counters.into_iter().map(Counter::name).collect())
    }

    #[test]
    fn counters_are_named_as_perf_papi_or_tau_do() {
        let expected = Ok(vec!["page-faults", "instructions", "cycles"]);
        assert_eq!(read(&["page-faults", "instructions,cycles"]), expected);
        assert_eq!(read(&["PAGE_FAULTS:PAPI_TOT_INS:PAPI_TOT_CYC:faults"]), expected);
        let told = read(&["page-fault"]).expect_err("there is none");
        assert!(told.starts_with("cannot count 'page-fault': there is no counter"), "{told}");
        assert!(told.contains("page-faults, minor-faults"), "{told}");
    }

    #[test]
    fn what_is_not_there_is_named_in_a_sentence() {
        let counter = |name: &str| name.parse::<Counter>().expect("there is one");
        let all = [
            (counter("cycles"), CounterRefusal::Absent),
            (counter("instructions"), CounterRefusal::Absent),
            (counter("cpu-migrations"), CounterRefusal::Forbidden),
        ];
        let told = refused(&all);
        assert!(told[0].starts_with("This machine has no counter for cycles, instructions:"));
        assert!(told[1].contains("cpu-migrations") && told.len() == 2);
        assert!(refused(&[]).is_empty());
    }
}
