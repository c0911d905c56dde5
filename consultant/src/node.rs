//! A question of the search: its answer, and what is being done about it.
//!
//! ```text
//!                  start                        stop
//!        Idle ─────────────► Measured ─────────────────► Idle
//!         │                     │
//!         │ close               │ stop, then close: refused, too hot to tell, or its resource is gone
//!         ▼                     ▼
//!       Closed ◄────────────── Idle
//!         │
//!         └── reopen: its resource came back ──► Idle
//! ```
//!
//! Only an idle node is started, so that one that is closed is never measured. Whether an idle node waits to be measured is known to the
//! queue, which alone orders those that wait. A verdict that comes before any caller's is kept as the *early* verdict of a measured
//! node, and falls with the measurement.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Focus, Hierarchy, Interval, Nanos, Time};

use crate::hypothesis::HypothesisId;
use crate::judge::{Judge, VerdictGround};
use crate::request::MeasurementId;
use crate::run_amount::RunRatio;
use crate::series::Series;
use crate::step::Origin;
use crate::stream::Stream;
use crate::truth::Truth;

/// A node's place in the order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub usize);

/// Along which axis one question led to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RefinementAxis {
    /// A more precise hypothesis.
    Why,
    /// A part of the focus.
    Where(Hierarchy),
}

/// A question, its answer, and what is being done about it.
#[derive(Debug)]
pub(crate) struct PairNode {
    pub(crate) hypothesis: HypothesisId,
    pub(crate) focus: Focus,
    /// What holds it beside its parents.
    pub(crate) root: Root,
    /// Where the idea came from.
    pub(crate) origin: Origin,
    pub(crate) truth: Truth,
    pub(crate) judge: Judge,
    pub(crate) stream: Stream,
    /// What was observed, to be compared with other nodes.
    pub(crate) series: Series,
    /// Its amounts over all of the run, once that is over and where they are known.
    pub(crate) over_run: Option<RunRatio>,
    /// The same where it stayed undecided.
    pub(crate) candidate: Option<RunRatio>,
    state: PairNodeState,
    /// When it became true, and on which ground.
    pub(crate) found: Option<(Time, VerdictGround)>,
    pub(crate) refined: Refined,
    /// How often it was asked, and when it is to be asked again.
    pub(crate) asked: u32,
    pub(crate) retest: Option<Time>,
    /// It is measured in windows, and how.
    pub(crate) throttle: Option<Throttle>,
    /// Stack samples tell of it, each of which stands for so much running time.
    pub(crate) sampled: Option<Nanos>,
    /// It cannot be told: what it calls is asked about in its place.
    pub(crate) is_transparent: bool,
    pub(crate) parents: BTreeSet<NodeId>,
    pub(crate) children: BTreeMap<NodeId, RefinementAxis>,
    pub(crate) true_parents: usize,
}

/// Whether a question is asked whatever its parents say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Root {
    /// It is asked as long as a true parent leads to it.
    #[default]
    No,
    /// It is asked whatever its parents say, and measured on when false.
    Always,
    /// The same of one process, from the beginning.
    PerProcess,
    /// Asked of one host from the beginning; a false verdict stops it.
    PerHost,
}

/// What is being done about a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum PairNodeState {
    /// Nothing, or it waits in the queue.
    #[default]
    Idle,
    /// It is measured.
    Measured(Measuring),
    /// It is given up: the data source cannot measure it, or its resource is gone.
    Closed {
        /// Why it has no answer, if that is sure.
        reason: Option<String>,
    },
}

/// How a question is measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measuring {
    pub(crate) numerator: MeasurementId,
    pub(crate) denominator: MeasurementId,
    /// Since when, this time.
    pub(crate) since: Time,
    /// A verdict that came before any of its callers'.
    pub(crate) early: Option<VerdictGround>,
}

/// What is known of a pair that is passed too often to be measured all the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Throttle {
    /// Since when.
    pub(crate) since: Time,
    /// The share of the time that its windows cover.
    pub(crate) coverage: f64,
}

/// How far a node's refinement got: hierarchies of the first stage, and those that come last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Refined {
    pub(crate) first: Option<Time>,
    pub(crate) last: bool,
    /// What of it was done: more precise hypotheses, parts.
    pub(crate) whys: bool,
    pub(crate) wheres: bool,
}

/// A hypothesis at the parts that a focus has along a hierarchy.
pub(crate) type PartsKey = (HypothesisId, Hierarchy, Focus);

/// The hierarchy along which a focus names some of the program's processes; a process that runs on a machine is a process.
pub(crate) fn divided(focus: &Focus) -> Option<Hierarchy> {
    [Hierarchy::Process, Hierarchy::Machine].into_iter().find(|one| !focus.is_root(*one))
}

impl Root {
    /// Whether it is asked whatever its parents say.
    pub(crate) const fn is_root(self) -> bool {
        !matches!(self, Self::No)
    }

    /// Whether it asks one process or one host from the beginning.
    pub(crate) const fn is_single(self) -> bool {
        matches!(self, Self::PerProcess | Self::PerHost)
    }
}

impl PairNode {
    /// A question that was not asked yet.
    pub(crate) fn new(
        (hypothesis, focus): (HypothesisId, Focus),
        judge: Judge,
        stream: Stream,
    ) -> Self {
        Self {
            hypothesis,
            focus,
            root: Root::No,
            origin: Origin::Search,
            truth: Truth::Unknown,
            judge,
            stream,
            series: Series::default(),
            over_run: None,
            candidate: None,
            state: PairNodeState::Idle,
            found: None,
            refined: Refined::default(),
            asked: 0,
            retest: None,
            throttle: None,
            sampled: None,
            is_transparent: false,
            parents: BTreeSet::new(),
            children: BTreeMap::new(),
            true_parents: 0,
        }
    }

    /// Idle to measured. Its evidence comes in another stream from now on.
    pub(crate) fn start(&mut self, measuring: Measuring, stream: Stream) {
        debug_assert!(self.is_idle(), "only an idle node is started");
        self.state = PairNodeState::Measured(measuring);
        self.stream = stream;
        self.throttle = None;
        self.asked += 1;
        self.retest = None;
    }

    /// Measured to idle; tells how it was measured. A node in another state stays in it.
    pub(crate) fn stop(&mut self) -> Option<Measuring> {
        match std::mem::take(&mut self.state) {
            PairNodeState::Measured(measuring) => Some(measuring),
            state => {
                self.state = state;
                None
            }
        }
    }

    /// Idle to closed. One that was closed keeps its reason.
    pub(crate) fn close(&mut self) {
        debug_assert!(!self.is_measured(), "a measured node is stopped first");
        if !self.is_closed() {
            self.state = PairNodeState::Closed { reason: None };
        }
    }

    /// Why a closed node has no answer.
    pub(crate) fn explain(&mut self, why: String) {
        if let PairNodeState::Closed { reason } = &mut self.state {
            *reason = Some(why);
        }
    }

    /// Closed to idle.
    pub(crate) fn reopen(&mut self) {
        debug_assert!(self.is_closed(), "only what is closed is opened again");
        self.state = PairNodeState::Idle;
    }

    /// Keeps a verdict until a caller's comes.
    pub(crate) fn keep_early(&mut self, ground: VerdictGround) {
        if let PairNodeState::Measured(measuring) = &mut self.state {
            measuring.early = Some(ground);
        }
    }

    /// The verdict that was kept.
    pub(crate) fn take_early(&mut self) -> Option<VerdictGround> {
        match &mut self.state {
            PairNodeState::Measured(measuring) => measuring.early.take(),
            _ => None,
        }
    }

    /// The parts beside each other that it is one of; none where it names no process or machine, or several.
    pub(crate) fn parts_key(&self) -> Option<PartsKey> {
        let hierarchy = divided(&self.focus)?;
        let [part] = self.focus.part(hierarchy) else { return None };
        Some((self.hypothesis, hierarchy, self.focus.with(hierarchy, part.parent()?)))
    }

    /// Its value over all of the run, or else over all the time that it was measured, and from when to when that is; none when nothing
    /// was seen.
    pub(crate) fn value(&self) -> Option<(f64, Interval)> {
        match self.over_run {
            Some(run) => Some((self.judge.value_of(run), run.interval)),
            None => Some((self.judge.value()?, self.series.span())),
        }
    }

    /// By how much that may be off, with 95 of 100, where it is an estimate by stack samples.
    pub(crate) fn error(&self) -> Option<f64> {
        match self.over_run {
            Some(run) => self.judge.error_of(run),
            None => self.judge.error_by(self.sampled?),
        }
    }

    /// How it is measured, if it is.
    pub(crate) const fn measuring(&self) -> Option<&Measuring> {
        match &self.state {
            PairNodeState::Measured(measuring) => Some(measuring),
            _ => None,
        }
    }

    /// Why it has no answer, if that is sure.
    pub(crate) fn reason(&self) -> Option<&str> {
        match &self.state {
            PairNodeState::Closed { reason } => reason.as_deref(),
            _ => None,
        }
    }

    pub(crate) const fn is_idle(&self) -> bool {
        matches!(self.state, PairNodeState::Idle)
    }

    pub(crate) const fn is_measured(&self) -> bool {
        matches!(self.state, PairNodeState::Measured(_))
    }

    pub(crate) const fn is_closed(&self) -> bool {
        matches!(self.state, PairNodeState::Closed { .. })
    }

    /// Whether a verdict is worth waiting for: windows take their time, and what is closed has none.
    pub(crate) const fn is_awaited(&self) -> bool {
        !self.is_closed() && self.throttle.is_none()
    }

    /// The share of the time that is measured.
    pub(crate) fn coverage(&self) -> f64 {
        self.throttle.map_or(1.0, |throttle| throttle.coverage)
    }

    /// Whether anything holds it alive.
    pub(crate) const fn is_held(&self) -> bool {
        self.root.is_root() || self.true_parents > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypothesis::Hypotheses;
    use crate::settings::Settings;

    fn node() -> PairNode {
        let table = Hypotheses::built_in();
        let judge = Judge::new(table.row(HypothesisId(0)), &Settings::default());
        PairNode::new((HypothesisId(0), Focus::whole_program()), judge, Stream::new(Nanos::ZERO))
    }

    fn measuring() -> Measuring {
        let [numerator, denominator] = [1, 2].map(MeasurementId);
        Measuring { numerator, denominator, since: Time::ZERO, early: None }
    }

    #[test]
    fn an_early_verdict_falls_with_the_measurement() {
        let mut node = node();
        let ground =
            VerdictGround { truth: Truth::True, value: 0.5, confidence: 0.9, since: Time::ZERO };
        node.keep_early(ground);
        assert!(node.take_early().is_none(), "an idle node has no verdict to keep");
        node.start(measuring(), Stream::new(Nanos::ZERO));
        node.keep_early(ground);
        assert!(node.stop().is_some_and(|was| was.early.is_some()));
        assert!(node.stop().is_none() && node.take_early().is_none() && node.is_idle());
        assert_eq!(node.asked, 1);
    }

    #[test]
    fn what_is_closed_keeps_its_reason_until_it_is_opened_again() {
        let mut node = node();
        node.explain("not closed".to_owned());
        assert_eq!(node.reason(), None);
        node.close();
        assert!(node.is_closed() && node.reason().is_none(), "its resource is gone");
        node.explain("it is too short".to_owned());
        node.close();
        assert_eq!(node.reason(), Some("it is too short"));
        assert!(node.stop().is_none() && node.is_closed(), "it was not measured");
        node.reopen();
        assert!(node.is_idle() && node.reason().is_none());
    }
}
