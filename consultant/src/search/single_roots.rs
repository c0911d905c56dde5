//! Questions about single processes or machines from the beginning, for bottlenecks that the mean of all would hide.
//!
//! ```text
//!   up to `process_roots` processes      each is asked, and measured for the whole run
//!   more, on up to `host_roots` hosts    each host is asked; a no stops it, and it is asked again later like any other
//! ```
//!
//! One process in a hundred that writes for all others is one percent of the program, and the reason why the program waits.

use whyperf_model::Hierarchy;

use crate::node::Root;
use crate::settings::{Order, Settings};

/// Which single processes or machines are asked about from the beginning.
#[derive(Clone, Debug)]
pub(super) struct SingleRoots {
    order: Order,
    most_processes: usize,
    most_hosts: usize,
    hosts: Hosts,
}

/// Whether each host is asked from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hosts {
    NotAsked,
    Asked,
}

/// What becomes a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SingleRoot {
    /// Each process or machine that is known.
    All(Root),
    /// The new one alone; the others were asked about before.
    New(Root),
}

impl SingleRoots {
    /// No process is known yet.
    pub(super) const fn new(settings: &Settings) -> Self {
        let (order, hosts) = (settings.order, Hosts::NotAsked);
        Self {
            order,
            most_processes: settings.process_roots,
            most_hosts: settings.host_roots,
            hosts,
        }
    }

    /// What becomes a root now that one more process or machine is known, with so many of both. The classic order has no such roots.
    pub(super) fn next(
        &mut self,
        news: Hierarchy,
        processes: usize,
        machines: usize,
    ) -> Option<SingleRoot> {
        if self.order == Order::Classic {
            return None;
        }
        if news == Hierarchy::Process && (2..=self.most_processes).contains(&processes) {
            let is_second = processes == 2;
            let root = if is_second { SingleRoot::All } else { SingleRoot::New };
            return Some(root(Root::PerProcess));
        }
        if processes <= self.most_processes || !(2..=self.most_hosts).contains(&machines) {
            return None;
        }
        match std::mem::replace(&mut self.hosts, Hosts::Asked) {
            Hosts::NotAsked => Some(SingleRoot::All(Root::PerHost)),
            Hosts::Asked if news == Hierarchy::Machine => Some(SingleRoot::New(Root::PerHost)),
            Hosts::Asked => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(process_roots: usize, order: Order) -> SingleRoots {
        let settings = Settings { process_roots, host_roots: 3, order, ..Settings::default() };
        SingleRoots::new(&settings)
    }

    #[test]
    fn few_processes_are_asked_each_from_the_second_on() {
        let mut roots = roots(3, Order::Information);
        let told = [1, 2, 3].map(|count| roots.next(Hierarchy::Process, count, 1));
        let (all, new) = (SingleRoot::All(Root::PerProcess), SingleRoot::New(Root::PerProcess));
        assert_eq!(told, [None, Some(all), Some(new)]);
        assert_eq!(roots.next(Hierarchy::Process, 4, 1), None, "one host is the whole program");
    }

    #[test]
    fn of_many_processes_the_hosts_are_asked_and_of_many_hosts_none() {
        let mut roots = roots(1, Order::Information);
        let (all, new) = (SingleRoot::All(Root::PerHost), SingleRoot::New(Root::PerHost));
        assert_eq!(roots.next(Hierarchy::Process, 2, 2), Some(all));
        assert_eq!(roots.next(Hierarchy::Process, 3, 2), None, "its host was asked about before");
        assert_eq!(roots.next(Hierarchy::Machine, 3, 3), Some(new));
        assert_eq!(roots.next(Hierarchy::Machine, 3, 4), None);
    }

    #[test]
    fn the_classic_order_has_none() {
        let mut roots = roots(3, Order::Classic);
        assert_eq!(roots.next(Hierarchy::Process, 2, 2), None);
        assert_eq!(roots.next(Hierarchy::Machine, 9, 2), None);
    }
}
