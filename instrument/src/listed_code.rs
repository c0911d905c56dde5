//! Lists the modules of programs and the functions of modules, for a search that goes by module and not along calls.

use std::collections::BTreeSet;

use whyperf_model::Resource;

use crate::messages::WorkerRequest;

/// What is told of modules and functions.
#[derive(Debug, Default)]
pub(crate) struct ListedCode {
    modules: ModuleListing,
    /// Modules whose functions were asked for.
    asked: BTreeSet<Resource>,
    told: BTreeSet<Resource>,
    news: Vec<Resource>,
}

/// Whether the modules of programs are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ModuleListing {
    /// No.
    #[default]
    Off,
    /// No, and there are processes whose modules were not asked for.
    OffWithNewProcesses,
    /// Yes, and all are asked for.
    Complete,
    /// Yes, and there are processes whose modules were not asked for.
    Due,
}

impl ListedCode {
    /// From now on the modules of all processes are listed.
    pub(crate) const fn begin(&mut self) {
        self.modules = match self.modules {
            ModuleListing::Off | ModuleListing::Complete => ModuleListing::Complete,
            ModuleListing::OffWithNewProcesses | ModuleListing::Due => ModuleListing::Due,
        };
    }

    /// A process has come.
    pub(crate) const fn see_process(&mut self) {
        self.modules = match self.modules {
            ModuleListing::Off | ModuleListing::OffWithNewProcesses => {
                ModuleListing::OffWithNewProcesses
            }
            ModuleListing::Complete | ModuleListing::Due => ModuleListing::Due,
        };
    }

    /// The question for the modules of new processes, if it is to be asked.
    pub(crate) fn ask_modules(&mut self) -> Option<WorkerRequest> {
        (self.modules == ModuleListing::Due).then(|| {
            self.modules = ModuleListing::Complete;
            WorkerRequest::List { module: None }
        })
    }

    /// The questions for the functions of modules that a pair asks about.
    pub(crate) fn ask_functions(&mut self, code: &[Resource]) -> Vec<WorkerRequest> {
        let is_on = matches!(self.modules, ModuleListing::Complete | ModuleListing::Due);
        let modules = code.iter().filter(|one| is_on && one.depth() == 1);
        let asked = &mut self.asked;
        let new = modules.filter(|module| asked.insert((*module).clone()));
        new.map(|module| WorkerRequest::List { module: Some(module.clone()) }).collect()
    }

    /// The worker listed these.
    pub(crate) fn take(&mut self, code: Vec<Resource>) {
        let told = &mut self.told;
        self.news.extend(code.into_iter().filter(|one| told.insert(one.clone())));
    }

    /// Modules and functions that were found since the last time.
    pub(crate) fn take_news(&mut self) -> Vec<Resource> {
        std::mem::take(&mut self.news)
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Hierarchy;

    use super::*;

    #[test]
    fn modules_are_asked_for_once_for_new_processes_and_functions_once_for_each_module() {
        let module = Resource::root(Hierarchy::Code).child("a.c");
        let code = [module.child("step"), module.clone()];
        let mut listed = ListedCode::default();
        listed.see_process();
        assert!(listed.ask_modules().is_none() && listed.ask_functions(&code).is_empty(), "off");
        listed.begin();
        assert!(listed.ask_modules().is_some() && listed.ask_modules().is_none());
        let asked = [listed.ask_functions(&code).len(), listed.ask_functions(&code).len()];
        assert_eq!(asked, [1, 0]);
        listed.take(vec![module.clone()]);
        listed.take(vec![module.clone()]);
        assert_eq!(listed.take_news(), [module]);
    }
}
