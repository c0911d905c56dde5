//! Processes beside each other: which of them changed otherwise than the others of the same run.
//!
//! ```text
//!   what a process comes to in a trial  =  what it has to do  ×  what the machine did to the trial  ×  the rest
//! ```
//! A busy machine makes all processes of a trial slower by some percent, in which one that computes a fifth more is lost. What it did to a
//! trial is the median, over the processes, of what each came to by what it comes to in all trials: the median of ratios by which DESeq makes
//! libraries of genes comparable. Beside it most processes vary by two or three percent, and their calls of a function by less than one.
//!
//! The rest is tested by the moderated t-test of limma. Processes do the same on the same machine, so how the others vary tells how this one may
//! vary, and one trial in which it was held up does not hide what the others show. Its variance is its own, together with that of all
//! processes, which has the weight of all but two of them. Of two processes each varies as the other.
//!
//! Sources: Anders and Huber, *Differential expression analysis for sequence count data*, 2010; Smyth, *Linear models and empirical Bayes
//! methods for assessing differential expression in microarray experiments*, 2004.

use whyperf_model::{Focus, Hierarchy, Metric};

use super::shifted_part::ShiftedPart;
use crate::program_event::{Delta, EventGroup, LogGrowth, PerformanceResults, Trials};

/// The processes at a focus that changed beside the others; none where the operands have not the same ones.
pub(super) fn shifted_processes(
    group: &EventGroup,
    (metric, focus): (Metric, &Focus),
    (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    delta: &Delta,
) -> Vec<ShiftedPart> {
    let foci = group.magnify_in(focus, Hierarchy::Process);
    let is_of_both = |focus: &Focus| {
        let processes = focus.part(Hierarchy::Process).iter();
        processes.map(|one| group.label(one)).all(|label| label == group.everybody())
    };
    // Among more processes each has a smaller part, which tells nothing.
    if foci.len() < 2 || !foci.iter().all(is_of_both) {
        return Vec::new();
    }
    let amounts = [known_trials(a, metric, &foci), known_trials(b, metric, &foci)];
    let Some(siblings) = Siblings::of(&amounts) else { return Vec::new() };
    let delta = delta.divided(foci.len());
    let processes = foci.iter().zip(&siblings.processes).enumerate();
    let shifted = |(position, (focus, process)): (usize, (&Focus, &[Trials; 2]))| {
        let growth = siblings.growth(process)?;
        let of = |trials: &Vec<Vec<f64>>| trials.iter().map(|trial| trial[position]).collect();
        let amounts = [of(&amounts[0]), of(&amounts[1])];
        delta.is_growth(&growth).then(|| ShiftedPart::beside(metric, focus, amounts, growth.growth))
    };
    processes.filter_map(shifted).collect()
}

/// By trial, what each process came to; without trials in which one of them came to nothing, or is not known.
fn known_trials(of: &mut dyn PerformanceResults, metric: Metric, foci: &[Focus]) -> Vec<Vec<f64>> {
    let processes: Vec<Vec<Option<f64>>> =
        foci.iter().map(|focus| of.by_trial(metric, focus)).collect();
    let trials = processes.iter().map(Vec::len).min().unwrap_or_default();
    let positive = |amount: Option<f64>| amount.filter(|amount| *amount > 0.0);
    let trial = |number| processes.iter().map(|process| positive(process[number])).collect();
    (0..trials).filter_map(trial).collect()
}

/// Logarithms of what each process came to, without what it has to do and what the machine did to the trials.
struct Siblings {
    /// By process, for each operand.
    processes: Vec<[Trials; 2]>,
    /// The variance of all processes; none of single trials.
    variance: Option<f64>,
    /// By how many trials there are more than one on each side.
    freedom: f64,
}

impl Siblings {
    /// None where an operand has no trial.
    fn of(amounts: &[Vec<Vec<f64>>; 2]) -> Option<Self> {
        let [in_a, in_b] = amounts;
        let count = in_a.first().zip(in_b.first()).map(|(trial, _)| trial.len())?;
        let all = || in_a.iter().chain(in_b);
        let usual = |position: usize| all().map(|trial| trial[position].ln()).collect::<Trials>();
        let usual: Vec<f64> = (0..count).filter_map(|position| usual(position).mean()).collect();
        let rests = |trial: &Vec<f64>| {
            let beyond = trial.iter().zip(&usual).map(|(amount, usual)| amount.ln() - usual);
            let beyond: Vec<f64> = beyond.collect();
            let machine = median(&beyond);
            beyond.into_iter().map(|one| one - machine).collect::<Vec<f64>>()
        };
        let rests = [in_a, in_b].map(|of| of.iter().map(rests).collect::<Vec<_>>());
        let of = |trials: &Vec<Vec<f64>>, position: usize| {
            trials.iter().map(|trial| trial[position]).collect::<Trials>()
        };
        let process = |position| [of(&rests[0], position), of(&rests[1], position)];
        let processes: Vec<[Trials; 2]> = (0..count).map(process).collect();
        let freedom = in_a.len() + in_b.len() - 2;
        let freedom = f64::from(u32::try_from(freedom).unwrap_or(u32::MAX));
        let squares: f64 = processes.iter().map(squares).sum();
        // The median of each trial was estimated from the same processes.
        let others = f64::from(u32::try_from(count - 1).unwrap_or(u32::MAX));
        let variance = (freedom > 0.0).then(|| squares / (others * freedom));
        Some(Self { processes, variance, freedom })
    }

    /// By how much a process grew beside the others.
    fn growth(&self, process: &[Trials; 2]) -> Option<LogGrowth> {
        let [a, b] = process;
        let growth = b.mean()? - a.mean()?;
        let count = f64::from(u32::try_from(self.processes.len()).unwrap_or(u32::MAX));
        let of_others = (count - 2.0) * self.freedom;
        let freedom = of_others + self.freedom;
        let variance = self.variance.map(|all| (of_others * all + squares(process)) / freedom);
        let error = variance.map(|one| (one * (1.0 / a.count() + 1.0 / b.count())).sqrt());
        Some(LogGrowth { growth, error, freedom })
    }
}

/// The sum of squares about the means of both operands.
fn squares(process: &[Trials; 2]) -> f64 {
    let of = |trials: &Trials| trials.variance().map(|variance| variance * (trials.count() - 1.0));
    process.iter().filter_map(of).sum()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (upper, lower) = (sorted.len() / 2, sorted.len().saturating_sub(1) / 2);
    let [lower, upper] = [lower, upper].map(|at| sorted.get(at).copied().unwrap_or_default());
    f64::midpoint(lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program_event::{ProgramEvent, StatedResults};

    const SURE: Delta = Delta::Statistical { confidence: 0.999, least: 0.02 };

    /// The processes that changed, of amounts by process and trial.
    fn shifted(a: &[&[f64]], b: &[&[f64]], delta: &Delta) -> Vec<String> {
        let of = |processes: &[&[f64]]| {
            let line = |(rank, trials): (usize, &&[f64])| {
                let trials: Vec<String> = trials.iter().map(|one| format!("{one} s")).collect();
                format!("cpu </Process/{rank}> {}", trials.join(", "))
            };
            let lines: Vec<String> = processes.iter().enumerate().map(line).collect();
            let text = format!("whyperf results 1\n{}", lines.join("\n"));
            StatedResults::parse(&text).expect("well formed")
        };
        let (mut a, mut b) = (of(a), of(b));
        let events: [ProgramEvent; 2] = [a.event(), b.event()];
        let group = EventGroup::of_all(&events).expect("two");
        let at = (Metric::Cpu, &Focus::whole_program());
        let found = shifted_processes(&group, at, (&mut a, &mut b), delta);
        let name =
            |one: ShiftedPart| one.difference.focus.part(Hierarchy::Process)[0].path().to_owned();
        found.into_iter().map(name).collect()
    }

    const EVEN: &[&[f64]] = &[
        &[10.0, 13.0, 9.1, 11.1, 10.2],
        &[10.2, 13.1, 9.0, 11.0, 10.0],
        &[10.1, 12.8, 9.2, 10.9, 10.1],
        &[9.9, 13.2, 9.1, 11.2, 9.9],
    ];

    #[test]
    fn one_that_was_held_up_once_is_found_where_the_sum_tells_nothing() {
        // The last one computes a fifth more, and in one trial it was spared.
        let slow: &[f64] = &[11.9, 15.7, 10.9, 11.4, 12.1];
        let after = [EVEN[0], EVEN[1], EVEN[2], slow];
        assert_eq!(shifted(EVEN, &after, &SURE), ["/Process/3"]);
        assert_eq!(shifted(EVEN, EVEN, &SURE), Vec::<String>::new());
    }

    #[test]
    fn what_the_machine_does_to_a_whole_trial_is_no_difference() {
        let slower: Vec<Vec<f64>> =
            EVEN.iter().map(|trials| trials.iter().map(|one| one * 1.3).collect()).collect();
        let slower: Vec<&[f64]> = slower.iter().map(Vec::as_slice).collect();
        assert_eq!(shifted(EVEN, &slower, &SURE), Vec::<String>::new());
    }

    #[test]
    fn exact_counts_need_no_trials_to_vary() {
        let count: &[&[f64]] = &[&[800.0, 800.0], &[800.0, 800.0], &[800.0, 800.0]];
        let more: &[&[f64]] = &[&[800.0, 800.0], &[800.0, 800.0], &[960.0, 960.0]];
        assert_eq!(shifted(count, more, &SURE), ["/Process/2"]);
        let single = [&[800.0][..], &[800.0], &[960.0]];
        let before = [&[800.0][..], &[800.0], &[800.0]];
        assert_eq!(shifted(&before, &single, &Delta::Relative(0.1)), ["/Process/2"]);
        assert_eq!(shifted(&before, &single, &SURE), Vec::<String>::new());
    }

    #[test]
    fn other_processes_and_those_that_do_nothing_are_not_compared() {
        assert_eq!(shifted(&EVEN[..2], EVEN, &SURE), Vec::<String>::new());
        let idle: &[&[f64]] = &[&[1.0, 1.0], &[0.0, 0.0]];
        let busy: &[&[f64]] = &[&[2.0, 2.0], &[0.0, 0.0]];
        assert_eq!(shifted(idle, busy, &SURE), Vec::<String>::new());
    }
}
