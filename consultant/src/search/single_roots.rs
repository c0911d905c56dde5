//! Questions about single processes or machines from the beginning, for what would be lost in the mean of all.
//!
//! ```text
//!   up to `process_roots` processes      each is asked, and measured for the whole run
//!   more, on up to `host_roots` hosts    each host is asked; a no stops it, and it is asked again later like any other
//! ```
//!
//! One process in a hundred that writes for all others is one percent of the program, and the reason why it waits.

use whyperf_model::{Focus, Hierarchy, Resource};

use super::Search;
use crate::directive::Verdict;
use crate::hypothesis::HypothesisId;
use crate::node::Root;
use crate::queue::Idea;
use crate::settings::Order;

impl Search {
    /// Asks the top-level hypotheses about each process or each machine. The classic order has no such roots.
    pub(super) fn add_single_roots(&mut self, news: &Resource) {
        if self.settings.order == Order::Classic {
            return;
        }
        let processes = self.catalogue.count(Hierarchy::Process);
        let machines = self.catalogue.count(Hierarchy::Machine);
        let is_process = news.hierarchy() == Hierarchy::Process;
        if is_process && (2..=self.settings.process_roots).contains(&processes) {
            self.add_single_roots_at(Hierarchy::Process, news, processes == 2);
        } else if processes > self.settings.process_roots
            && (2..=self.settings.host_roots).contains(&machines)
        {
            let is_first = !self.has_host_roots;
            if is_first || !is_process {
                self.has_host_roots = true;
                self.add_single_roots_at(Hierarchy::Machine, news, is_first);
            }
        }
    }

    /// Asks about what is new, or about everything when it is the first time.
    fn add_single_roots_at(&mut self, hierarchy: Hierarchy, news: &Resource, to_all: bool) {
        let tops: Vec<_> = self.hypotheses.children(None).collect();
        let all = if to_all {
            self.catalogue.children(&Resource::root(hierarchy))
        } else {
            vec![news.clone()]
        };
        let kind = if hierarchy == Hierarchy::Machine { Root::PerHost } else { Root::PerProcess };
        for one in all {
            let focus = Focus::whole_program().with(hierarchy, one);
            for hypothesis in &tops {
                if self.hypotheses.row(*hypothesis).refines(hierarchy) {
                    self.add_single_root(*hypothesis, focus.clone(), kind);
                }
            }
        }
    }

    fn add_single_root(&mut self, hypothesis: HypothesisId, focus: Focus, kind: Root) {
        if self.in_force.verdict(hypothesis, &focus) == Verdict::Pruned {
            self.pruned.insert((hypothesis, focus));
            return;
        }
        let (id, _) = self.ensure(hypothesis, focus);
        if self.graph.make_single_root(id, kind) {
            self.enqueue(id, Idea::Where);
        }
    }
}
