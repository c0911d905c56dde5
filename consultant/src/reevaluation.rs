//! The re-evaluation of a question whose samples are known: the classic verdicts that another dwell time would have led to.

use whyperf_model::{Nanos, Sample, Time};

use crate::hypothesis::Hypothesis;
use crate::judge::Judge;
use crate::settings::{Classic, Settings, Verdicts};
use crate::stream::{Observation, Stream, StreamSide};
use crate::truth::Truth;

/// All that was seen of a question.
#[derive(Clone, Debug)]
pub struct Reevaluation {
    hypothesis: Hypothesis,
    stream: Stream,
    seen: Vec<Observation>,
}

impl Reevaluation {
    /// Nothing was seen yet.
    #[must_use]
    pub fn new(hypothesis: Hypothesis) -> Self {
        let stream = Stream::new(Settings::default().grain);
        Self { hypothesis, stream, seen: Vec::new() }
    }

    /// Takes in a sample of what the hypothesis asks for.
    pub fn push_numerator(&mut self, sample: &Sample) {
        self.push(StreamSide::Numerator, sample);
    }

    /// Takes in a sample of what that is compared with. Nothing to compare with, as before a process begins, is nothing seen.
    pub fn push_denominator(&mut self, sample: &Sample) {
        if sample.amount > 0 || !self.seen.is_empty() {
            self.push(StreamSide::Denominator, sample);
        }
    }

    /// From now on only this share of the time was measured.
    pub fn thin(&mut self, coverage: f64) {
        self.stream.thin(coverage);
    }

    /// The verdicts one after the other, of a question asked at this moment and with this dwell time.
    #[must_use]
    pub fn verdicts(&self, start: Time, dwell_time: Nanos) -> Vec<Truth> {
        let rules =
            Classic { dwell_true: dwell_time, dwell_false: dwell_time, ..Classic::default() };
        let settings = Settings { verdicts: Verdicts::Classic(rules), ..Settings::default() };
        let mut judge = Judge::new(&self.hypothesis, &settings);
        let from = self.seen.partition_point(|seen| seen.interval.start < start);
        let seen = self.seen[from..].iter();
        let mut verdicts: Vec<Truth> =
            seen.filter_map(|seen| judge.observe(*seen)).map(|ground| ground.truth).collect();
        let last = judge.at_the_end();
        if verdicts.last().is_some_and(|known| *known != last) {
            verdicts.push(last);
        }
        verdicts
    }

    /// Whether its value over all the time lies beyond the threshold by this factor, on either side.
    #[must_use]
    pub fn is_clear(&self, factor: f64) -> bool {
        let sum = |part: fn(&Observation) -> f64| self.seen.iter().map(part).sum::<f64>();
        let ratio = sum(|seen| seen.numerator) / sum(|seen| seen.denominator);
        let value = ratio * self.hypothesis.unit().factor();
        let threshold = self.hypothesis.threshold;
        value > threshold * factor || value * factor < threshold
    }

    fn push(&mut self, side: StreamSide, sample: &Sample) {
        self.stream.push(side, sample);
        self.seen.extend(std::iter::from_fn(|| self.stream.poll()));
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Interval;

    use super::*;
    use crate::hypothesis::Hypotheses;

    /// A program that computes for these shares of each second.
    fn computing(shares: impl IntoIterator<Item = f64>) -> Reevaluation {
        let table = Hypotheses::built_in();
        let id = table.named("CPUbound").expect("it is in the table");
        let mut reevaluation = Reevaluation::new(table.row(id).clone());
        for (at, share) in (0..).zip(shares) {
            let interval = Interval::new(Time::from_secs(at), Time::from_secs(at + 1));
            let sample = |share: f64| Sample::complete(interval, (share * 1e9) as i64, 1);
            reevaluation.push_numerator(&sample(share));
            reevaluation.push_denominator(&sample(1.0));
        }
        reevaluation
    }

    #[test]
    fn each_dwell_time_has_its_verdicts() {
        let late = computing((0..60).map(|at| if at < 10 { 0.0 } else { 0.9 }));
        let verdicts = |dwell_time| late.verdicts(Time::ZERO, Nanos::from_secs(dwell_time));
        assert_eq!(verdicts(5), [Truth::False, Truth::True]);
        assert_eq!(verdicts(20), [Truth::True]);
        assert_eq!(verdicts(60), []);
        assert_eq!(late.verdicts(Time::from_secs(10), Nanos::from_secs(5)), [Truth::True]);
    }

    #[test]
    fn what_was_true_is_looked_back_on_at_the_end() {
        let passing = computing((0..60).map(|at| if at < 10 { 0.9 } else { 0.0 }));
        let verdicts = passing.verdicts(Time::ZERO, Nanos::from_secs(30));
        assert_eq!(verdicts, [Truth::True, Truth::False]);
    }

    #[test]
    fn what_is_near_the_threshold_is_not_clear() {
        let is_clear = |share: f64| computing([share; 10]).is_clear(1.25);
        assert_eq!([0.23, 0.25, 0.36, 0.39].map(is_clear), [true, false, false, true]);
        assert!(!computing([]).is_clear(1.25), "nothing was seen");
    }

    #[test]
    fn the_time_before_a_process_does_not_count() {
        let mut reevaluation = computing([]);
        let interval = Interval::new(Time::ZERO, Time::from_secs(30));
        reevaluation.push_numerator(&Sample::complete(interval, 0, 0));
        reevaluation.push_denominator(&Sample::complete(interval, 0, 0));
        assert_eq!(reevaluation.verdicts(Time::ZERO, Nanos::from_secs(20)), []);
    }
}
