//! The daemon's answers about functions: which function calls which, which cannot be measured and why.

use whyperf_instrument::{HotProfile, PairTotal};
use whyperf_model::matching::PairId;
use whyperf_model::{Hierarchy, Pair, Resource};

use crate::daemon::Daemon;
use crate::process::Process;
use crate::sampling_pass::SamplingPass;

/// A function that is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedFunction {
    /// Which.
    pub code: Resource,
    /// Why, in a sentence.
    pub reason: String,
}

impl Daemon {
    /// Asks which functions a function calls; the root asks where programs begin. The answer comes
    /// with a later pass.
    pub fn ask_callees(&mut self, of: &Resource) {
        if self.settings.functions {
            self.instrumenter.ask_callees(of.clone());
        } else {
            // That none are known is an answer, too.
            self.instrumenter.tell_no_callees(of.clone());
        }
    }

    /// Functions that a pair asked about and of which nothing can be told.
    #[must_use]
    pub fn refused_functions(&self) -> Vec<RefusedFunction> {
        let all = self.instrumenter.refusals();
        all.map(|(code, reason)| RefusedFunction { code: code.clone(), reason: reason.to_owned() })
            .collect()
    }

    /// The functions in whose own code processes computed, the hottest first, as far as stack samples tell.
    #[must_use]
    pub fn hot_code(&self) -> HotProfile {
        self.instrumenter.hot_code()
    }

    /// What a pair came to that a user named and that needs functions to be on.
    #[must_use]
    pub fn sum(&self, pair: PairId) -> Option<PairTotal> {
        self.instrumenter.sum(pair)
    }

    /// Whether a process waits at its start for functions to be switched on, or the first one is yet
    /// to come: then the next pass should be soon.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        let is_asked = self.instrumenter.is_asked_by_name() || self.counts_events();
        let is_first = || self.processes.is_empty() && is_asked;
        self.processes.iter().any(Process::is_held) || is_first()
    }

    /// What a reader of this pair's amounts should know: what it names that was never there, or why
    /// it was not measured.
    #[must_use]
    pub fn remark(&self, pair: PairId) -> Option<String> {
        if let Some(reason) = self.instrumenter.refusal(pair) {
            return Some(format!("refused: {reason}"));
        }
        let sum = self.sum(pair).unwrap_or_default();
        let silence = self.instrumenter.silence(pair);
        if let Some(reason) = silence.filter(|_| sum.total == 0.0) {
            return Some(reason.to_owned());
        }
        let limits = Some(sum.limits()).filter(|limits| !limits.is_empty());
        let all: Vec<String> =
            self.pair(pair).and_then(|pair| self.unseen(pair)).into_iter().chain(limits).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// What a pair names that was never there.
    fn unseen(&self, pair: &Pair) -> Option<String> {
        let parts = Hierarchy::ALL.into_iter().flat_map(|hierarchy| pair.focus.part(hierarchy));
        let exists = |part: &&Resource| self.instrumenter.exists(part) == Some(true);
        let missing = parts.filter(|part| !self.state.resources.was_met(part) && !exists(part));
        let names: Vec<String> = missing.map(Resource::to_string).collect();
        let verb = if names.len() == 1 { "was" } else { "were" };
        (!names.is_empty()).then(|| format!("{} {verb} never seen in this run", names.join(", ")))
    }

    pub(crate) fn tell_of_functions(&mut self, pass: &mut SamplingPass) {
        let news = self.instrumenter.take_news();
        for code in &news.listed {
            let code = self.state.resources.id(code);
            self.state.resources.hold(code);
        }
        (pass.callees, pass.refused) = (news.callees, news.refused);
        (pass.too_hot, pass.sampled, pass.prices) = (news.too_hot, news.sampled, news.prices);
    }
}
