//! The program as the data source described it so far: its resources, its call graph, and how often functions are called.

use whyperf_model::{Focus, Hierarchy, Resource};

use crate::calls::KnownCalls;
use crate::catalogue::ResourceCatalogue;
use crate::hypothesis::Hypothesis;

/// The program as far as it is known.
#[derive(Debug)]
pub(super) struct SearchedProgram {
    pub(super) catalogue: ResourceCatalogue,
    pub(super) calls: KnownCalls,
    /// Calls per second of a function whose calls were not counted.
    assumed_rate: f64,
}

impl SearchedProgram {
    /// A program of which nothing is known.
    pub(super) fn new(assumed_rate: f64) -> Self {
        Self { catalogue: ResourceCatalogue::default(), calls: KnownCalls::default(), assumed_rate }
    }

    /// Whether all that a focus names is there.
    pub(super) fn has_all_of(&self, focus: &Focus, hypothesis: &Hypothesis) -> bool {
        let computes = hypothesis.asks_for_own_code();
        Hierarchy::ALL.into_iter().all(|hierarchy| {
            // Functions are not announced one by one: they are there when the program is.
            let is_function = computes && hierarchy == Hierarchy::Code;
            let has_functions = is_function && self.catalogue.count(Hierarchy::Process) > 0;
            focus.part(hierarchy).iter().all(|resource| self.knows(resource) || has_functions)
        })
    }

    /// Whether there is no second process to compare with.
    pub(super) fn has_one_process(&self) -> bool {
        self.catalogue.count(Hierarchy::Process) < 2
    }

    /// Whether the data source did not say that it knows of no calls at all.
    pub(super) fn may_have_calls(&self) -> bool {
        !self.calls.has_none(&Resource::root(Hierarchy::Code))
    }

    /// How often a function is called per second, or is assumed to be.
    pub(super) fn rate(&self, function: &Resource) -> f64 {
        self.calls.rate(function).unwrap_or(self.assumed_rate)
    }

    /// The same of a function, or of all functions of a module together.
    pub(super) fn rate_of_code(&self, code: &Resource) -> f64 {
        if code.depth() != 1 {
            return self.rate(code);
        }
        self.catalogue.children(code).iter().map(|function| self.rate(function)).sum()
    }

    /// The callees that did not retire, those that are called least often first.
    pub(super) fn cheapest_first(&self, callees: &[Resource]) -> Vec<Resource> {
        let is_there = |callee: &&Resource| !self.catalogue.is_retired(callee);
        let mut wanted: Vec<_> = callees.iter().filter(is_there).cloned().collect();
        wanted
            .sort_by(|one, other| self.rate(one).total_cmp(&self.rate(other)).then(one.cmp(other)));
        wanted
    }

    fn knows(&self, resource: &Resource) -> bool {
        resource.is_root() || self.catalogue.is_known(resource) || self.calls.is_known(resource)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypothesis::Hypotheses;

    fn resource(text: &str) -> Resource {
        Resource::parse(text).expect("well formed")
    }

    #[test]
    fn functions_are_there_as_soon_as_a_process_is_and_files_when_they_are_announced() {
        let table = Hypotheses::built_in();
        let row = |name: &str| table.row(table.named(name).expect("it is in the table")).clone();
        let mut program = SearchedProgram::new(1.0);
        let focus = |text: &str| text.parse::<Focus>().expect("well formed");
        let computing = (focus("</Code/a.c/f>"), row("CPUbound"));
        let writing = (focus("</File/data>"), row("ExcessiveIOBlockingTime"));
        let waiting = (focus("</Code/a.c/f>"), row("ExcessiveSyncWaitingTime"));
        let has = |program: &SearchedProgram, (focus, row): &(Focus, Hypothesis)| {
            program.has_all_of(focus, row)
        };
        assert!(!has(&program, &computing) && !has(&program, &writing));
        program.catalogue.add(&resource("/Process/0"));
        assert!(has(&program, &computing) && !has(&program, &writing) && !has(&program, &waiting));
        program.catalogue.add(&resource("/File/data"));
        assert!(has(&program, &writing));
        program.calls.learn(&resource("/Code"), &[resource("/Code/a.c/f")]);
        assert!(has(&program, &waiting), "a caller of it is known");
    }

    #[test]
    fn a_module_is_called_as_often_as_its_functions_together() {
        let mut program = SearchedProgram::new(10.0);
        for function in ["/Code/a.c/f", "/Code/a.c/g"] {
            program.catalogue.add(&resource(function));
        }
        program.calls.price(&resource("/Code/a.c/f"), 500.0);
        assert!((program.rate_of_code(&resource("/Code/a.c")) - 510.0).abs() < 1e-9);
        assert!((program.rate_of_code(&resource("/Code/a.c/g")) - 10.0).abs() < 1e-9);
        program.catalogue.retire(&resource("/Code/a.c/f"));
        assert!((program.rate_of_code(&resource("/Code/a.c")) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn callees_are_asked_about_by_what_they_cost_and_not_when_they_are_gone() {
        let mut program = SearchedProgram::new(10.0);
        let [f, g, h] = ["/Code/a.c/f", "/Code/a.c/g", "/Code/a.c/h"].map(resource);
        program.calls.price(&f, 500.0);
        program.calls.price(&g, 1.0);
        let all = [f.clone(), g.clone(), h.clone()];
        assert_eq!(program.cheapest_first(&all), [g.clone(), h.clone(), f.clone()]);
        program.catalogue.retire(&h);
        assert_eq!(program.cheapest_first(&all), [g, f]);
    }

    #[test]
    fn calls_are_expected_until_the_data_source_knows_of_none() {
        let mut program = SearchedProgram::new(1.0);
        assert!(program.may_have_calls());
        program.calls.learn(&resource("/Code"), &[]);
        assert!(!program.may_have_calls());
    }
}
