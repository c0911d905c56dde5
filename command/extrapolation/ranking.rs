//! Which variant is best where: an order for each setting, and the points at which the best one changes.

use serde_json::{Value, json};

use crate::extrapolation::extrapolated::ExtrapolatedRun;
use crate::extrapolation::sweep::{AxisValue, Setting};

/// The variants of one setting, the fastest first.
#[derive(Debug)]
pub(crate) struct Ranking<'r> {
    pub(crate) setting: &'r Setting,
    pub(crate) order: Vec<&'r ExtrapolatedRun>,
}

/// A change of the best variant between two neighbouring values of a parameter.
#[derive(Debug)]
pub(crate) struct Crossover<'r> {
    pub(crate) parameter: &'r str,
    pub(crate) from: AxisValue,
    pub(crate) to: AxisValue,
    pub(crate) before: &'r str,
    pub(crate) after: &'r str,
}

/// One for each setting that more than one variant ran with.
pub(crate) fn rankings(runs: &[ExtrapolatedRun]) -> Vec<Ranking<'_>> {
    let mut all: Vec<Ranking<'_>> = Vec::new();
    for run in runs.iter().filter(|run| run.complaints.is_empty()) {
        match all.iter_mut().find(|ranking| *ranking.setting == run.setting) {
            Some(ranking) => ranking.order.push(run),
            None => all.push(Ranking { setting: &run.setting, order: vec![run] }),
        }
    }
    all.retain(|ranking| ranking.order.len() > 1);
    // Equal ones stay in the order in which they were named.
    all.iter_mut().for_each(|ranking| {
        ranking.order.sort_by(|one, other| one.elapsed_s.total_cmp(&other.elapsed_s));
    });
    all
}

/// Where the best variant changes, along each parameter while all others stay.
pub(crate) fn crossovers<'r>(rankings: &[Ranking<'r>]) -> Vec<Crossover<'r>> {
    let mut found = Vec::new();
    for (at, before) in rankings.iter().enumerate() {
        for (place, (parameter, from)) in before.setting.0.iter().enumerate() {
            let is_next = |after: &&Ranking<'_>| {
                let places = before.setting.0.iter().zip(&after.setting.0).enumerate();
                places.into_iter().all(|(other, (one, two))| (other == place) != (one == two))
            };
            let Some(after) = rankings[at + 1..].iter().find(is_next) else { continue };
            let best = [before, after].map(|ranking| ranking.order[0].variant.as_str());
            if best[0] != best[1] {
                let (_, to) = after.setting.0[place];
                let [before, after] = best;
                found.push(Crossover { parameter, from: *from, to, before, after });
            }
        }
    }
    found
}

impl Ranking<'_> {
    pub(crate) fn as_json(&self) -> Value {
        let one =
            |run: &&ExtrapolatedRun| json!({ "variant": run.variant, "elapsed_s": run.elapsed_s });
        json!({
            "set": self.setting.as_json(),
            "order": self.order.iter().map(one).collect::<Vec<_>>(),
        })
    }
}

impl Crossover<'_> {
    pub(crate) fn as_json(&self) -> Value {
        json!({
            "parameter": self.parameter,
            "from": self.from.to_string(),
            "to": self.to.to_string(),
            "before": self.before,
            "after": self.after,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{crossovers, rankings};
    use crate::extrapolation::extrapolated::ExtrapolatedRun;
    use crate::extrapolation::sweep::{AxisValue, Setting};

    fn run(variant: &str, processors: u32, elapsed_s: f64) -> ExtrapolatedRun {
        let set = ("processors".to_owned(), AxisValue::Number(f64::from(processors)));
        ExtrapolatedRun {
            variant: variant.to_owned(),
            setting: Setting(vec![set]),
            ranks: processors,
            processors,
            elapsed_s,
            compute_s: 0.0,
            communication_s: 0.0,
            barrier_s: 0.0,
            processor_wait_s: 0.0,
            leading: None,
            guess: None,
            is_complete: true,
            complaints: Vec::new(),
        }
    }

    #[test]
    fn the_best_one_changes_between_two_neighbours() {
        let runs = [
            run("rows", 1, 8.0),
            run("rows", 2, 4.0),
            run("rows", 4, 3.0),
            run("squares", 1, 9.0),
            run("squares", 2, 4.5),
            run("squares", 4, 2.5),
        ];
        let all = rankings(&runs);
        let best: Vec<&str> = all.iter().map(|one| one.order[0].variant.as_str()).collect();
        assert_eq!(best, ["rows", "rows", "squares"]);
        let crossovers = crossovers(&all);
        let [only] = &crossovers[..] else { panic!("{crossovers:?}") };
        let ends = [only.from, only.to].map(|value| value.to_string());
        assert_eq!(
            (only.before, only.after, ends),
            ("rows", "squares", ["2", "4"].map(str::to_owned))
        );
    }

    #[test]
    fn a_run_that_did_not_end_is_not_ranked() {
        let mut stuck = run("rows", 1, 1.0);
        stuck.complaints.push("deadlock".to_owned());
        assert!(rankings(&[stuck, run("squares", 1, 2.0)]).is_empty());
    }
}
