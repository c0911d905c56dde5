//! What ranks sent to each other in each phase of a run that is being watched.

use whyperf_model::MessageTable;

/// The messages of phases. In full there are only those of the run until the current phase began: of a phase that is over the largest
/// pairs of ranks are told apart.
#[derive(Debug, Default)]
pub(crate) struct PhaseMessages {
    past: Vec<MessageTable>,
    begun: Option<MessageTable>,
}

impl PhaseMessages {
    /// A phase begins, and the one before ends, with so many messages in the run so far.
    pub(crate) fn begin(&mut self, so_far: MessageTable) {
        if let Some(begun) = self.begun.replace(so_far) {
            self.past.extend(self.begun.iter().map(|now| now.since(&begun).folded()));
        }
    }

    /// Those of each phase in their order, the current one until there were so many in the run.
    pub(crate) fn until(&self, now: &MessageTable) -> Vec<MessageTable> {
        let current = self.begun.iter().map(|begun| now.since(begun).folded());
        self.past.iter().cloned().chain(current).collect()
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::{MessageGrowth, MessageSide, MessageSums, Nanos, Route};

    use super::*;

    #[test]
    fn each_phase_has_what_came_in_it() {
        let so_far = |number| {
            let mut table = MessageTable::default();
            let route = Route { job: 0, from: Some(0), to: Some(1) };
            let by = MessageSums { number, bytes: number, time: Nanos(number) };
            table.add(MessageGrowth { route, side: MessageSide::Sender, by });
            table
        };
        let mut messages = PhaseMessages::default();
        assert_eq!(messages.until(&so_far(1)), [], "what was before the first phase is in none");
        for number in [2, 5, 5] {
            messages.begin(so_far(number));
        }
        let expected = [so_far(3), MessageTable::default(), so_far(4)];
        assert_eq!(messages.until(&so_far(9)), expected);
    }
}
