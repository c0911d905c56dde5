//! How long verdicts of old are to be held: the shortest time with which each question of a run would have been answered as with the full one.
//!
//! ```text
//!   full hold   false ───────────────────────────────────────────────►   from each of several moments on
//!        5 s    false ───────────────────────────────────────────────►   the same
//!        2 s    true ──── false ─────────────────────────────────────►   taken back: too short, and so is all below
//! ```
//! The questions of the search are judged anew on what was recorded, from the beginning of the run, as those are that directives ask
//! first, and from later moments on, as those are that a search gets to. Nothing depends on how long the run itself held its verdicts:
//! what was learned once is not cut shorter by each run that is led by it.

use std::collections::BTreeMap;

use whyperf_consultant::{
    Directive, Directives, Event, Hindsight, Hypotheses, MeasurementId, Truth, World as _,
};
use whyperf_model::{Focus, Interval, Nanos, Pair, Time};

use super::past::Past;
use super::runs;
use crate::error::StoreError;
use crate::replay::Replay;
use crate::run::{RunId, Verdict};
use crate::store::Store;

/// Without a reason to do otherwise verdicts are held so long.
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
/// Questions are judged from so many moments on at most.
const MOST_STARTS: u64 = 5;

/// What a run says about holding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// What shorter ones were compared with.
    full: Nanos,
    /// The shortest that does; none when no shorter one does.
    shortest: Option<Nanos>,
    /// How many questions say so.
    questions: usize,
}

/// The longest that any run needs.
pub(super) fn choose(pasts: &[Past], lesson: &mut Directives) {
    let told: Vec<&Past> = pasts.iter().filter(|past| past.held.is_some()).collect();
    let all: Vec<Held> = told.iter().filter_map(|past| past.held).collect();
    let Some(longest) = all.iter().filter_map(|held| held.shortest).max() else { return };
    let is_enough = all.iter().all(|held| held.shortest.is_some() || held.full <= longest);
    let full = all.iter().map(|held| held.full).max().unwrap_or(FULL);
    if is_enough && longest < FULL {
        let questions: usize = all.iter().map(|held| held.questions).sum();
        let comment = format!(
            "answers {questions} questions as {} s do, in {}",
            full.as_secs_f64(),
            runs(&told, pasts.len())
        );
        lesson.push(Directive::Hold(longest), Some(comment));
    }
}

impl Store {
    /// Tries how long verdicts of old would have had to be held in a run. A run without a record, or without answers, says nothing.
    ///
    /// # Errors
    /// When the store cannot be read, or the run is gone.
    pub fn try_holds(&self, past: &mut Past, hypotheses: &Hypotheses) -> Result<(), StoreError> {
        let replay = match self.replay(&past.run) {
            Err(StoreError::NoRecord { .. }) => return Ok(()),
            replay => replay?,
        };
        let answered = self.verdicts(&past.run)?;
        let questions = answered.into_iter().filter_map(|verdict| question(&verdict, hypotheses));
        past.held = try_all(replay, questions.collect(), self.own_hold(&past.run)?);
        Ok(())
    }

    /// How long a run held its verdicts itself.
    fn own_hold(&self, run: &RunId) -> Result<Option<Nanos>, StoreError> {
        let facts = self.facts(run)?;
        let value = |name: &str| {
            let fact = facts.iter().find(|fact| fact.topic == "setting" && fact.name == name);
            fact.map(|fact| fact.value.as_str())
        };
        let seconds = value("hold").and_then(|hold| hold.strip_suffix(" s")?.parse().ok());
        let time = seconds.filter(|_| value("verdict") == Some("classic"));
        let time = time.and_then(|time| std::time::Duration::try_from_secs_f64(time).ok());
        Ok(time.and_then(|time| u64::try_from(time.as_nanos()).ok()).map(Nanos))
    }
}

/// A question that was answered, and what has to be measured to answer it again.
struct Question {
    pairs: [Pair; 2],
    seen: Hindsight,
}

fn question(verdict: &Verdict, hypotheses: &Hypotheses) -> Option<Question> {
    let is_answered = verdict.asked > 0 && matches!(verdict.truth.as_str(), "true" | "false");
    let id = hypotheses.named(&verdict.hypothesis).filter(|_| is_answered)?;
    let mut hypothesis = hypotheses.row(id).clone();
    hypothesis.threshold = verdict.threshold;
    let focus: Focus = verdict.focus.parse().ok()?;
    Some(Question { pairs: hypothesis.pairs(&focus).into(), seen: Hindsight::new(hypothesis) })
}

fn try_all(replay: Replay, mut questions: Vec<Question>, own: Option<Nanos>) -> Option<Held> {
    let (run, round) = (replay.length(), replay.longest_round());
    watch(replay, &mut questions);
    let full = FULL.max(own.unwrap_or(FULL)).min(Nanos(run.length().0 / 2));
    let trial = Trial::new(&questions, starts(run, full), full);
    let count = trial.wanted.len();
    // A hold of a single round was never held: the guess had no chance to change.
    let shorter = SHORTER.into_iter().filter(|hold| *hold < full && hold.0 >= 2 * round.0);
    let enough = shorter.take_while(|hold| trial.passes(*hold));
    let shortest = enough.last();
    (count > 0).then_some(Held { full, shortest, questions: count })
}

/// Goes through the run once and shows it to all questions.
fn watch(mut replay: Replay, questions: &mut [Question]) {
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

/// From when on questions are judged: the beginning, and later as long as the full hold fits in twice.
fn starts(run: Interval, full: Nanos) -> Vec<Time> {
    let room = run.length().0.saturating_sub(2 * full.0);
    let apart = full.0.max(room / (MOST_STARTS - 1)).max(1);
    let later = (1..MOST_STARTS).map(|nth| nth * apart).take_while(|after| *after <= room);
    std::iter::once(0).chain(later).map(|after| run.start + Nanos(after)).collect()
}

/// Questions, and what shorter holds must come to.
struct Trial<'a> {
    /// By question and moment: what the full hold came to, wherever it came to anything.
    wanted: Vec<(&'a Hindsight, Vec<(Time, Vec<Truth>)>)>,
}

impl<'a> Trial<'a> {
    fn new(questions: &'a [Question], starts: Vec<Time>, full: Nanos) -> Self {
        let wanted = questions.iter().map(|question| {
            let each = starts.iter().map(|start| (*start, question.seen.verdicts(*start, full)));
            (&question.seen, each.filter(|(_, verdicts)| !verdicts.is_empty()).collect())
        });
        Self { wanted: wanted.filter(|(_, each): &(_, Vec<_>)| !each.is_empty()).collect() }
    }

    /// Whether this hold comes to the same, and takes nothing back that the full one does not.
    fn passes(&self, hold: Nanos) -> bool {
        self.wanted.iter().all(|(seen, each)| {
            each.iter().all(|(start, wanted)| seen.verdicts(*start, hold) == *wanted)
        })
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Category;
    use whyperf_model::matching::{ClassId, Grown, Kind, Seat, SeatId, Tally, Totals};

    use super::super::past::example::past;
    use super::*;
    use crate::record::Record;

    const ROUND: Nanos = Nanos::from_millis(100);

    /// A thread that waits in a barrier for these shares of each round.
    fn waiting(shares: impl IntoIterator<Item = f64>) -> Replay {
        let resource = |name: &str| name.parse().expect("well formed");
        let seat = Seat {
            number: 0,
            rank: Some(0),
            thread: resource("/Process/0/0"),
            process: resource("/Process/0"),
            machine: resource("/Machine/n0"),
        };
        let kind = |category| Kind { category, code: Vec::new(), object: None, own: None };
        let mut record = Record::default();
        for (at, share) in (0..).zip(shares) {
            let start = Time(Nanos(at * ROUND.0));
            let waited = Nanos((share * ROUND.0 as f64) as u64);
            let grown =
                [waited, ROUND - waited].into_iter().enumerate().map(|(kind, time)| Grown {
                    seat: SeatId(0),
                    kind: ClassId(kind as u32),
                    by: Totals { time, visits: 1, ..Totals::default() },
                });
            let is_first = at == 0;
            let kinds = [kind(Category::Barrier), kind(Category::User)];
            record.add(&Tally {
                interval: Interval::new(start, start + ROUND),
                seats: is_first.then_some(seat.clone()).into_iter().collect(),
                kinds: kinds.into_iter().filter(|_| is_first).collect(),
                present: vec![SeatId(0)],
                grown: grown.collect(),
                appeared: is_first.then_some(seat.process.clone()).into_iter().collect(),
                ..Tally::default()
            });
        }
        Replay::new(record, [])
    }

    /// Low at first, then high, then low again, and so on.
    fn swinging(low_s: u64, (high_s, high): (u64, f64)) -> impl Iterator<Item = f64> {
        let period = low_s + high_s;
        (0..900).map(move |at| if at / 10 % period < low_s { 0.0 } else { high })
    }

    fn tried(shares: impl IntoIterator<Item = f64>, own: Option<Nanos>) -> Option<Held> {
        let asked = |truth: &str| Verdict {
            number: 0,
            hypothesis: "ExcessiveSyncWaitingTime".to_owned(),
            focus: "</Code>".to_owned(),
            truth: truth.to_owned(),
            value: None,
            threshold: 0.2,
            confidence: 0.0,
            asked: 1,
            found: None,
            cost: 0.0,
            origin: "search".to_owned(),
        };
        let questions = ["true", "unknown"].map(asked).into_iter();
        let table = Hypotheses::built_in();
        try_all(
            waiting(shares),
            questions.filter_map(|verdict| question(&verdict, &table)).collect(),
            own,
        )
    }

    #[test]
    fn what_is_steady_needs_the_shortest() {
        let held = tried(std::iter::repeat_n(0.5, 900), None).expect("it was answered");
        let shortest = Some(Nanos::from_millis(250));
        assert_eq!(held, Held { full: FULL, shortest, questions: 1 });
    }

    #[test]
    fn what_swings_is_held_until_it_swung_back() {
        // The mean is below the threshold for the first six seconds, and never again.
        let held = tried(swinging(4, (4, 0.6)), None).expect("it was answered");
        assert_eq!(held.shortest, Some(Nanos::from_secs(10)));
        let slower = tried(swinging(14, (26, 1.0)), None).expect("it was answered");
        assert_eq!(slower.shortest, None, "only twenty seconds see it through");
    }

    #[test]
    fn a_later_beginning_counts_as_well() {
        // The beginning alone would be told by the shortest.
        let late = std::iter::repeat_n(0.6, 400).chain(swinging(4, (4, 0.6))).take(900);
        let held = tried(late, None).expect("it was answered");
        assert_eq!(held.shortest, Some(Nanos::from_secs(10)));
    }

    #[test]
    fn what_a_run_held_itself_makes_nothing_shorter() {
        let steady = |own| tried(std::iter::repeat_n(0.5, 900), own).expect("it was answered").full;
        assert_eq!(steady(Some(Nanos::from_secs(2))), FULL);
        assert_eq!(steady(Some(Nanos::from_secs(30))), Nanos::from_secs(30));
        assert_eq!(steady(Some(Nanos::from_secs(300))), Nanos::from_secs(45), "half of the run");
    }

    #[test]
    fn what_nothing_could_answer_says_nothing() {
        assert_eq!(tried([], None), None);
        // On the threshold the mean stays where it was first: nobody is contradicted.
        let held = tried(std::iter::repeat_n(0.2, 20), None).expect("it was answered");
        assert_eq!(held.full, Nanos::from_secs(1));
    }

    #[test]
    fn of_several_runs_the_one_that_needs_most_counts() {
        let seconds = |all: &[(u64, Option<u64>)]| {
            let pasts: Vec<Past> = { all.iter() }
                .map(|(full, shortest)| {
                    let (full, shortest) =
                        (Nanos::from_secs(*full), shortest.map(Nanos::from_secs));
                    let mut past = past("aa", &[]);
                    past.held = Some(Held { full, shortest, questions: 7 });
                    past
                })
                .chain([past("bb", &[])])
                .collect();
            let mut lesson = Directives::default();
            choose(&pasts, &mut lesson);
            lesson.to_string().lines().nth(1).map(str::to_owned)
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
