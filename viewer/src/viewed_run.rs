//! A run that is shown: what is known of it, whichever way it came in, and the documents that tell it.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::time::UNIX_EPOCH;

use tokio::sync::watch;
use whyperf_experiments::RunId;
use whyperf_model::Pair;

use crate::change::RunChange;
use crate::content::{Content, RunHead};
use crate::document::{ChangeDocument, GraphDocument, RunDocument, RunState, VERSION};
use crate::error::ViewError;
use crate::known_bins::KnownBins;
use crate::profile::ProfileDocument;
use crate::rows::MetricRow;
use crate::series::SeriesDocument;
use crate::stored_series::StoredSeries;
use crate::stream::{DataStream, StreamDocument};

/// A run that is shown. It is read and changed from any thread; a change waits for no reader but while a document is made.
#[derive(Debug)]
pub struct ViewedRun {
    content: RwLock<Content>,
    /// Where series come from that were not handed over.
    further: OnceLock<StoredSeries>,
    /// The number of the last change.
    changed: watch::Sender<u64>,
}

/// Which bins of a series are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bins {
    /// All from one of them on.
    From(usize),
    /// All, in at most so many.
    AtMost(usize),
}

impl ViewedRun {
    /// A run that begins.
    #[must_use]
    pub fn live(head: RunHead) -> Self {
        Self::of(Content::new(head, RunState::Searching), None)
    }

    /// A run that is known, of which further series can be had.
    pub(crate) fn known(content: Content, further: StoredSeries) -> Self {
        Self::of(content, Some(further))
    }

    fn of(content: Content, further: Option<StoredSeries>) -> Self {
        let changed = watch::Sender::new(content.as_of);
        let known = OnceLock::new();
        if let Some(further) = further {
            let _ = known.set(further);
        }
        Self { content: RwLock::new(content), further: known, changed }
    }

    /// Takes in a change.
    pub fn apply(&self, change: RunChange) {
        self.change(|content| content.apply(change));
    }

    fn change<T>(&self, change: impl FnOnce(&mut Content) -> T) -> T {
        let mut content = self.content.write().unwrap_or_else(PoisonError::into_inner);
        let answer = change(&mut content);
        let now = content.as_of;
        drop(content);
        self.changed.send_replace(now);
        answer
    }

    /// The run is kept in this store: what was not measured of it is read there from now on.
    pub fn keep_in(&self, store: &Path, run: &RunId) {
        let _ = self.further.set(StoredSeries::new(store, run));
    }

    /// Tells the number of each change as it comes.
    pub(crate) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The run without its search, its series and its profile.
    #[must_use]
    pub fn run(&self) -> RunDocument {
        let content = self.content();
        let head = content.head.clone();
        let [application, experiment, trial] = head.names;
        let all = content.since(0);
        let (hypotheses, directives) = content.lead();
        RunDocument {
            format: FORMAT,
            version: VERSION,
            as_of: all.as_of,
            run: head.run,
            diagnosis_of: head.diagnosis_of,
            application,
            experiment,
            trial,
            started: head.started,
            command: head.command,
            tags: head.tags,
            is_complete: content.is_complete,
            progress: all.progress,
            takes_commands: false,
            report: all.report,
            facts: head.facts,
            objects: head.objects,
            directives,
            resources: all.resources,
            phases: all.phases,
            log: all.log,
            pairs: all.pairs,
            hypotheses,
            metrics: MetricRow::all(),
            streams: all.streams,
        }
    }

    /// The search history graph.
    #[must_use]
    pub fn graph(&self) -> GraphDocument {
        let content = self.content();
        let questions = content.questions();
        GraphDocument { version: VERSION, as_of: content.as_of, questions }
    }

    /// The callpaths, and the messages between ranks.
    #[must_use]
    pub fn profile(&self) -> ProfileDocument {
        self.content().profile.clone()
    }

    /// Adds a stream beside the run; answers with its number.
    pub fn add_stream(&self, stream: DataStream) -> usize {
        self.change(|content| content.add_stream(stream))
    }

    /// Takes lines of a stream, which came so many seconds after the beginning of the run.
    pub fn feed_stream(&self, number: usize, lines: &[String], arrived_s: f64) {
        self.change(|content| content.feed(number, lines, arrived_s));
    }

    /// Takes note of what is wrong with a stream.
    pub fn complain_of_stream(&self, number: usize, what: &str) {
        self.change(|content| content.complain_of(number, what));
    }

    /// When the run began, in seconds since 1970, as far as its head says it.
    #[must_use]
    pub fn began_s(&self) -> f64 {
        let started = humantime::parse_rfc3339_weak(&self.content().head.started).ok();
        let since = started.and_then(|started| started.duration_since(UNIX_EPOCH).ok());
        since.map_or(0.0, |since| since.as_secs_f64())
    }

    /// A stream from one of its records on; none where there is no such stream.
    #[must_use]
    pub fn stream(&self, number: usize, from: usize) -> Option<StreamDocument> {
        self.content().streams().get(number).map(|stream| stream.document(from))
    }

    /// All streams in at most so many records each.
    #[must_use]
    pub fn streams(&self, most: usize) -> Vec<StreamDocument> {
        self.content().streams().iter().map(|stream| stream.thinned(most)).collect()
    }

    /// What changed since another change.
    #[must_use]
    pub fn since(&self, before: u64) -> ChangeDocument {
        self.content().since(before)
    }

    /// Pairs over time; none where one is not known.
    ///
    /// # Errors
    /// When the store of the run cannot be read.
    pub fn series(&self, asked: &[(Pair, Bins)]) -> Result<Vec<Option<SeriesDocument>>, ViewError> {
        let mut all = Vec::with_capacity(asked.len());
        self.each_series(asked, |series| all.push(series))?;
        Ok(all)
    }

    /// Hands over one pair after the other, as [`Self::series`] does: of a thousand pairs no more than one is in memory.
    pub(crate) fn each_series(
        &self,
        asked: &[(Pair, Bins)],
        mut take: impl FnMut(Option<SeriesDocument>),
    ) -> Result<(), ViewError> {
        let mut told = |(pair, bins): &(Pair, Bins), recorded: Option<&KnownBins>| {
            let content = self.content();
            // The record of a run knows a pair over all of it, whenever the search asked for it.
            let known = recorded.map(Cow::Borrowed).or_else(|| content.known_bins(pair));
            take(known.map(|known| match *bins {
                Bins::From(from) => SeriesDocument::of(pair, &known, content.told(), from),
                Bins::AtMost(most) => SeriesDocument::folded(pair, &known, content.told(), most),
            }));
        };
        match self.further.get() {
            Some(further) => {
                let wanted: Vec<&Pair> = asked.iter().map(|(pair, _)| pair).collect();
                further.each(&wanted, |at, recorded| told(&asked[at], recorded))
            }
            None => {
                asked.iter().for_each(|one| told(one, None));
                Ok(())
            }
        }
    }

    fn content(&self) -> RwLockReadGuard<'_, Content> {
        self.content.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of the format of a [`RunDocument`].
const FORMAT: &str = "whyperf-view";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use whyperf_experiments::{Edge, StepRow, StoredVerdict};
    use whyperf_model::{Bin, Focus, Metric, Nanos, Time};

    use super::*;
    use crate::change::SeriesPart;

    fn verdict(number: u64, truth: &str) -> StoredVerdict {
        StoredVerdict {
            number,
            hypothesis: "CPUbound".into(),
            focus: Focus::whole_program().to_string(),
            truth: truth.into(),
            value: Some(0.75),
            threshold: 0.3,
            confidence: 0.99,
            asked: 1,
            found: None,
            cost: 0.0,
            origin: "search".into(),
            split: None,
        }
    }

    fn waits() -> Pair {
        Pair::new(Metric::SyncWait, Focus::whole_program())
    }

    fn change(seconds: u64) -> RunChange {
        RunChange::new(RunState::Searching, Duration::from_secs(seconds))
    }

    fn part(from: usize, width: u64, bins: usize) -> SeriesPart {
        let bin = Bin { amount: 1_000_000, covered: Nanos::from_millis(width), extremes: None };
        SeriesPart {
            pair: waits(),
            part: 0,
            width: Nanos::from_millis(width),
            from,
            bins: vec![bin; bins],
        }
    }

    #[test]
    fn a_change_tells_what_is_new_and_nothing_else() {
        let run = ViewedRun::live(RunHead::default());
        let edge = Edge { parent: 0, child: 1, axis: "Code".into() };
        let step = StepRow { time: Time::from_secs(1), text: "started".into() };
        let first = vec![(0, vec![verdict(0, "true"), verdict(1, "unknown")], vec![edge])];
        run.apply(RunChange { questions: first, steps: vec![step], ..change(1) });
        let before = run.since(0);
        assert_eq!((before.as_of, before.questions.len(), before.log.len()), (1, 2, 1));
        run.apply(RunChange {
            questions: vec![(0, vec![verdict(1, "false")], vec![])],
            ..change(2)
        });
        let news = run.since(before.as_of);
        assert_eq!((news.questions.len(), news.log.len()), (1, 0));
        assert_eq!(news.questions[0].verdict.truth, "false");
        assert_eq!(news.questions[0].parents.len(), 1, "what led to it is known from before");
        assert_eq!(run.graph().questions.len(), 2);
    }

    #[test]
    fn what_is_measured_is_told_when_that_changes_and_nothing_is_in_the_end() {
        let run = ViewedRun::live(RunHead::default());
        let asked = vec![(0, vec![verdict(0, "true"), verdict(1, "unknown")], vec![])];
        run.apply(RunChange { questions: asked, measured: vec![(0, vec![1])], ..change(1) });
        run.apply(RunChange { measured: vec![(0, vec![1])], ..change(2) });
        let told = |before: u64| {
            let questions = run.since(before).questions;
            questions.iter().map(|one| (one.verdict.number, one.active)).collect::<Vec<_>>()
        };
        let (first, second) = (told(0), told(1));
        run.apply(RunChange::new(RunState::Over, Duration::from_secs(3)));
        let told = (first, second, told(2));
        assert_eq!(told, (vec![(0, false), (1, true)], vec![], vec![(1, false)]));
    }

    #[test]
    fn bins_are_added_and_those_that_are_known_fold_with_new_ones() {
        let run = ViewedRun::live(RunHead::default());
        let told = |from| {
            let series = run.series(&[(waits(), Bins::From(from))]).expect("it needs no store");
            series.into_iter().next().flatten().expect("it was handed over")
        };
        run.apply(RunChange { series: vec![part(0, 50, 20)], ..change(1) });
        run.apply(RunChange { series: vec![part(20, 50, 20)], ..change(2) });
        assert_eq!((told(0).amounts.len(), told(30).amounts.len()), (40, 10));
        run.apply(RunChange { series: vec![part(20, 100, 10)], ..change(3) });
        let folded = told(0);
        let amounts = [vec![Some(0.002); 20], vec![Some(0.001); 10]].concat();
        assert_eq!((folded.width_s, folded.amounts), (0.1, amounts));
        assert_eq!(run.since(1).pairs, [], "the pair was known before");
    }
}
