//! A trace with something changed in it: a region that computes faster, or calls that are not there.
//!
//! What becomes faster does so on the machine ([`Edit::machine`]); calls are left out of the events ([`Edit::events`]). A barrier or a collective
//! call can be left out because nothing is known of what it is for; a message cannot, because its receiver would wait for it.

use std::collections::BTreeMap;

use crate::event::{CollectiveKind, Event};
use crate::identity::RegionId;
use crate::machine::Machine;

/// What is changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// By what computing is multiplied, by region.
    pub factors: BTreeMap<String, f64>,
    /// Calls that are left out.
    pub without: Vec<LeftOut>,
}

/// Calls that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Those of this kind.
    pub calls: CallKind,
    /// Those of this region alone.
    pub region: Option<RegionId>,
}

/// A kind of calls that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Barriers.
    Barrier,
    /// Collective calls that move data, of any kind.
    AnyCollective,
    /// Those of a kind.
    Collective(CollectiveKind),
}

impl CallKind {
    fn includes(self, event: &Event) -> bool {
        match (self, event) {
            (Self::Barrier, Event::Barrier(_)) | (Self::AnyCollective, Event::Collective(_)) => {
                true
            }
            (Self::Collective(kind), Event::Collective(call)) => call.kind == kind,
            _ => false,
        }
    }
}

impl Edit {
    /// The machine on which the regions take as long as they should.
    #[must_use]
    pub fn machine(&self, machine: &Machine) -> Machine {
        let mut machine = machine.clone();
        let processors = &mut machine.processors;
        for (region, factor) in &self.factors {
            let ratio = processors.region_ratios.get(region).copied();
            let ratio = ratio.unwrap_or(processors.cpu_ratio) / factor;
            processors.region_ratios.insert(region.clone(), ratio);
        }
        machine
    }

    /// The events of a rank without the calls that are left out.
    pub fn events<'e>(
        &'e self,
        events: impl Iterator<Item = Event> + 'e,
    ) -> impl Iterator<Item = Event> + 'e {
        let mut current = RegionId::default();
        events.filter(move |event| {
            if let Event::Compute { region, .. } = event {
                current = *region;
            }
            let is_meant = |out: &LeftOut| {
                out.calls.includes(event) && out.region.is_none_or(|region| region == current)
            };
            !self.without.iter().any(is_meant)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{CallKind, Edit, LeftOut};
    use crate::event::{Collective, CollectiveKind, Event};
    use crate::identity::{Bytes, CommId, Rank};
    use crate::machine::Machine;
    use crate::simulator::simulate;
    use crate::time::SimTime;
    use crate::trace::TraceHead;

    #[test]
    fn a_faster_region_and_calls_that_are_left_out() {
        let mut head = TraceHead::new(1);
        let [one, other] = ["one", "other"].map(|name| head.name_region(name));
        let compute = |region| Event::Compute { region, span: SimTime::micros(10.0) };
        let (kind, comm, root) = (CollectiveKind::Scan, CommId::WORLD, Rank(0));
        let scan = Event::Collective(Collective { kind, comm, root, bytes: Bytes(1) });
        let barrier = Event::Barrier(comm);
        let events = [compute(one), barrier, scan, compute(other), barrier];
        let left = |edit: &Edit| edit.events(events.into_iter()).collect::<Vec<_>>();
        let without =
            |calls, region| Edit { without: vec![LeftOut { calls, region }], ..Edit::default() };
        assert_eq!(left(&Edit::default()), events);
        assert_eq!(
            left(&without(CallKind::Barrier, Some(other))),
            [compute(one), barrier, scan, compute(other)]
        );
        assert_eq!(left(&without(CallKind::AnyCollective, None)).len(), 4);
        assert_eq!(left(&without(CallKind::Collective(CollectiveKind::Reduce), None)), events);
        let factors = [("one".to_owned(), 0.5), ("other".to_owned(), 0.0)].into();
        let edit = Edit { factors, ..Edit::default() };
        let mut machine = Machine::ideal();
        machine.processors.cpu_ratio = 2.0;
        let outcome = simulate(&head, vec![events.into_iter()], &edit.machine(&machine), &mut ());
        assert_eq!(outcome.elapsed, SimTime::micros(2.5));
    }
}
