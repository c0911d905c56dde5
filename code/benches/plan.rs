//! Measures the planning of all functions of whole objects: patch classes, thunks, refusals, time and memory.
//!
//! Plans the objects that are named, or libraries that most systems have. `--test` plans a part of each.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use whyperf_code::plan::{Islands, Refusal, SiteClass, plan};
use whyperf_code::{FunctionId, Object};

/// Libraries looked for where Debian keeps them.
const LIBRARIES: [&str; 5] =
    ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgfortran.so.5", "libmpi.so.40"];
const FOLDER: &str = "/usr/lib/x86_64-linux-gnu";
/// Functions of each object when only trying.
const TRIED: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_trial = arguments.iter().any(|argument| argument == "--test");
    let mut paths: Vec<PathBuf> =
        arguments.iter().filter(|argument| !argument.starts_with("--")).map(Into::into).collect();
    if paths.is_empty() {
        paths = LIBRARIES.iter().map(|name| Path::new(FOLDER).join(name)).collect();
        paths.extend(["/usr/bin/python3".into()]);
        paths.retain(|path| path.exists());
    }
    let most = if is_trial { TRIED } else { usize::MAX };
    for path in paths {
        match Object::open(&path) {
            Ok(object) => Statistics::of(&object, most).print(&path),
            Err(error) => println!("{error}"),
        }
    }
}

/// What planning one object came to.
#[derive(Default)]
struct Statistics {
    classes: BTreeMap<SiteClass, usize>,
    /// By what is known of arguments on the stack.
    stacked: BTreeMap<&'static str, usize>,
    refusals: BTreeMap<&'static str, usize>,
    loops: usize,
    never_return: usize,
    scanning: Duration,
    planning: Duration,
    slowest: Duration,
    grown: u64,
}

impl Statistics {
    fn of(object: &Object, most: usize) -> Self {
        let mut found = Self::default();
        let before = Instant::now();
        let count = object.functions().len().min(most);
        black_box(object.branches().len());
        found.scanning = before.elapsed();
        let memory = resident();
        let mut islands = Islands::new();
        let plans: Vec<_> =
            (0..count).filter_map(|index| found.take(object, index, &mut islands)).collect();
        found.grown = resident().saturating_sub(memory);
        drop(black_box(plans));
        found
    }

    fn take(
        &mut self,
        object: &Object,
        index: usize,
        islands: &mut Islands,
    ) -> Option<whyperf_code::plan::Plan> {
        let id = FunctionId(u32::try_from(index).expect("functions are counted in 32 bits"));
        let before = Instant::now();
        let planned = plan(object, id, islands);
        let took = before.elapsed();
        self.planning += took;
        self.slowest = self.slowest.max(took);
        match planned {
            Ok(plan) => {
                *self.classes.entry(plan.class).or_default() += 1;
                let stacked = match plan.stacked {
                    Ok(0) => "no arguments on the stack",
                    Ok(_) => "arguments on the stack",
                    Err(_) => "unknown arguments",
                };
                *self.stacked.entry(stacked).or_default() += 1;
                self.loops += usize::from(plan.loops_to_entry);
                self.never_return += usize::from(!plan.returns);
                Some(plan)
            }
            Err(refusal) => {
                *self.refusals.entry(Refusal::code(&refusal)).or_default() += 1;
                None
            }
        }
    }

    fn print(&self, path: &Path) {
        let planned: usize = self.classes.values().sum();
        let refused: usize = self.refusals.values().sum();
        let stubs = self.refusals.get("plt-stub").copied().unwrap_or(0)
            + self.refusals.get("cold-fragment").copied().unwrap_or(0);
        let candidates = planned + refused - stubs;
        println!(
            "\n{}: {} functions, {candidates} of them callable",
            path.display(),
            planned + refused
        );
        let part = |count: usize| 100.0 * count as f64 / candidates.max(1) as f64;
        for (class, count) in &self.classes {
            println!("  {class:<28?} {count:>6} {:>5.1} %", part(*count));
        }
        for (stacked, count) in &self.stacked {
            println!("  {stacked:<28} {count:>6} {:>5.1} %", part(*count));
        }
        println!("  loops to its entry           {:>6}", self.loops);
        println!("  never returns                {:>6}", self.never_return);
        for (code, count) in &self.refusals {
            println!("  {code:<28} {count:>6} {:>5.1} %", part(*count));
        }
        let each = self.planning.as_secs_f64() * 1e6 / (planned + refused).max(1) as f64;
        println!(
            "  functions and branches {:.0} ms, planning {:.0} ms: {each:.1} us each, slowest {:.1} ms, {} KiB",
            self.scanning.as_secs_f64() * 1e3,
            self.planning.as_secs_f64() * 1e3,
            self.slowest.as_secs_f64() * 1e3,
            self.grown >> 10
        );
    }
}

/// Bytes of memory this process has.
fn resident() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}
