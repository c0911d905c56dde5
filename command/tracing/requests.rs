//! The requests of one rank: which events a completion completes, though handles are used again and shared.

use std::collections::{BTreeMap, VecDeque};

use whyperf_extrapolate::{Event, RequestId};

/// What waits for its completion.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pending {
    /// A message that was started under this request of the trace; the number of its event, if it is a receive that is held back until it is complete.
    Message(RequestId, Option<u64>),
    /// A collective call, which stands in the trace where it is completed.
    Collective(Event),
}

/// Requests by handle. The same handle may be given out again before it is completed: what came first is completed first.
#[derive(Debug)]
pub(crate) struct Requests<M> {
    open: BTreeMap<u64, VecDeque<Vec<Pending>>>,
    prepared: BTreeMap<u64, Vec<M>>,
    free: Vec<RequestId>,
    next: u32,
}

impl<M> Default for Requests<M> {
    fn default() -> Self {
        Self { open: BTreeMap::new(), prepared: BTreeMap::new(), free: Vec::new(), next: 0 }
    }
}

impl<M: Clone> Requests<M> {
    /// A request of the trace that is not in use.
    pub(crate) fn new_id(&mut self) -> RequestId {
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            RequestId(self.next - 1)
        })
    }

    /// Gives one back that was waited for.
    pub(crate) fn give_back(&mut self, id: RequestId) {
        self.free.push(id);
    }

    /// Something is open under a handle; `joins` where it came with what came last under it.
    pub(crate) fn open(&mut self, handle: u64, what: Pending, joins: bool) {
        let all = self.open.entry(handle).or_default();
        match all.back_mut().filter(|_| joins) {
            Some(last) => last.push(what),
            None => all.push_back(vec![what]),
        }
    }

    /// What is complete that was open longest under a handle.
    pub(crate) fn complete(&mut self, handle: u64) -> Vec<Pending> {
        let Some(all) = self.open.get_mut(&handle) else { return Vec::new() };
        let first = all.pop_front().unwrap_or_default();
        if all.is_empty() {
            self.open.remove(&handle);
        }
        first
    }

    /// A message is prepared under a handle; `joins` as above, else it takes the place of what was.
    pub(crate) fn prepare(&mut self, handle: u64, message: M, joins: bool) {
        let all = self.prepared.entry(handle).or_default();
        if !joins {
            all.clear();
        }
        all.push(message);
    }

    /// What is started with a handle.
    pub(crate) fn started(&self, handle: u64) -> Vec<M> {
        self.prepared.get(&handle).cloned().unwrap_or_default()
    }

    /// A handle is given back; what was open under it.
    pub(crate) fn forget(&mut self, handle: u64) -> Vec<Pending> {
        let open = self.complete(handle);
        if open.is_empty() {
            self.prepared.remove(&handle);
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_that_is_shared_is_completed_in_order() {
        let mut requests = Requests::<u32>::default();
        let [first, second] = [requests.new_id(), requests.new_id()];
        requests.open(7, Pending::Message(first, None), false);
        requests.open(7, Pending::Message(second, None), false);
        assert_eq!(requests.complete(7), [Pending::Message(first, None)]);
        requests.give_back(first);
        assert_eq!(requests.complete(7), [Pending::Message(second, None)]);
        assert_eq!(requests.complete(7), []);
        assert_eq!(requests.new_id(), first);
    }

    #[test]
    fn what_is_prepared_is_started_until_it_is_given_back() {
        let mut requests = Requests::default();
        requests.prepare(3, 'a', false);
        assert_eq!([requests.started(3), requests.started(3)], [['a'], ['a']]);
        requests.prepare(3, 'b', false);
        assert_eq!(requests.started(3), ['b']);
        assert_eq!(requests.forget(3), []);
        assert_eq!(requests.started(3), []);
    }
}
