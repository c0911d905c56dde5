//! The functions that resources name, as far as the worker found them in all processes.
//!
//! ```text
//!              asked            answered
//!   (unknown) ──────► Asked ─────────────► Answered ──(it names none, later again)──► Asked
//!                       │ a process appears   │
//!                       ▼       answered      ▼        asked
//!                     Overtaken ─────────► Outdated ──────────► Asked
//! ```

use std::collections::BTreeMap;

use whyperf_model::Resource;

use crate::function_key::FunctionKey;

/// Which functions each resource names.
#[derive(Debug, Default)]
pub(crate) struct FoundFunctions {
    found: BTreeMap<Resource, ResourceLookup>,
    /// What functions of modules are called.
    names: BTreeMap<FunctionKey, Resource>,
}

/// The functions that a resource names, as far as is known.
#[derive(Debug)]
struct ResourceLookup {
    functions: Vec<FunctionKey>,
    stage: LookupStage,
}

/// How far the worker is with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LookupStage {
    /// An answer is under way.
    Asked,
    /// An answer is under way, and processes have come since it was asked for: they may have others of that name.
    Overtaken,
    /// It was answered.
    Answered {
        /// In this pass.
        since: u64,
    },
    /// It was answered, and processes have come since.
    Outdated,
}

impl LookupStage {
    /// A process appeared.
    const fn see_process(self) -> Self {
        match self {
            Self::Asked | Self::Overtaken => Self::Overtaken,
            Self::Answered { .. } | Self::Outdated => Self::Outdated,
        }
    }

    /// The worker answered.
    const fn answer(self, pass: u64) -> Self {
        match self {
            Self::Asked | Self::Answered { .. } => Self::Answered { since: pass },
            Self::Overtaken | Self::Outdated => Self::Outdated,
        }
    }

    /// Whether it is to be asked for again, when it named functions or none.
    const fn is_due(self, names_none: bool, pass: u64) -> bool {
        match self {
            Self::Asked | Self::Overtaken => false,
            Self::Answered { since } => names_none && pass >= since + PATIENCE,
            Self::Outdated => true,
        }
    }

    const fn is_asked(self) -> bool {
        matches!(self, Self::Asked | Self::Overtaken)
    }
}

impl FoundFunctions {
    /// The functions that a resource names, as far as they are known.
    pub(crate) fn of(&self, code: &Resource) -> &[FunctionKey] {
        self.found.get(code).map_or(&[], |lookup| &lookup.functions)
    }

    /// The same once no more may be found; `None` before.
    pub(crate) fn all_of(&self, code: &Resource) -> Option<&[FunctionKey]> {
        let lookup = self.found.get(code)?;
        let is_all = matches!(lookup.stage, LookupStage::Answered { .. });
        is_all.then_some(&lookup.functions)
    }

    /// The same; `None` as long as nothing is known of it.
    pub(crate) fn known_of(&self, code: &Resource) -> Option<&[FunctionKey]> {
        let lookup = self.found.get(code)?;
        let is_open = lookup.stage.is_asked() && lookup.functions.is_empty();
        (!is_open).then_some(&lookup.functions)
    }

    /// Whether a resource names a function of some process; `None` when that is not known yet.
    pub(crate) fn exists(&self, code: &Resource) -> Option<bool> {
        self.known_of(code).map(|functions| !functions.is_empty())
    }

    /// How a function is called that this resource names.
    pub(crate) fn name<'name>(
        &'name self,
        key: &FunctionKey,
        code: &'name Resource,
    ) -> &'name Resource {
        self.names.get(key).unwrap_or(code)
    }

    /// A process appeared: its program may have what no other had.
    pub(crate) fn see_process(&mut self) {
        for lookup in self.found.values_mut() {
            lookup.stage = lookup.stage.see_process();
        }
    }

    /// The resources that are to be asked for now; from now on they are.
    pub(crate) fn ask<'code>(
        &mut self,
        wanted: impl Iterator<Item = &'code Resource>,
        pass: u64,
    ) -> Vec<Resource> {
        let mut asked = Vec::new();
        for code in wanted {
            match self.found.get_mut(code) {
                Some(lookup) if !lookup.stage.is_due(lookup.functions.is_empty(), pass) => continue,
                Some(lookup) => lookup.stage = LookupStage::Asked,
                None => {
                    let new = ResourceLookup { functions: Vec::new(), stage: LookupStage::Asked };
                    self.found.insert(code.clone(), new);
                }
            }
            asked.push(code.clone());
        }
        asked
    }

    /// The worker found these functions, and what those of a module are called.
    pub(crate) fn take(
        &mut self,
        code: Resource,
        functions: Vec<FunctionKey>,
        names: Vec<Resource>,
        pass: u64,
    ) {
        self.names.extend(functions.iter().copied().zip(names));
        let stage = self.found.get(&code).map_or(LookupStage::Asked, |lookup| lookup.stage);
        self.found.insert(code, ResourceLookup { functions, stage: stage.answer(pass) });
    }

    /// The worker found these functions without being asked for them.
    pub(crate) fn take_unasked(&mut self, code: Resource, functions: Vec<FunctionKey>, pass: u64) {
        let stage = LookupStage::Answered { since: pass };
        self.found.entry(code).or_insert(ResourceLookup { functions, stage });
    }
}

/// Passes after which a name that nothing had is looked for again.
const PATIENCE: u64 = 20;

#[cfg(test)]
mod tests {
    use whyperf_code::FunctionId;
    use whyperf_model::Hierarchy;

    use super::*;

    #[test]
    fn a_name_is_asked_for_once_and_again_when_a_process_may_have_it() {
        let code = Resource::root(Hierarchy::Code).child("a.c").child("step");
        let key = FunctionKey { module: 0, function: FunctionId(1) };
        let mut found = FoundFunctions::default();
        assert_eq!(found.ask([&code].into_iter(), 1).len(), 1);
        assert_eq!((found.ask([&code].into_iter(), 99).len(), found.exists(&code)), (0, None));
        found.see_process();
        found.take(code.clone(), vec![key], Vec::new(), 2);
        assert_eq!((found.all_of(&code), found.exists(&code)), (None, Some(true)), "overtaken");
        assert_eq!(found.ask([&code].into_iter(), 3).len(), 1);
        found.take(code.clone(), vec![key], Vec::new(), 4);
        assert_eq!(found.all_of(&code), Some(&[key][..]));
        assert_eq!(found.ask([&code].into_iter(), 99).len(), 0);
    }

    #[test]
    fn a_name_that_nothing_had_is_looked_for_again_after_a_while() {
        let code = Resource::root(Hierarchy::Code).child("a.c");
        let mut found = FoundFunctions::default();
        found.ask([&code].into_iter(), 1);
        found.take(code.clone(), Vec::new(), Vec::new(), 2);
        assert_eq!(found.exists(&code), Some(false));
        assert_eq!(found.ask([&code].into_iter(), 1 + PATIENCE).len(), 0);
        assert_eq!(found.ask([&code].into_iter(), 2 + PATIENCE).len(), 1);
    }
}
