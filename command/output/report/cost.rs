//! What measuring cost: one number with its parts, and what would keep it where it is beyond its limit.

use serde::Serialize;

use super::rounded;
use super::text::counted;

/// What measuring cost, as shares of the program's time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Cost {
    pub(crate) limit: f64,
    /// While the program ran, of the process that paid most: events, functions at rest, pauses, and sampling by the thread that reads.
    pub(crate) mean: f64,
    pub(crate) max: f64,
    /// The part of what the processors had that whyperf's own threads took beside that, while these were busy; `None` where it is not known.
    pub(crate) own: Option<f64>,
    /// Seconds of all threads that were taken off their times; `None` when nothing is.
    pub(crate) compensated_s: Option<f64>,
    /// All of it: the parts that follow, with start and end as shares of the run.
    pub(crate) total: f64,
    /// The program's own events: wrapped calls, regions, functions that are switched on.
    pub(crate) events: f64,
    /// Of them, those of functions: the others cannot be left out, for calls of libraries are always counted.
    #[serde(skip)]
    pub(crate) functions: f64,
    /// Functions that keep a jump and are not switched on.
    pub(crate) at_rest: f64,
    /// Threads that stood still while their stacks were copied.
    pub(crate) pauses: f64,
    /// Reading and decoding code, while processors were busy.
    pub(crate) analysis: f64,
    /// Samples by the kernel; reading, keeping and showing what was measured, while processors were busy.
    pub(crate) sampling: f64,
    /// Seconds before the program began, and after it ended.
    pub(crate) start_s: f64,
    pub(crate) end_s: f64,
    /// What the program itself says of it, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checked: Option<ReportedCheck>,
}

/// By how much slower the program was in stretches that were measured than in stretches that were not.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedCheck {
    /// 0.01: it took 1 % longer. `None` where it is not known.
    pub(crate) slower: Option<f64>,
    pub(crate) plus_minus: Option<f64>,
    /// Pairs of stretches, and those that told nothing.
    pub(crate) pairs: usize,
    pub(crate) left_out: usize,
    /// What its progress is known by, and how often a second that was there without measuring.
    pub(crate) by: Option<String>,
    pub(crate) per_second: Option<f64>,
}

impl ReportedCheck {
    /// In words.
    pub(crate) fn told(&self) -> String {
        let Some(by) = &self.by else {
            return "not checked: the program does nothing steadily, 15 times a second or more, that is seen"
                .to_owned();
        };
        let of = counted(self.pairs - self.left_out, "pair", "pairs");
        match (self.slower, self.plus_minus, self.per_second) {
            (Some(slower), Some(error), Some(rate)) => format!(
                "checked: {:.2} % ± {:.2} % slower while it is measured, by {by} ({rate:.0} a second, {of} of stretches)",
                100.0 * slower,
                100.0 * error
            ),
            _ => format!("not checked: {of} of stretches told something of {by}, too few"),
        }
    }
}

impl Cost {
    /// All of it; of a run that was gone through again only the mean is known.
    pub(crate) fn whole(&self) -> f64 {
        if self.total > 0.0 { self.total } else { self.mean }
    }

    /// Adds the parts up, of a run of so many seconds.
    pub(crate) fn add_up(&mut self, elapsed_s: f64) {
        let around = self.start_s + self.end_s;
        let during: f64 = self.parts().iter().map(|(part, ..)| part).sum();
        self.total = rounded(during + around / elapsed_s.max(around).max(f64::MIN_POSITIVE));
    }

    /// What it is made of, in words; empty where nothing is known of that.
    pub(crate) fn parts_told(&self) -> String {
        let parts = self.parts().into_iter().filter(|(part, ..)| *part >= LEAST);
        let mut told: Vec<String> =
            parts.map(|(part, name, _)| format!("{name} {:.2} %", 100.0 * part)).collect();
        if self.start_s + self.end_s > 0.0 {
            told.push(format!("start {:.2} s and end {:.2} s", self.start_s, self.end_s));
        }
        told.join(", ")
    }

    /// Says that it is beyond the limit, what the largest part of it is, and what would make that smaller.
    pub(crate) fn beyond_limit(&self) -> Option<String> {
        let during = self.parts();
        let around = (self.total - during.iter().map(|(part, ..)| part).sum::<f64>()).max(0.0);
        let around = (around, "start and end", "a longer run has less of them");
        let all = during.into_iter().chain([around]);
        let (part, name, help) = all.max_by(|one, other| one.0.total_cmp(&other.0))?;
        (self.total > self.limit).then(|| {
            let [total, limit, part] = [self.total, self.limit, part].map(|share| 100.0 * share);
            format!(
                "Measuring cost {total:.2} % where {limit:.1} % is the limit. Most of it is {name}, {part:.1} %: {help}."
            )
        })
    }

    fn parts(&self) -> [(f64, &'static str, &'static str); 5] {
        let alone = "--code-search none leaves the program's functions alone";
        [
            (self.events, "events", if self.functions < 0.5 * self.events { CALLS } else { alone }),
            (self.at_rest, "functions at rest", alone),
            (self.pauses, "pauses", alone),
            (self.analysis, "analysis of code", "a second run reads what the first one kept"),
            (self.sampling, "sampling", "--sample 200 reads less often"),
        ]
    }
}

/// What makes events fewer that cannot be switched off.
const CALLS: &str = "calls of libraries are always counted, and fewer ones that do more cost less";
/// Smaller parts are not named.
const LEAST: f64 = 0.000_05;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_and_the_largest_one_is_named_beyond_the_limit() {
        let mut cost = Cost { limit: 0.05, events: 0.01, analysis: 0.02, ..Cost::default() };
        (cost.start_s, cost.end_s) = (0.02, 0.08);
        cost.add_up(10.0);
        assert!((cost.total - 0.04).abs() < 1e-9, "{cost:?}");
        assert_eq!(cost.beyond_limit(), None);
        let told = "events 1.00 %, analysis of code 2.00 %, start 0.02 s and end 0.08 s";
        assert_eq!(cost.parts_told(), told);
        cost.add_up(1.0);
        let said = cost.beyond_limit().expect("a tenth of the run is around it");
        assert!(said.contains("13.00 % where 5.0 %") && said.contains("start and end, 10.0 %"));
        (cost.events, cost.functions) = (0.2, 0.01);
        cost.add_up(1.0);
        let said = cost.beyond_limit().expect("events are a fifth of it");
        assert!(said.ends_with("always counted, and fewer ones that do more cost less."), "{said}");
        cost.functions = 0.15;
        let said = cost.beyond_limit().expect("they still are");
        assert!(said.ends_with("leaves the program's functions alone."), "{said}");
    }
}
