//! What the names of timers say, each looked at once: what a timer does, in which callpath it is, and whether its calls are told by another.

use ahash::AHashMap;
use whyperf_model::matching::Kind;
use whyperf_model::{Category, Resource};

use super::place::Place;
use crate::foreign_profile::Timer;
use crate::imported_part::{ImportedPart, NumberedCallpath};
use crate::numbered_thread::NumberedTimer;
use crate::profile_names::ProfileNames;

/// What is known of names so far, by their numbers.
#[derive(Debug, Default)]
pub(super) struct NamedTimers {
    timers: Vec<NamedTimer>,
    /// Whether lists of groups are those of callpaths, by number.
    are_paths: Vec<bool>,
    kinds: Vec<Kind>,
    kind_numbers: AHashMap<Kind, u32>,
    path_numbers: AHashMap<Vec<String>, u32>,
    /// By path: the name that told of it first.
    first_names: Vec<u32>,
    /// Numbers of what timers are called without those around them.
    functions: AHashMap<Box<str>, u32>,
    /// The thread, counted from 1, in which a function was last the innermost of a path.
    innermost: Vec<u32>,
    latest: u32,
}

/// What the name of a timer says.
#[derive(Debug)]
struct NamedTimer {
    is_path: bool,
    /// The numbers of its whole name and of its last as functions.
    whole: u32,
    last: u32,
    /// None before a thread has it that counts.
    counted: Option<CountedTimer>,
    source: Option<Box<str>>,
}

/// Where what a timer tells is counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedTimer {
    /// The number of the kind of its last name.
    pub(super) kind: u32,
    pub(super) path: u32,
}

impl NamedTimers {
    /// Looks at the timers of the next thread: at the names and groups that are new, and at which functions are told by its callpaths.
    pub(super) fn begin_thread(&mut self, timers: &[NumberedTimer], names: &ProfileNames) {
        for name in names.timers_from(self.timers.len()) {
            let last = name.rsplit(Timer::ARROW).next().unwrap_or(name).trim();
            let (whole, last) = (self.function(name), self.function(last));
            let is_path = name.contains(Timer::ARROW);
            self.timers.push(NamedTimer { is_path, whole, last, counted: None, source: None });
        }
        let is_path = |groups: &Vec<String>| groups.iter().any(|group| group == Timer::CALLPATH);
        let new = names.groups_from(self.are_paths.len()).iter();
        self.are_paths.extend(new.map(is_path));
        self.latest += 1;
        for timer in timers {
            let named = &self.timers[timer.name as usize];
            if named.is_path || self.are_paths[timer.groups as usize] {
                self.innermost[named.last as usize] = self.latest;
            }
        }
    }

    /// Where a timer is counted, if it is a callpath, or what is in none of them but as the outermost: each call counts once. A callpath that no
    /// thread had before is added to the part.
    pub(super) fn counted(
        &mut self,
        timer: &NumberedTimer,
        names: &ProfileNames,
        part: &mut ImportedPart,
    ) -> Option<CountedTimer> {
        let named = &self.timers[timer.name as usize];
        let is_told_by_others = !named.is_path
            && !self.are_paths[timer.groups as usize]
            && self.innermost[named.whole as usize] == self.latest;
        if is_told_by_others {
            return None;
        }
        named.counted.or_else(|| {
            let text = names.timers_from(timer.name as usize).first()?;
            Some(self.count(timer.name, text, part))
        })
    }

    /// Finds out where a timer is counted that was not before.
    fn count(&mut self, name: u32, text: &str, part: &mut ImportedPart) -> CountedTimer {
        let places: Vec<Place<'_>> = Timer::names(text).map(Place::of).collect();
        let path: Vec<String> = places.iter().map(|place| place.function.to_owned()).collect();
        let source = places.last().and_then(Place::source);
        let new = next(&self.first_names);
        let number = *self.path_numbers.entry(path.clone()).or_insert(new);
        if number == new {
            self.first_names.push(name);
            let source = source.clone();
            part.callpaths.push(NumberedCallpath { number: number + 1, path, source });
        }
        let counted = CountedTimer { kind: self.kind(&places), path: number };
        let timer = &mut self.timers[name as usize];
        (timer.counted, timer.source) = (Some(counted), source.map(String::into_boxed_str));
        counted
    }

    /// The number of the kind of a path's last name.
    fn kind(&mut self, places: &[Place<'_>]) -> u32 {
        let mut code: Vec<Resource> = places.iter().filter_map(Place::resource).collect();
        code.sort();
        code.dedup();
        let last = places.last();
        let (category, object) = last.map_or((Category::Other, None), Place::meaning);
        let own = last.and_then(Place::resource);
        let kind = Kind { category, code, object, own };
        let next = next(&self.kinds);
        let number = *self.kind_numbers.entry(kind.clone()).or_insert(next);
        if number == next {
            self.kinds.push(kind);
        }
        number
    }

    fn function(&mut self, name: &str) -> u32 {
        if let Some(number) = self.functions.get(name) {
            return *number;
        }
        let number = next(&self.innermost);
        self.innermost.push(0);
        self.functions.insert(name.into(), number);
        number
    }

    /// Where a path is as this name says, if the name that told of it first says something else.
    pub(super) fn other_source(&self, path: u32, name: u32) -> Option<Box<str>> {
        let first = self.first_names[path as usize];
        if first == name {
            return None;
        }
        let [first, own] = [first, name].map(|name| &self.timers[name as usize].source);
        own.clone().filter(|_| own != first)
    }

    /// All kinds, by number.
    pub(super) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The same, and nothing else.
    pub(super) fn into_kinds(self) -> Vec<Kind> {
        self.kinds
    }
}

fn next<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}
