//! Speculation: measures in advance, so that a deep chain of calls, of code and objects, does not take the time of one
//! verdict per link.
//!
//! ```text
//!   main   ▒▒▒▒▒▒▒▒▒▒ true
//!   drive     ▒▒▒▒▒▒▒▒▒▒ true            ▒ measured
//!   solve        ▒▒▒▒▒▒▒▒▒▒ true
//! ```
//!
//! A question that leans to true *leads*: the questions that it is likely to be refined into are measured *ahead*, before
//! its own verdict. For time in functions those are the callees; for waiting, which costs nothing to measure anywhere, they
//! are more precise hypotheses and the first stage of parts, or the last where the first has none. A verdict on one of them that comes before a question that
//! leads to it is true is kept until then. When a leading question turns out false, its speculation is cancelled.

use std::collections::BTreeSet;

use crate::node::NodeId;

/// Which questions are measured before any true one leads to them, and on account of which.
#[derive(Debug, Default)]
pub(super) struct Speculation {
    /// Likely to turn true: what they call is measured already.
    leading: BTreeSet<NodeId>,
    /// Measured ahead of the verdict of a caller that leads.
    ahead: BTreeSet<NodeId>,
}

impl Speculation {
    pub(super) fn is_leading(&self, id: NodeId) -> bool {
        self.leading.contains(&id)
    }

    pub(super) fn is_ahead(&self, id: NodeId) -> bool {
        self.ahead.contains(&id)
    }

    /// It leads from now on.
    pub(super) fn lead(&mut self, id: NodeId) {
        self.leading.insert(id);
    }

    /// It leads no longer.
    pub(super) fn follow(&mut self, id: NodeId) {
        self.leading.remove(&id);
    }

    /// It is measured on account of a caller that leads.
    pub(super) fn measure_ahead(&mut self, id: NodeId) {
        self.ahead.insert(id);
    }

    /// It is not measured ahead any more.
    pub(super) fn forget(&mut self, id: NodeId) {
        self.ahead.remove(&id);
    }

    /// Forgets a question that was measured ahead and that none of its callers leads to any more; tells whether it was such a one.
    pub(super) fn cancel<'a>(
        &mut self,
        id: NodeId,
        callers: impl IntoIterator<Item = &'a NodeId>,
    ) -> bool {
        let is_led = callers.into_iter().any(|caller| self.is_leading(*caller));
        !is_led && self.ahead.remove(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_ahead_is_cancelled_with_its_last_leading_caller() {
        let [one, other, callee] = [1, 2, 3].map(NodeId);
        let mut speculation = Speculation::default();
        speculation.lead(one);
        speculation.lead(other);
        speculation.measure_ahead(callee);
        speculation.follow(one);
        assert!(!speculation.cancel(callee, &[one, other]) && speculation.is_ahead(callee));
        speculation.follow(other);
        assert!(speculation.cancel(callee, &[one, other]) && !speculation.is_ahead(callee));
        assert!(!speculation.cancel(callee, &[one, other]), "it was cancelled before");
    }

    #[test]
    fn a_question_may_be_ahead_and_lead_at_once() {
        let mut speculation = Speculation::default();
        let id = NodeId(0);
        speculation.measure_ahead(id);
        speculation.lead(id);
        speculation.forget(id);
        assert!(speculation.is_leading(id) && !speculation.is_ahead(id));
    }
}
