//! The page that the study leaves.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Result;

use super::Sc97Options;
use super::bench::Bench;
use super::told::HEAD;
use crate::written_on::written_on;

/// What the study is, and where it was made.
pub(super) fn opening(options: Sc97Options, has_precedence: bool, took: Duration) -> String {
    let written = written_on(took);
    let precedence = if has_precedence {
        "the runs went before all other work of the machine"
    } else {
        "other work of the machine was not held back"
    };
    format!(
        "# Experiment management: a port, a history of tuning, and 2 to 16 processes\n\n\
        Karavanic and Miller show with three programs what it is good for to see runs as experiments (\"Experiment Management Support for Performance Tuning\", SC97, section 3). \
        `cargo xtask study sc97` asks the same of programs that were written for it (`tests/programs/sc97/`): an ocean of one layer under wind, by a master and workers that exchange messages, and \
        a chain that folds, by threads that share a matrix of contacts. Each program checks its result (water is neither lost nor made; the matrix is what one thread finds by looking at each pair), and the study \
        checks that all versions, with any number of processes, print the same to the letter.\n\n\
        Each version was run {} times under `whyperf run`, the versions by turns; ± is the standard deviation of the trials, and of three figures in a cell the first is the middle, those in parentheses the least and the greatest. \
        What `compare` and `scale` print is set below each table as it is. {written}; {precedence}.\n",
        options.trials,
    )
}

/// The first case study.
pub(super) fn port(bench: &Bench) -> Result<String> {
    let mut text = "\n## A port to another library\n\n\
        The paper's program came from one library of messages to another, and what it asks first is what else became of it on the way. Here `port/strips` packs the rows that neighbours exchange into strips, byte by byte; \
        `port/rows` sends them from where they lie; `port/mpich` is the same source with the other MPI. The first step changes the source alone, the second the library alone.\n"
        .to_owned();
    let source = bench.compare("port/strips", "port/rows")?;
    let library = bench.compare("port/rows", "port/mpich")?;
    let crowded = bench.compare("crowded/openmpi", "crowded/mpich")?;
    text += HEAD;
    text.extend([&source, &library, &crowded].map(super::told::Comparison::row));
    text += "\nThe structural difference of the first step is that of the paper's Figure 6: procedures of the older version alone, and message tags of each. The library leaves the tags as they are. \
        The last row is the same change of the library with four processes on these processors: a process that waits under MPICH holds its processor, under Open MPI it offers it to others.\n\n";
    for one in [source, library, crowded] {
        text += &one.whole();
        text.push('\n');
    }
    Ok(text)
}

/// The second one.
pub(super) fn tuning(bench: &Bench) -> Result<String> {
    let mut text = "\n## A history of tuning\n\n\
        Three versions of the chain, two threads. In `tuning/1` the threads note their contacts and the first one adds them up while the other waits, which is the serial portion of the paper's first version. In `tuning/2` each thread adds to a part of its own, \
        but the parts lie in the same lines of the caches. In `tuning/3` each part has lines of its own.\n"
        .to_owned();
    let steps = [("tuning/1", "tuning/2"), ("tuning/2", "tuning/3"), ("tuning/1", "tuning/3")];
    let all: Result<Vec<_>> = steps.iter().map(|(a, b)| bench.compare(a, b)).collect();
    let all = all?;
    text += HEAD;
    text.extend(all.iter().map(super::told::Comparison::row));
    text += "\n| version | processor time, s | waiting for each other, s | in `add_noted` alone, s | in `take_contact` alone, s |\n|---|---|---|---|---|\n";
    for version in ["tuning/1", "tuning/2", "tuning/3"] {
        let _ = write!(text, "| `{version}` |");
        for metric in [
            "cpu",
            "sync_wait",
            "cpu at </Code/matrix.c/add_noted>",
            "cpu at </Code/matrix.c/take_contact>",
        ] {
            let _ = write!(text, " {} |", bench.spread(metric, version, SECONDS)?);
        }
        text.push('\n');
    }
    text.push('\n');
    for one in all {
        text += &one.whole();
        text.push('\n');
    }
    Ok(text)
}

/// The third one.
pub(super) fn scaling(bench: &Bench) -> Result<String> {
    let mut text = "\n## 2 to 16 processes\n\n\
        The same basin with one worker, with three, with seven and with fifteen. The paper had a node for each process. Here all share the processors named above: from four processes on they take turns. One that waits for a message offers its processor to the others and is counted as waiting for messages, so what the turns cost is found there and not among the waiting for a processor. Times and speed-ups are those of this machine, and say nothing of one that has a processor for each.\n\n\
        | processes | processor time, s | waiting for messages, s | waiting for a processor, s | messages |\n|---|---|---|---|---|\n"
        .to_owned();
    for processes in ["2", "4", "8", "16"] {
        let experiment = format!("scaling/{processes}");
        let _ = write!(text, "| {processes} |");
        for metric in ["cpu", "sync_wait", "run_delay"] {
            let _ = write!(text, " {} |", bench.spread(metric, &experiment, SECONDS)?);
        }
        let _ = writeln!(text, " {} |", bench.spread("msgs", &experiment, 1.0)?);
    }
    text += &printed(
        bench,
        &[
            "scale",
            "experiment:scaling/2",
            "experiment:scaling/4",
            "experiment:scaling/8",
            "experiment:scaling/16",
        ],
    )?;
    text += HEAD;
    let steps =
        [("scaling/2", "scaling/4"), ("scaling/4", "scaling/8"), ("scaling/8", "scaling/16")];
    let mut all = Vec::new();
    for (a, b) in steps {
        all.push(bench.compare(a, b)?);
    }
    text.extend(all.iter().map(super::told::Comparison::row));
    text.push('\n');
    for one in all {
        text += &one.whole();
        text.push('\n');
    }
    let question = "cpu at </Process/*> of run:latest aggregate cluster 10%";
    text += "### The processes of the last run, in clusters\n\nThose whose processor time lies within a tenth of the largest, as one.\n";
    text += &printed(bench, &["query", question])?;
    text += "\n## What the programs printed\n\n```\n";
    for line in bench.printed() {
        text += line;
        text.push('\n');
    }
    Ok(text + "```\n")
}

/// What a verb prints, after the words that it is called with.
fn printed(bench: &Bench, words: &[&str]) -> Result<String> {
    let told = bench.printed_by(words)?;
    let shown: Vec<String> = words
        .iter()
        .map(|word| if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() })
        .collect();
    Ok(format!("\n```\n$ whyperf {}\n{}\n```\n", shown.join(" "), told.trim_end()))
}

/// Times are stored in nanoseconds.
const SECONDS: f64 = 1e-9;
