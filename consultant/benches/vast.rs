//! A job too large to be described process by process: every value is computed from its place.
//!
//! Each machine runs fifty processes. All of them spend small shares in a thousand functions; on fifty machines one function takes most
//! of the time, computing, waiting or writing.

use std::collections::{BTreeMap, VecDeque};

use whyperf_consultant::{DataSource, Event, MeasurementId};
use whyperf_model::{
    Category, Focus, Hierarchy, Interval, Metric, Nanos, Pair, Quantity, Resource, Sample, Time,
};

/// Processes on a machine.
const EACH: u64 = 50;
/// Functions of each process.
const FUNCTIONS: u64 = 1000;
/// Thousandths of the time that a planted bottleneck takes.
const PLANTED: u64 = 700;
const STEP: Nanos = Nanos::from_millis(50);

/// The data source of such a job.
pub(crate) struct Vast {
    machines: u64,
    planted: u64,
    length: Nanos,
    now: Time,
    is_over: bool,
    measured: BTreeMap<MeasurementId, (Pair, Rate)>,
    events: VecDeque<Event>,
}

/// Nanoseconds per second of one process, and how many processes.
#[derive(Clone, Copy)]
struct Rate {
    amount: u64,
    processes: u32,
}

impl Vast {
    /// A job of so many processes, all there from the beginning.
    pub(crate) fn new(processes: u64, planted: u64, length: Nanos) -> Self {
        let machines = processes / EACH;
        let mut events = VecDeque::new();
        for machine in 0..machines {
            events.push_back(Event::Resource(Time::ZERO, host(machine)));
            for rank in machine * EACH..(machine + 1) * EACH {
                let process = Resource::root(Hierarchy::Process).child(&rank.to_string());
                events.push_back(Event::Placed(Time::ZERO, process.clone(), host(machine)));
                events.push_back(Event::Resource(Time::ZERO, process));
            }
        }
        for function in 0..FUNCTIONS {
            events.push_back(Event::Resource(Time::ZERO, code(function)));
        }
        let (measured, now, is_over) = (BTreeMap::new(), Time::ZERO, false);
        Self { machines, planted, length, now, is_over, measured, events }
    }

    /// What was planted: a hypothesis at a focus.
    pub(crate) fn bottlenecks(&self) -> Vec<(&'static str, Focus)> {
        let name = |nth| match category(nth) {
            Category::User => "CPUbound",
            Category::Receive => "ExcessiveSyncWaitingTime",
            _ => "ExcessiveIOBlockingTime",
        };
        let focus = |nth| {
            let (machine, function) = (host(self.site(nth)), code(function(nth)));
            let on = Focus::whole_program().with(Hierarchy::Machine, machine);
            on.with(Hierarchy::Code, function)
        };
        (0..self.planted).map(|nth| (name(nth), focus(nth))).collect()
    }

    /// The machine of a planted bottleneck.
    const fn site(&self, nth: u64) -> u64 {
        nth * self.machines / self.planted + nth % 3
    }

    /// What a pair grows by per second, all processes of the focus together.
    fn rate(&self, pair: &Pair) -> Rate {
        let machines: Vec<u64> = match pair.focus.part(Hierarchy::Machine) {
            [one] if one.is_root() => (0..self.machines).collect(),
            some => some.iter().map(number).collect(),
        };
        let processes = match pair.focus.part(Hierarchy::Process) {
            [one] if one.is_root() => machines.len() as u64 * EACH,
            some => {
                some.iter().filter(|one| machines.contains(&(number(one) / EACH))).count() as u64
            }
        };
        let all = machines.len() as u64 * EACH;
        let of_one: u64 = machines.iter().map(|machine| self.share(*machine, pair)).sum();
        let amount = of_one * EACH * 1_000_000 * processes / all.max(1);
        Rate { amount, processes: u32::try_from(processes).expect("few enough") }
    }

    /// Thousandths of the time of each process of a machine that count for a pair.
    fn share(&self, machine: u64, pair: &Pair) -> u64 {
        let categories = pair.metric.definition().categories;
        if pair.metric == Metric::Wall {
            return 1000;
        }
        let [site] = pair.focus.part(Hierarchy::Code) else { return 0 };
        let mut share = 0;
        if (site.is_root() || *site == main_function()) && is_anywhere(&pair.focus) {
            // A tenth each for computing, waiting and input, spread over all functions.
            for kind in [Category::User, Category::Receive, Category::Read] {
                share += if categories.contains(kind) { 100 } else { 0 };
            }
        }
        let near = machine * self.planted / self.machines;
        for nth in near.saturating_sub(1)..=near {
            let is_here = nth < self.planted && self.site(nth) == machine;
            if is_here
                && categories.contains(category(nth))
                && is_inside(site, function(nth))
                && is_anywhere(&pair.focus)
            {
                share += PLANTED;
            }
        }
        share
    }

    fn step(&mut self) {
        let interval = Interval::new(self.now, self.now + STEP);
        self.now = interval.end;
        // Two in three intervals have somewhat less, one more: steady, and never the same.
        let phase = [980, 990, 1030][usize::try_from(self.now.0.0 / STEP.0 % 3).expect("small")];
        for (id, (pair, rate)) in &self.measured {
            let wobble = if pair.metric == Metric::Wall { 1000 } else { phase };
            let amount = rate.amount / 1000 * wobble / (1_000_000_000 / STEP.0);
            let amount = i64::try_from(amount).expect("a day of a million processes fits");
            self.events
                .push_back(Event::Sample(*id, Sample::complete(interval, amount, rate.processes)));
        }
        self.events.push_back(Event::Cost(self.now, 0.01));
        if self.now.since(Time::ZERO) >= self.length {
            self.events.push_back(Event::End(self.now));
            self.is_over = true;
        }
    }
}

impl DataSource for Vast {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        let is_time =
            matches!(pair.metric.definition().quantity, Quantity::Time | Quantity::RunningTime);
        let rate = self.rate(pair);
        let rate = if is_time { rate } else { Rate { amount: 0, ..rate } };
        self.measured.insert(id, (pair.clone(), rate));
    }

    fn stop(&mut self, id: MeasurementId) {
        self.measured.remove(&id);
    }

    /// Threads begin in `main`, which calls twenty drivers, which call fifty functions each.
    fn callees(&mut self, of: &Resource) {
        let callees = match driver(of) {
            _ if of.is_root() => vec![main_function()],
            _ if *of == main_function() => (0..FUNCTIONS / EACH).map(driver_of).collect(),
            Some(driver) => (driver * EACH..(driver + 1) * EACH).map(code).collect(),
            None => Vec::new(),
        };
        self.events.push_back(Event::Callees(self.now, of.clone(), callees));
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn advance(&mut self) -> bool {
        let goes_on = !self.is_over;
        if goes_on {
            self.step();
        }
        goes_on
    }
}

fn host(machine: u64) -> Resource {
    Resource::root(Hierarchy::Machine).child(&format!("n{machine}"))
}

fn code(function: u64) -> Resource {
    let module = format!("m{}.c", function / 50);
    Resource::root(Hierarchy::Code).child(&module).child(&format!("f{function}"))
}

fn main_function() -> Resource {
    Resource::root(Hierarchy::Code).child("main.c").child("main")
}

fn driver_of(nth: u64) -> Resource {
    Resource::root(Hierarchy::Code).child("drive.c").child(&format!("n{nth}"))
}

fn driver(of: &Resource) -> Option<u64> {
    of.path().starts_with("/Code/drive.c/").then(|| number(of))
}

/// Whether time in a function passes in a site too: it is there, or was called from there.
fn is_inside(site: &Resource, function: u64) -> bool {
    let callers = [main_function(), driver_of(function / EACH)];
    site.contains(&code(function)) || callers.contains(site)
}

/// The function of a planted bottleneck.
const fn function(nth: u64) -> u64 {
    nth * 377 % FUNCTIONS
}

const fn category(nth: u64) -> Category {
    [Category::User, Category::Receive, Category::Write][(nth % 3) as usize]
}

/// Whether a focus names no object and no file.
fn is_anywhere(focus: &Focus) -> bool {
    focus.is_root(Hierarchy::SyncObject) && focus.is_root(Hierarchy::File)
}

fn number(resource: &Resource) -> u64 {
    let digits = resource.path().rsplit(['/', 'n']).next().unwrap_or_default();
    digits.parse().expect("machines and processes are numbered")
}
