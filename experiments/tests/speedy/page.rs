//! The page of the study, whose figures are those that come out.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use whyperf_extrapolate::{Activity, Event};

use crate::matmul::{self, Distribution, ORDER};
use crate::poisson::{self, Part, SIZE};
use crate::target::{PROCESSORS, SPEED, cm5, run, seconds};

fn page() -> String {
    let mut text = format!(
        "# Speedy: its experiments repeated\n\n{INTRODUCTION}\
         * **Machine.** `whyperf machine show cm5`: latency 6 µs, overheads 2.2 µs, gap 4 µs, 10 MB/s a port, the linear barrier of ExtraP by messages. Its processors do {:.0} million operations a second here.\n\n",
        SPEED / 1e6
    );
    text += &matmul();
    text += &poisson();
    text
}

const INTRODUCTION: &str = "\
Mohr, Malony and Shanmugam show with two programs what extrapolation is for (\"Speedy: An Integrated Performance Extrapolation Tool for pC++ Programs\", 1995). This page repeats both on the same machine model. \
`cargo test -p whyperf-experiments --test speedy` simulates them and compares every figure below with what comes out (`UPDATE_GOLDEN=1` rewrites the page).\n\n\
* **Traces.** They are generated: `experiments/tests/speedy/` says what each thread of each program does. The programs of the paper are not at hand, so times are not comparable with its figures; the order of the variants and the shapes of the curves are.\n\
* **Assumptions** that the paper does not settle: the sizes, the speed of a processor, the operations that moving a contiguous piece takes, and of the machine the service policy (requests are answered by threads that wait) and the unit of the barrier's parameters.\n";

fn matmul() -> String {
    let mut text = format!(
        "## MatMul (Figure 9)\n\n\
         The product of two matrices of {ORDER} by {ORDER} numbers in nine distributions. A thread reads the parts of rows and columns that it needs from their owners, all of one owner at once, and multiplies. \
         Distributions in both dimensions use a square of threads, so with 2, 8 and 32 they leave some without work.\n\n\
         Milliseconds on the CM-5; the best of each column and what is within 1 % of it are bold.\n\n| distribution |"
    );
    PROCESSORS.iter().for_each(|processors| {
        let _ = write!(text, " {processors} |");
    });
    text += &format!("\n|---|{}\n", "---|".repeat(PROCESSORS.len()));
    let all: Vec<(Distribution, [f64; 6])> = Distribution::all()
        .into_iter()
        .map(|of| (of, PROCESSORS.map(|count| seconds(&matmul::threads(of, count)) * 1e3)))
        .collect();
    for (distribution, times) in &all {
        let _ = write!(text, "| {distribution} |");
        for (at, time) in times.iter().enumerate() {
            let is_best = at > 0 && all.iter().all(|(_, others)| others[at] * 1.01 >= *time);
            let mark = if is_best { "**" } else { "" };
            let _ = write!(text, " {mark}{time:.1}{mark} |");
        }
        text.push('\n');
    }
    text += "\nAs in the paper, (BLOCK,WHOLE) is the one to take in general, (BLOCK,BLOCK) wins where the number of processors is a square and beats it on 4 and on 16, and (WHOLE,WHOLE) is a bad choice: one thread has all to do. \
             Cyclic rows are as good as blocks of rows. The paper does not say how large its matrices were: with 128 instead of 256, less is computed for each number that is read, and (BLOCK,BLOCK) wins on 32 as well, with 25 of its threads.\n\n";
    text
}

fn poisson() -> String {
    let mut text = format!(
        "## Poisson (Figure 10)\n\n\
         {SIZE} by {SIZE} points in blocks of rows: sine transforms of each row, cyclic reduction along the columns, sine transforms again. Speed-up on the CM-5, of each part by itself and of the whole.\n\n| part |"
    );
    PROCESSORS.iter().for_each(|processors| {
        let _ = write!(text, " {processors} |");
    });
    text += &format!(" remote accesses with 32 |\n|---|{}---|\n", "---|".repeat(PROCESSORS.len()));
    for part in Part::ALL {
        let _ = write!(text, "| {} |", part.name());
        for speedup in poisson::speedups(part) {
            let _ = write!(text, " {speedup:.2} |");
        }
        let threads = poisson::threads(part, 32);
        let is_read = |event: &&Event| matches!(event, Event::Get(_));
        let _ = writeln!(text, " {} |", threads.iter().flatten().filter(is_read).count());
    }
    let total = run(&poisson::threads(Part::Reduction, 32), &cm5()).total();
    let all: f64 = Activity::ALL.iter().map(|of| total[*of].as_secs()).sum();
    let share = |activity: Activity| total[activity].as_secs() / all * 100.0;
    let _ = write!(
        text,
        "\nSine transforms need nothing of other threads and scale nearly as processors do (paper: 28.69 on 32). Cyclic reduction flattens after 16: on 32 its threads compute for {:.0} % of their time, \
         wait in barriers for {:.0} % and for remote rows for {:.0} %. It is what to tune first, as the paper says. On a larger grid it flattens later: with 255 rows it gains a quarter from 16 to 32.\n",
        share(Activity::Compute),
        share(Activity::Barrier),
        share(Activity::RemoteAccess)
    );
    text
}

#[test]
fn the_page_has_the_figures_that_come_out() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/studies/speedy.md");
    let page = page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &page).expect("writable");
    }
    let written = fs::read_to_string(&path).expect("it is there: UPDATE_GOLDEN=1 writes it");
    assert_eq!(written, page, "UPDATE_GOLDEN=1 rewrites {}", path.display());
}
