//! Measures the cost of a begin/end pair, compared with two bare reads of the time stamp counter in the same loop.
//!
//! It runs itself under the shipped library with a run directory of its own. The bare reads (the floor) and the pairs take
//! turns, round by round; a round whose two floors differ is discarded; the median counts. `cargo bench --bench event`;
//! with `-- --test` one tiny round, to see that it runs, and with `-- --traced` each event is recorded, too.

mod shipped;

use std::arch::x86_64::_rdtsc;
use std::env;
use std::ffi::{CStr, CString, c_char, c_void};
use std::hint::black_box;
use std::mem::transmute;
use std::process::{Command, ExitCode};
use std::sync::Barrier;
use std::thread;

use shipped::{in_memory, library};

/// `whyperf_region` of the C interface.
#[repr(C)]
struct Region {
    name: *const c_char,
    id: u32,
    kind: u32,
}

// SAFETY: the C library has this signature.
unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

#[derive(Clone, Copy)]
struct Library {
    begin: unsafe extern "C" fn(*mut Region) -> bool,
    end: unsafe extern "C" fn(*mut Region),
    pause: unsafe extern "C" fn(),
    resume: unsafe extern "C" fn(),
}

/// How long to measure.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    pairs: usize,
}

/// A way through regions: each step begins some, nested, and ends them again.
struct Walk {
    name: &'static str,
    steps: Vec<Vec<usize>>,
}

/// What a walk costs, in ticks a pair.
struct Cost {
    floor: f64,
    pair: f64,
}

const MEASURED: &str = "WHYPERF_BENCH_MEASURED";

fn main() -> ExitCode {
    let tiny = env::args().any(|argument| argument == "--test");
    if env::var_os(MEASURED).is_none() {
        return run_measured(tiny);
    }
    let effort = if tiny {
        Effort { rounds: 1, pairs: 200 }
    } else {
        Effort { rounds: 2_001, pairs: 2_000 }
    };
    report(Library::loaded(), effort);
    ExitCode::SUCCESS
}

/// Starts this program once more, with the library preloaded.
fn run_measured(tiny: bool) -> ExitCode {
    let directory = in_memory("event");
    let mut again = Command::new(env::current_exe().expect("a running program has a path"));
    again.env("LD_PRELOAD", library()).env("WHYPERF_DIR", &directory.0);
    again.env(MEASURED, "1").env("WHYPERF_COST_LIMIT", "0");
    if tiny {
        again.arg("--test");
    }
    if env::args().any(|argument| argument == "--traced") {
        again.env("WHYPERF_TRACE", "1");
    }
    match again.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("event: the measured program ended with {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("event: starting the measured program: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Library {
    fn loaded() -> Self {
        let symbol = |name: &CStr| {
            // SAFETY: a string that ends with zero; null stands for the whole program.
            let found = unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) };
            assert!(!found.is_null(), "{name:?} is not exported");
            found
        };
        // SAFETY: the library exports these functions with these signatures; see its header.
        unsafe {
            Self {
                begin: transmute::<*mut c_void, unsafe extern "C" fn(*mut Region) -> bool>(symbol(
                    c"whyperf_region_begin",
                )),
                end: transmute::<*mut c_void, unsafe extern "C" fn(*mut Region)>(symbol(
                    c"whyperf_region_end",
                )),
                pause: transmute::<*mut c_void, unsafe extern "C" fn()>(symbol(
                    c"whyperf_measurement_pause",
                )),
                resume: transmute::<*mut c_void, unsafe extern "C" fn()>(symbol(
                    c"whyperf_measurement_resume",
                )),
            }
        }
    }
}

fn report(library: Library, effort: Effort) {
    println!("{:<28} {:>10} {:>10} {:>7}", "walk", "2 rdtsc", "pair", "ratio");
    for walk in walks() {
        print(walk.name, &measure(&walk, library, effort));
    }
    for (number, cost) in on_two_threads(library, effort).iter().enumerate() {
        print(&format!("two threads, number {}", number + 1), cost);
    }
    // SAFETY: no arguments.
    unsafe { (library.pause)() };
    print("switched off", &measure(&ladder("switched off", 1), library, effort));
    // SAFETY: no arguments.
    unsafe { (library.resume)() };
}

fn print(name: &str, cost: &Cost) {
    let ratio = cost.pair / cost.floor;
    println!("{name:<28} {:>10.1} {:>10.1} {ratio:>7.2}", cost.floor, cost.pair);
}

fn walks() -> Vec<Walk> {
    vec![
        ladder("depth 1", 1),
        ladder("depth 2", 2),
        ladder("depth 10", 10),
        ladder("depth 100", 100),
        fan("fan-out 8, in turn", 8, false),
        fan("fan-out 64, in turn", 64, false),
        fan("fan-out 8, random", 8, true),
        fan("fan-out 64, random", 64, true),
        tree("2000 nodes, in turn", false),
        tree("2000 nodes, random", true),
    ]
}

fn ladder(name: &'static str, depth: usize) -> Walk {
    Walk { name, steps: vec![(0..depth).collect()] }
}

fn fan(name: &'static str, width: usize, is_random: bool) -> Walk {
    let mut random = Random(1);
    let next = |at| vec![if is_random { random.below(width) } else { at % width }];
    Walk { name, steps: (0..4096).map(next).collect() }
}

/// 44 parents of 44 children each: 1980 nodes.
fn tree(name: &'static str, is_random: bool) -> Walk {
    let mut random = Random(2);
    let steps = (0..1936).map(|at| if is_random { random.below(1936) } else { at });
    Walk { name, steps: steps.map(|at| vec![at / 44, 44 + at % 44]).collect() }
}

/// A small generator, so that every run walks the same way.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn on_two_threads(library: Library, effort: Effort) -> Vec<Cost> {
    let start = Barrier::new(2);
    let one = || {
        start.wait();
        measure(&ladder("two threads", 10), library, effort)
    };
    thread::scope(|scope| {
        let both = [scope.spawn(one), scope.spawn(one)];
        both.map(|thread| thread.join().expect("a thread that only counts")).into()
    })
}

fn measure(walk: &Walk, library: Library, effort: Effort) -> Cost {
    let regions = regions(walk);
    let pairs_of_step = walk.steps[0].len();
    let turns = (effort.pairs / (pairs_of_step * walk.steps.len())).max(1);
    let pairs = (turns * walk.steps.len() * pairs_of_step) as f64;
    let floor = || ticks(|| (0..turns).for_each(|_| walk_bare(walk, &regions))) / pairs;
    let events = || ticks(|| (0..turns).for_each(|_| walk_events(walk, &regions, library))) / pairs;
    events();
    let (mut floors, mut costs) = (Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let (before, cost, after) = (floor(), events(), floor());
        if (before - after).abs() < 0.04 * before || effort.rounds == 1 {
            floors.push((before + after) / 2.0);
            costs.push(cost);
        }
    }
    Cost { floor: median(floors), pair: median(costs) }
}

/// The regions of a walk, their names kept for good, as statics of a program would be.
fn regions(walk: &Walk) -> Vec<*mut Region> {
    let count = walk.steps.iter().flatten().max().map_or(0, |last| last + 1);
    (0..count)
        .map(|at| {
            let name = CString::new(format!("{} {at}", walk.name)).expect("no zero in it");
            Box::into_raw(Box::new(Region { name: name.into_raw(), id: 0, kind: 0 }))
        })
        .collect()
}

fn ticks(work: impl FnOnce()) -> f64 {
    // SAFETY: every x86-64 processor has this instruction.
    let began = unsafe { _rdtsc() };
    work();
    // SAFETY: as above.
    let ended = unsafe { _rdtsc() };
    (ended - began) as f64
}

#[inline(never)]
fn walk_bare(walk: &Walk, regions: &[*mut Region]) {
    for step in &walk.steps {
        for at in step {
            black_box(regions[*at]);
            // SAFETY: as above.
            black_box(unsafe { _rdtsc() });
        }
        for at in step.iter().rev() {
            black_box(regions[*at]);
            // SAFETY: as above.
            black_box(unsafe { _rdtsc() });
        }
    }
}

#[inline(never)]
fn walk_events(walk: &Walk, regions: &[*mut Region], library: Library) {
    for step in &walk.steps {
        for at in step {
            // SAFETY: the regions live for ever, as the library demands.
            unsafe { (library.begin)(regions[*at]) };
        }
        for at in step.iter().rev() {
            // SAFETY: as above.
            unsafe { (library.end)(regions[*at]) };
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "every round was disturbed: is the machine busy?");
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
