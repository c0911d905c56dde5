//! The growth since a run began, by thread and class: answers pairs that were measured for a part of the run, or never.

use std::collections::BTreeMap;

use ahash::AHashMap;

use super::active::{Asked, Totals};
use super::class_totals::ClassTotals;
use super::classes::{ClassId, Classes};
use super::resources::{ResourceId, Resources, ThreadPlace};
use crate::{Category, Nanos, Pair, Quantity, TimeDivision, TimeUse};

/// All that grew so far.
#[derive(Debug, Default)]
pub struct RunTotals {
    threads: AHashMap<ThreadPlace, ThreadTotals>,
    /// What all threads together come to, as long as nothing grows.
    all: Option<ClassTotals>,
}

/// What grew in one thread, which counts where it was when it grew: a process that gets another name has other threads.
#[derive(Debug, Default)]
struct ThreadTotals {
    classes: ClassTotals,
    /// The operating system does not say how much of it ran.
    is_untold: bool,
}

impl RunTotals {
    /// Nodes of these classes grew in a thread. The thread is looked up once for all of them: there are many.
    pub fn grew(&mut self, place: ThreadPlace, nodes: &[(ClassId, Totals)]) {
        if nodes.is_empty() {
            return;
        }
        self.all = None;
        let classes = &mut self.threads.entry(place).or_default().classes;
        nodes.iter().for_each(|(class, by)| classes.add(*class, by));
    }

    /// Adds up what all threads come to, of a run that is over: most of what is asked of one is asked of all threads together.
    pub fn sum_up(&mut self) {
        let mut all = ClassTotals::default();
        for thread in self.threads.values() {
            thread.classes.iter().for_each(|(class, sum)| all.add(class, sum));
        }
        self.all = Some(all);
    }

    /// The operating system says nothing of this thread.
    pub fn is_untold(&mut self, place: ThreadPlace) {
        self.threads.entry(place).or_default().is_untold = true;
    }

    /// How the threads of these processes spent their time, by process.
    pub fn divisions(
        &self,
        classes: &Classes,
        resources: &Resources,
    ) -> BTreeMap<ResourceId, TimeDivision> {
        let paging = resources.paging();
        let mut divisions: BTreeMap<ResourceId, TimeDivision> = BTreeMap::new();
        for ([thread, _], totals) in &self.threads {
            let process = resources.parent(*thread).unwrap_or(*thread);
            let division = divisions.entry(process).or_default();
            for (class, sum) in totals.classes.iter() {
                let spent = classes.get(class).traits.spent(paging, totals.is_untold);
                division.add(spent, sum.time);
            }
        }
        divisions
    }

    /// On what a process spent most time in this way; `None` where no event tells of an object.
    pub(super) fn object_of(
        &self,
        process: ResourceId,
        spent: TimeUse,
        classes: &Classes,
        resources: &Resources,
    ) -> Option<ResourceId> {
        let paging = resources.paging();
        let mut times: BTreeMap<ResourceId, Nanos> = BTreeMap::new();
        let is_its = |thread: ResourceId| resources.parent(thread) == Some(process);
        for (_, totals) in self.threads.iter().filter(|([thread, _], _)| is_its(*thread)) {
            for (class, sum) in totals.classes.iter() {
                let traits = &classes.get(class).traits;
                let is_of_it = |_: &ResourceId| traits.spent(paging, totals.is_untold) == spent;
                if let Some(object) = traits.object.filter(is_of_it) {
                    *times.entry(object).or_default() += sum.time;
                }
            }
        }
        let most =
            times.into_iter().max_by_key(|(object, time)| (*time, std::cmp::Reverse(*object)));
        most.map(|(object, _)| object)
    }

    /// What grew in a class of nodes of a thread.
    pub(super) fn of_class(&self, place: ThreadPlace, class: ClassId) -> Totals {
        let thread = self.threads.get(&place);
        thread.and_then(|thread| thread.classes.get(class)).copied().unwrap_or_default()
    }

    /// What a pair came to: all that its samples would add up to, had it been measured from the beginning. `None` where that depends on
    /// when something grew.
    ///
    /// A function counts as far as it was switched on: whether that suffices is for the caller to know.
    pub fn amount(&self, pair: &Pair, classes: &Classes, resources: &mut Resources) -> Option<i64> {
        let definition = pair.metric.definition();
        let is_of_nodes = !matches!(definition.quantity, Quantity::Processes | Quantity::Cost);
        if definition.aggregation.compares() || !is_of_nodes {
            return None;
        }
        Some(self.totals(pair, classes, resources).quantity(definition.quantity))
    }

    /// All that grew in the focus of a pair, of what its metric counts.
    pub fn totals(&self, pair: &Pair, classes: &Classes, resources: &mut Resources) -> Totals {
        let asked = Asked::new(pair.clone(), resources);
        let (mut sum, matching) = (Totals::default(), asked.matching(classes));
        let mut add = |of: &ClassTotals| {
            matching.iter().filter_map(|class| of.get(*class)).for_each(|grown| sum.add(grown));
        };
        let is_of_all = asked.is_of_all_threads();
        if let Some(all) = self.all.as_ref().filter(|_| is_of_all) {
            add(all);
            return sum;
        }
        for (place, thread) in &self.threads {
            if is_of_all || asked.includes_thread(*place, resources) {
                add(&thread.classes);
            }
        }
        sum
    }

    /// All that was counted in nodes of a category, thread by thread and class by class.
    pub fn of_category<'a>(
        &'a self,
        category: Category,
        classes: &'a Classes,
    ) -> impl Iterator<Item = (ThreadPlace, ClassId, &'a Totals)> {
        self.threads.iter().flat_map(move |(place, thread)| {
            let all = thread.classes.iter();
            let counts = move |class: &ClassId| classes.category(*class) == category;
            all.filter(move |(class, _)| counts(class)).map(|(class, sum)| (*place, class, sum))
        })
    }
}

/// A thread and a machine, with all above them, sorted.
pub(super) fn lineage(place: ThreadPlace, resources: &Resources) -> Vec<ResourceId> {
    let mut lineage: Vec<_> = place.into_iter().flat_map(|id| resources.lineage(id)).collect();
    lineage.sort_unstable();
    lineage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Focus, Metric, Resource};

    struct Stage {
        totals: RunTotals,
        classes: Classes,
        resources: Resources,
    }

    impl Stage {
        fn id(&mut self, path: &str) -> ResourceId {
            self.resources.id(&Resource::parse(path).expect("well formed"))
        }

        fn place(&mut self, process: u32) -> ThreadPlace {
            [format!("/Process/{process}/0"), "/Machine/a".to_owned()].map(|path| self.id(&path))
        }

        fn grew(&mut self, process: u32, category: Category, object: Option<&str>, time: u64) {
            let place = self.place(process);
            let object = object.map(|object| self.id(object));
            let Self { classes, resources, .. } = self;
            let class = classes.below(ClassId::NONE, category, None, object, resources);
            let by = Totals { time: Nanos(time), visits: 1, ..Totals::default() };
            self.totals.grew(place, &[(class, by)]);
        }

        fn amount(&mut self, metric: Metric, focus: &str) -> Option<i64> {
            let pair = Pair::new(metric, Focus::parse(focus).expect("well formed"));
            self.totals.amount(&pair, &self.classes, &mut self.resources)
        }
    }

    fn stage() -> Stage {
        let (totals, classes) = (RunTotals::default(), Classes::default());
        let mut stage = Stage { totals, classes, resources: Resources::default() };
        for process in [0, 1] {
            stage.grew(process, Category::Receive, Some("/SyncObject/Message/w/3"), 10);
            stage.grew(process, Category::Receive, Some("/SyncObject/Message/w/4"), 200);
            stage.grew(process, Category::Other, None, 3000);
        }
        stage.grew(0, Category::Receive, Some("/SyncObject/Message/w/3"), 40_000);
        stage
    }

    #[test]
    fn a_pair_comes_to_all_that_grew_in_its_focus() {
        let mut stage = stage();
        for (metric, focus, expected) in [
            (Metric::Wall, "<>", 46_420),
            (Metric::SyncWait, "<>", 40_420),
            (Metric::SyncWait, "</Process/1>", 210),
            (Metric::SyncWait, "</Process/1/0,/SyncObject/Message/w/3>", 10),
            (Metric::SyncWait, "</Machine/b>", 0),
            (Metric::SyncOps, "</SyncObject/Message/w>", 5),
        ] {
            assert_eq!(stage.amount(metric, focus), Some(expected), "{metric} {focus}");
        }
    }

    #[test]
    fn sums_of_all_threads_tell_the_same_and_go_when_something_grows() {
        let mut stage = stage();
        stage.totals.sum_up();
        assert_eq!(stage.amount(Metric::SyncWait, "<>"), Some(40_420));
        assert_eq!(stage.amount(Metric::SyncWait, "</Process/1>"), Some(210));
        let either = "<(/SyncObject/Message/w/3,/SyncObject/Message/w/4)>";
        assert_eq!(stage.amount(Metric::SyncWait, either), Some(40_420));
        stage.grew(1, Category::Receive, Some("/SyncObject/Message/w/4"), 7);
        assert_eq!(stage.amount(Metric::SyncWait, "<>"), Some(40_427));
        assert_eq!(stage.amount(Metric::SyncWait, "</SyncObject/Message/w/4>"), Some(407));
    }

    /// All that grew in the focus of a pair, found by asking each class of each thread.
    fn asked_one_by_one(stage: &mut Stage, pair: &Pair) -> Totals {
        let asked = Asked::new(pair.clone(), &mut stage.resources);
        let mut sum = Totals::default();
        for (place, thread) in &stage.totals.threads {
            let is_in = asked.includes(&lineage(*place, &stage.resources));
            for (class, totals) in thread.classes.iter().filter(|_| is_in) {
                if asked.matches(stage.classes.get(class)) {
                    sum.add(totals);
                }
            }
        }
        sum
    }

    #[test]
    fn the_classes_of_a_focus_are_those_that_match_it() {
        let mut stage = stage();
        let names = ["/Code/a.c/f", "/Code/a.c/g", "/Code/b.c/f"];
        let code = names.map(|name| stage.id(name));
        let place = stage.place(1);
        let Stage { totals, classes, resources, .. } = &mut stage;
        for (number, own) in (1..).zip(code) {
            let category = if number == 2 { Category::Function } else { Category::User };
            let outside = classes.below(ClassId::NONE, category, Some(own), None, resources);
            let inside = classes.below(outside, Category::Function, Some(code[0]), None, resources);
            let call = classes.below(inside, Category::Receive, None, None, resources);
            let by = |time| Totals { time: Nanos(time), visits: time, ..Totals::default() };
            let grown =
                [(outside, by(number)), (inside, by(10 * number)), (call, by(100 * number))];
            totals.grew(place, &grown);
        }
        let foci = [
            "<>",
            "</Code/a.c>",
            "</Code/a.c/f>",
            "</Code/(a.c,b.c)>",
            "<(/Code/a.c/f,/Code/b.c/f),/Process/1>",
            "</Code/b.c/f,/SyncObject/Message/w/3>",
            "</SyncObject/Message,/Process/(0,1)>",
            "</Machine/a,/Process/1/0>",
            "</Code/none>",
        ];
        for is_summed in [false, true] {
            if is_summed {
                stage.totals.sum_up();
            }
            for focus in foci {
                for metric in [Metric::Wall, Metric::Compute, Metric::SyncWait, Metric::Calls] {
                    let pair = Pair::new(metric, focus.parse().expect("well formed"));
                    let Stage { totals, classes, resources } = &mut stage;
                    let told = totals.totals(&pair, classes, resources);
                    assert_eq!(told, asked_one_by_one(&mut stage, &pair), "{pair}");
                }
            }
        }
    }

    #[test]
    fn what_depends_on_more_than_sums_is_not_answered() {
        let mut stage = stage();
        for metric in [Metric::LateWait, Metric::ActiveProcesses, Metric::ObservedCost] {
            assert_eq!(stage.amount(metric, "<>"), None, "{metric}");
        }
        assert_eq!(stage.amount(Metric::Wall, "<>"), Some(46_420));
    }
}
