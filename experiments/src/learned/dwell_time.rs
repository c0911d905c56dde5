//! The dwell time of classic verdicts: the shortest with which all questions of a run come to the verdict of the full dwell time, nearly all at once.
//!
//! ```text
//!   full time   false ───────────────────────────────────────────────►   what it came to
//!        5 s    false ───────────────────────────────────────────────►   the same
//!        2 s    true ──── false ─────────────────────────────────────►   taken back: too short, and so is all below, if more than one in fifty are
//! ```
//! The questions of the search are judged again on the recorded samples: from the beginning of the run, as questions that
//! directives ask first, and one dwell time later for each question on the way to them, as in a search without directives.
//! Values near the threshold are true in one run and false in the next, whatever the dwell time, and are ignored. Nothing
//! depends on the dwell time of the run itself: so a learned dwell time does not become shorter with each run that uses it.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::{
    DataSource as _, Directive, Directives, Event, Hypotheses, MeasurementId, Reevaluation,
};
use whyperf_model::{Focus, Nanos, Pair, Time};

use super::earlier_run::EarlierRun;
use super::runs;
use super::tried_dwell_times::TriedDwellTimes;
use crate::error::StoreError;
use crate::replay::Replay;
use crate::run::{CLASSIC_VERDICT, RunId, StoredVerdict};
use crate::store::Store;

/// The dwell time where nothing asks for another one.
const FULL: Nanos = Nanos::from_secs(20);
/// What is tried, from the longest on.
const SHORTER: [Nanos; 6] = [
    Nanos::from_secs(10),
    Nanos::from_secs(5),
    Nanos::from_secs(2),
    Nanos::from_secs(1),
    Nanos::from_millis(500),
    Nanos::from_millis(250),
];
/// Values within this factor of the threshold are near it.
const NEAR: f64 = 1.25;
/// One question in so many may be answered otherwise before it comes to the same.
const RARELY: usize = 50;

/// The longest that any run needs.
pub(super) fn choose(earlier: &[EarlierRun], learned: &mut Directives) {
    let told: Vec<&EarlierRun> =
        earlier.iter().filter(|earlier_run| earlier_run.dwell_times.is_some()).collect();
    let all: Vec<TriedDwellTimes> =
        told.iter().filter_map(|earlier_run| earlier_run.dwell_times).collect();
    let Some(longest) = all.iter().filter_map(|dwell_times| dwell_times.shortest).max() else {
        return;
    };
    let is_enough =
        all.iter().all(|dwell_times| dwell_times.shortest.is_some() || dwell_times.full <= longest);
    let full = all.iter().map(|dwell_times| dwell_times.full).max().unwrap_or(FULL);
    if is_enough && longest < FULL {
        let questions: usize = all.iter().map(|dwell_times| dwell_times.questions).sum();
        let comment = format!(
            "answers {questions} questions as {} s do, in {}",
            (10.0 * full.as_secs_f64()).round() / 10.0,
            runs(&told, earlier.len())
        );
        learned.push(Directive::DwellTime(longest), Some(comment));
    }
}

impl Store {
    /// Tries which dwell time classic verdicts would have needed in a run. A run without a record, or without answers, says nothing.
    ///
    /// # Errors
    /// When the store cannot be read, or the run is gone.
    pub fn try_dwell_times(
        &self,
        earlier_run: &mut EarlierRun,
        hypotheses: &Hypotheses,
    ) -> Result<(), StoreError> {
        let replay = match self.replay(&earlier_run.run) {
            Err(StoreError::NoRecord { .. } | StoreError::BadRecord { .. }) => return Ok(()),
            replay => replay?,
        };
        let answered = self.verdicts(&earlier_run.run)?;
        let depths = depths(earlier_run);
        let questions = answered.iter().filter_map(|verdict| {
            let depth = depths.get(&verdict.number).copied().unwrap_or_default();
            question(verdict, depth, hypotheses)
        });
        earlier_run.dwell_times =
            try_all(replay, questions.collect(), self.own_dwell_time(&earlier_run.run)?);
        Ok(())
    }

    /// The dwell time that the run itself had.
    fn own_dwell_time(&self, run: &RunId) -> Result<Option<Nanos>, StoreError> {
        let facts = self.facts(run)?;
        let value = |name: &str| {
            let fact = facts.iter().find(|fact| fact.topic == "setting" && fact.name == name);
            fact.map(|fact| fact.value.as_str())
        };
        let seconds =
            value("hold").and_then(|dwell_time| dwell_time.strip_suffix(" s")?.parse().ok());
        let time = seconds.filter(|_| value("verdict") == Some(CLASSIC_VERDICT));
        let time = time.and_then(|time| std::time::Duration::try_from_secs_f64(time).ok());
        Ok(time.and_then(|time| u64::try_from(time.as_nanos()).ok()).map(Nanos))
    }
}

/// A question that was answered, and what has to be measured to answer it again.
struct AnsweredQuestion {
    /// How many questions lead to it.
    depth: u64,
    pairs: [Pair; 2],
    seen: Reevaluation,
}

fn question(
    verdict: &StoredVerdict,
    depth: u64,
    hypotheses: &Hypotheses,
) -> Option<AnsweredQuestion> {
    let is_answered = verdict.asked > 0 && matches!(verdict.truth.as_str(), "true" | "false");
    let id = hypotheses.named(&verdict.hypothesis).filter(|_| is_answered)?;
    let mut hypothesis = hypotheses.row(id).clone();
    hypothesis.threshold = verdict.threshold;
    let focus: Focus = verdict.focus.parse().ok()?;
    let pairs = hypothesis.pairs(&focus).into();
    Some(AnsweredQuestion { depth, pairs, seen: Reevaluation::new(hypothesis) })
}

fn try_all(
    replay: Replay,
    mut questions: Vec<AnsweredQuestion>,
    own: Option<Nanos>,
) -> Option<TriedDwellTimes> {
    let (run, pass) = (replay.length(), replay.longest_pass());
    watch(replay, &mut questions);
    let full = FULL.max(own.unwrap_or(FULL)).min(Nanos(run.length().0 / 2));
    questions.retain(|question| {
        question.seen.is_clear(NEAR) && !question.seen.verdicts(run.start, full).is_empty()
    });
    let does = |dwell_time: &Nanos| {
        let answers = || questions.iter().map(|one| one.compared(run.start, *dwell_time, full));
        let others = answers().filter(|answer| *answer != DwellComparison::Same).count();
        answers().all(|answer| answer != DwellComparison::Other)
            && others * RARELY <= questions.len()
    };
    // A dwell time of a single pass is none: the side of the mean had no chance to change.
    let shorter =
        SHORTER.into_iter().filter(|dwell_time| *dwell_time < full && dwell_time.0 >= 2 * pass.0);
    let shortest = shorter.take_while(does).last();
    let questions = questions.len();
    (questions > 0).then_some(TriedDwellTimes { full, shortest, questions })
}

impl AnsweredQuestion {
    /// The verdicts of a dwell time, as against those of the full one: from the beginning of the run, and as late as a search that is not led asks.
    fn compared(&self, begin: Time, dwell_time: Nanos, full: Nanos) -> DwellComparison {
        let led = begin + Nanos(self.depth.saturating_mul(dwell_time.0));
        let of = |start: Time| {
            let (wanted, told) =
                (self.seen.verdicts(start, full), self.seen.verdicts(start, dwell_time));
            match wanted.last() {
                None => DwellComparison::Same,
                Some(_) if told == wanted => DwellComparison::Same,
                last if told.last() == last => DwellComparison::Between,
                Some(_) => DwellComparison::Other,
            }
        };
        of(begin).max(of(led))
    }
}

/// How the verdicts of a dwell time compare with those of the full one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DwellComparison {
    Same,
    /// The same in the end; what was said before is taken back.
    Between,
    Other,
}

/// How many questions lead to each one at least.
fn depths(earlier_run: &EarlierRun) -> BTreeMap<u64, u64> {
    let mut depths = BTreeMap::new();
    let is_first =
        |parents: &[u64]| !parents.iter().any(|one| earlier_run.questions.contains_key(one));
    let firsts = earlier_run.questions.iter().filter(|(_, asked)| is_first(&asked.parents));
    let mut level: BTreeSet<u64> = firsts.map(|(number, _)| *number).collect();
    for depth in 0.. {
        if level.is_empty() {
            break;
        }
        depths.extend(level.iter().map(|number| (*number, depth)));
        let below = earlier_run.questions.iter().filter(|(number, asked)| {
            !depths.contains_key(number) && asked.parents.iter().any(|one| level.contains(one))
        });
        level = below.map(|(number, _)| *number).collect();
    }
    depths
}

/// Goes through the run once and shows it to all questions.
fn watch(mut replay: Replay, questions: &mut [AnsweredQuestion]) {
    let mut numbers = BTreeMap::new();
    // By measurement: the questions of which it is the numerator, and those of which it is the denominator.
    let mut users: Vec<[Vec<usize>; 2]> = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        for (side, pair) in question.pairs.iter().enumerate() {
            let number = *numbers.entry(pair.clone()).or_insert_with(|| {
                let number = users.len();
                replay.start(MeasurementId(u32::try_from(number).unwrap_or(u32::MAX)), pair);
                users.push([Vec::new(), Vec::new()]);
                number
            });
            users[number][side].push(at);
        }
    }
    while let Some(event) = replay.next() {
        match event {
            Event::Sample(id, sample) => {
                let [above, below] = &users[id.0 as usize];
                above.iter().for_each(|at| questions[*at].seen.push_numerator(&sample));
                below.iter().for_each(|at| questions[*at].seen.push_denominator(&sample));
            }
            Event::TooHot(_, id, coverage) => {
                let users = users[id.0 as usize].iter().flatten();
                users.for_each(|at| questions[*at].seen.thin(coverage));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::matching::{
        ClassId, Grown, IntervalRecord, Kind, Location, LocationId, Totals,
    };
    use whyperf_model::{Category, Interval};

    use super::super::earlier_run::example::earlier_run;
    use super::*;
    use crate::record::Record;

    const PASS: Nanos = Nanos::from_millis(100);

    /// A thread that waits in a barrier for these shares of each pass.
    fn waiting(shares: impl IntoIterator<Item = f64>) -> Replay {
        let resource = |name: &str| name.parse().expect("well formed");
        let location = Location {
            number: 0,
            rank: Some(0),
            thread: resource("/Process/0/0"),
            process: resource("/Process/0"),
            machine: resource("/Machine/n0"),
        };
        let kind = |category| Kind { category, code: Vec::new(), object: None, own: None };
        let mut record = Record::default();
        for (at, share) in (0..).zip(shares) {
            let start = Time(Nanos(at * PASS.0));
            let waited = Nanos((share * PASS.0 as f64) as u64);
            let grown = [waited, PASS - waited].into_iter().enumerate().map(|(kind, time)| Grown {
                location: LocationId(0),
                kind: ClassId(kind as u32),
                by: Totals { time, visits: 1, ..Totals::default() },
            });
            let is_first = at == 0;
            let kinds = [kind(Category::Barrier), kind(Category::User)];
            record.add(&IntervalRecord {
                interval: Interval::new(start, start + PASS),
                locations: is_first.then_some(location.clone()).into_iter().collect(),
                kinds: kinds.into_iter().filter(|_| is_first).collect(),
                present: vec![LocationId(0)],
                grown: grown.collect(),
                appeared: is_first.then_some(location.process.clone()).into_iter().collect(),
                ..IntervalRecord::default()
            });
        }
        Replay::new(record, [])
    }

    /// Low at first, then high, then low again, and so on.
    fn swinging(low_s: u64, (high_s, high): (u64, f64)) -> impl Iterator<Item = f64> {
        let period = low_s + high_s;
        (0..900).map(move |at| if at / 10 % period < low_s { 0.0 } else { high })
    }

    fn tried(
        shares: impl IntoIterator<Item = f64>,
        depth: u64,
        own: Option<Nanos>,
    ) -> Option<TriedDwellTimes> {
        tried_among(0, shares, depth, own)
    }

    /// Beside so many questions whose answer is no all the time.
    fn tried_among(
        steady: usize,
        shares: impl IntoIterator<Item = f64>,
        depth: u64,
        own: Option<Nanos>,
    ) -> Option<TriedDwellTimes> {
        let asked = |(hypothesis, truth): (&str, &str)| StoredVerdict {
            number: 0,
            hypothesis: hypothesis.to_owned(),
            focus: "</Code>".to_owned(),
            truth: truth.to_owned(),
            value: None,
            threshold: 0.2,
            confidence: 0.0,
            asked: 1,
            found: None,
            cost: 0.0,
            origin: "search".to_owned(),
            split: None,
        };
        let waits = ["true", "unknown"].map(|truth| ("ExcessiveSyncWaitingTime", truth));
        let others = std::iter::repeat_n(("ExcessiveIOBlockingTime", "false"), steady);
        let questions = waits.into_iter().chain(others).map(asked);
        let table = Hypotheses::built_in();
        try_all(
            waiting(shares),
            questions.filter_map(|verdict| question(&verdict, depth, &table)).collect(),
            own,
        )
    }

    #[test]
    fn what_is_steady_needs_the_shortest() {
        let dwell_times = tried(std::iter::repeat_n(0.5, 900), 5, None).expect("it was answered");
        let shortest = Some(Nanos::from_millis(250));
        assert_eq!(dwell_times, TriedDwellTimes { full: FULL, shortest, questions: 1 });
    }

    #[test]
    fn what_swings_is_held_until_it_swung_back() {
        // The mean is below the threshold for the first six seconds, and never again.
        let dwell_times = tried(swinging(4, (4, 0.6)), 0, None).expect("it was answered");
        assert_eq!(dwell_times.shortest, Some(Nanos::from_secs(10)));
        let slower = tried(swinging(14, (26, 1.0)), 0, None).expect("it was answered");
        assert_eq!(slower.shortest, None, "only twenty seconds see it through");
    }

    #[test]
    fn one_question_in_fifty_may_be_answered_otherwise_at_first() {
        let shortest = |steady, first| {
            let dwell_times =
                tried_among(steady, swinging(4, first), 0, None).expect("it was answered");
            dwell_times.shortest.map(|dwell_time| dwell_time.0 / 1_000_000)
        };
        assert_eq!(shortest(48, (4, 0.6)), Some(10_000));
        assert_eq!(shortest(49, (4, 0.6)), Some(250));
    }

    #[test]
    fn what_a_search_gets_to_late_is_judged_from_then_on() {
        // Steady for forty seconds: eight times five.
        let late = || std::iter::repeat_n(0.6, 400).chain(swinging(4, (4, 0.6))).take(900);
        let shortest = |depth| tried(late(), depth, None).expect("it was answered").shortest;
        assert_eq!(shortest(0), Some(Nanos::from_millis(250)));
        assert_eq!(shortest(8), Some(Nanos::from_secs(10)));
    }

    #[test]
    fn what_a_run_held_itself_makes_nothing_shorter() {
        let steady =
            |own| tried(std::iter::repeat_n(0.5, 900), 0, own).expect("it was answered").full;
        assert_eq!(steady(Some(Nanos::from_secs(2))), FULL);
        assert_eq!(steady(Some(Nanos::from_secs(30))), Nanos::from_secs(30));
        assert_eq!(steady(Some(Nanos::from_secs(300))), Nanos::from_secs(45), "half of the run");
    }

    #[test]
    fn what_nothing_could_answer_says_nothing() {
        assert_eq!(tried([], 0, None), None);
        let near = (0..900).map(|at| if at / 100 % 2 == 0 { 0.17 } else { 0.27 });
        assert_eq!(tried(near, 0, None), None, "on either side in turn");
        let dwell_times = tried(std::iter::repeat_n(0.5, 20), 0, None).expect("it was answered");
        assert_eq!(dwell_times.full, Nanos::from_secs(1));
    }

    #[test]
    fn the_shortest_way_to_a_question_counts() {
        let answers = [(0, vec![]), (1, vec![0]), (2, vec![1]), (3, vec![2, 0]), (4, vec![3])];
        let questions: Vec<(&str, &str, char, f64, &[u64])> = { answers.iter() }
            .map(|(_, parents)| ("CPUbound", "<>", 't', 0.5, &**parents))
            .collect();
        let known: Vec<(u64, u64)> = depths(&earlier_run("aa", &questions)).into_iter().collect();
        assert_eq!(known, [(0, 0), (1, 1), (2, 2), (3, 1), (4, 2)]);
    }

    #[test]
    fn of_several_runs_the_one_that_needs_most_counts() {
        let seconds = |all: &[(u64, Option<u64>)]| {
            let earlier: Vec<EarlierRun> = { all.iter() }
                .map(|(full, shortest)| {
                    let (full, shortest) =
                        (Nanos::from_secs(*full), shortest.map(Nanos::from_secs));
                    let mut earlier_run = earlier_run("aa", &[]);
                    earlier_run.dwell_times =
                        Some(TriedDwellTimes { full, shortest, questions: 7 });
                    earlier_run
                })
                .chain([earlier_run("bb", &[])])
                .collect();
            let mut learned = Directives::default();
            choose(&earlier, &mut learned);
            learned.to_string().lines().nth(1).map(str::to_owned)
        };
        let said = seconds(&[(20, Some(1)), (20, Some(5))]).expect("both say so");
        let comment = "answers 14 questions as 20 s do, in 2 of 3 runs (aa000000, aa000000)";
        assert_eq!(said, format!("hold      5 s  # {comment}"));
        assert_eq!(seconds(&[(20, Some(1)), (20, None)]), None, "one needs all of it");
        assert!(seconds(&[(20, Some(2)), (1, None)]).is_some(), "one that is shorter than that");
        assert_eq!(seconds(&[(1, None)]), None);
        assert_eq!(seconds(&[(60, Some(20))]), None, "as without a directive");
        assert_eq!(seconds(&[]), None);
    }
}
