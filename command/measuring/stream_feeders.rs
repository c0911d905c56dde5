//! Feeds streams of other sources to a run that is shown while it goes on: a command prints, or a file grows.
//!
//! Each has a thread of its own, which reads no faster than the page takes it: whoever prints more waits. All end with the run.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read as _};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::time::{ClockId, clock_gettime};
use whyperf_viewer::{DataStream, ViewedRun};

use crate::measuring::options::MeasuringOptions;
use crate::output::delivery;
use crate::output::streams::{FoundStream, StreamSource};
use crate::output::terminal::Screen;

/// The sources of the streams of a run. They end when this is dropped.
#[derive(Debug)]
pub(crate) struct StreamFeeders {
    /// When the run began.
    begin: Instant,
    is_over: Arc<AtomicBool>,
    commands: Vec<Child>,
}

/// Between two looks at a file that may have grown.
const LOOK: Duration = Duration::from_millis(250);
/// So many lines are handed over at once.
const MOST_LINES: usize = 1000;
/// For each moment that a stream takes of a processor it rests for so many: one that comes all the time takes a fiftieth.
const REST: u32 = 49;
/// A longer line is cut.
const LONGEST_LINE: u64 = 1 << 16;

impl StreamFeeders {
    /// Begins with the streams that were asked for. One that cannot be read is a warning.
    pub(crate) fn begin(
        options: &MeasuringOptions,
        run: &Arc<ViewedRun>,
        elapsed: Duration,
        screen: &mut Screen,
    ) -> Self {
        let begin = Instant::now().checked_sub(elapsed).unwrap_or_else(Instant::now);
        let mut feeders = Self { begin, is_over: Arc::default(), commands: Vec::new() };
        let named = options.streams.stream.iter().map(|named| named.find());
        let commands = options.stream_cmd.iter().map(|command| {
            let source = StreamSource::Command(command.clone());
            Ok(FoundStream { source, declaration: Default::default() })
        });
        for found in named.chain(commands) {
            let begun = found.and_then(|found| feeders.add(found, run));
            if let Err(error) = begun {
                screen.warn(&format!("a stream is not shown: {}", delivery::words(&error)));
            }
        }
        feeders
    }

    fn add(&mut self, found: FoundStream, run: &Arc<ViewedRun>) -> Result<()> {
        let FoundStream { source, declaration } = found;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let began = now.saturating_sub(self.begin.elapsed());
        let stream = DataStream::new(&source.name(), &declaration, began.as_secs_f64());
        let feeder = |stream| Feeder {
            run: Arc::clone(run),
            number: run.add_stream(stream),
            begin: self.begin,
            is_over: Arc::clone(&self.is_over),
        };
        match &source {
            StreamSource::File(path) => {
                let reading = || format!("reading {}", path.display());
                // Opening a named pipe waits for whoever writes into it.
                let waits = fs::metadata(path).with_context(reading)?.file_type().is_fifo();
                let file = (!waits).then(|| File::open(path)).transpose().with_context(reading)?;
                let (feeder, path) = (feeder(stream), path.clone());
                start(move || match file.map_or_else(|| File::open(path), Ok) {
                    Ok(file) => feeder.follow(BufReader::new(file)),
                    Err(error) => feeder.run.complain_of_stream(feeder.number, &error.to_string()),
                })
            }
            StreamSource::Command(command) => {
                let mut child = shell(command).with_context(|| format!("starting {command:?}"))?;
                let printed = child.stdout.take().context("reading what it prints")?;
                let feeder = feeder(stream.stamped());
                self.commands.push(child);
                start(move || feeder.read(BufReader::new(printed)))
            }
        }
    }
}

impl Drop for StreamFeeders {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for child in &mut self.commands {
            // What a shell started belongs to its group.
            let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            if let Some(group) = group {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = child.wait();
        }
    }
}

/// A command with a process group of its own: what the terminal sends to the program does not mean it.
fn shell(command: &str) -> io::Result<Child> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
    // Commands that print tables for people do so in other ways elsewhere.
    shell.env("LC_ALL", "C").spawn()
}

fn start(work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name("whyperf-stream".into()).spawn(work);
    thread.map(drop).context("starting a thread that reads a stream")
}

/// Reads lines, and hands them over.
struct Feeder {
    run: Arc<ViewedRun>,
    number: usize,
    begin: Instant,
    is_over: Arc<AtomicBool>,
}

impl Feeder {
    /// Until the command ends.
    fn read(&self, mut lines: BufReader<impl io::Read>) {
        let mut rest = Vec::new();
        let mut pace = Pace::new();
        while self.take(&mut lines, &mut rest).is_some_and(|taken| taken > 0) {
            pace.rest();
        }
        if !self.is_over.load(Ordering::Relaxed) {
            self.run.complain_of_stream(self.number, "the command has ended");
        }
    }

    /// Until the run is over: a file may grow.
    fn follow(&self, mut lines: BufReader<impl io::Read>) {
        let mut rest = Vec::new();
        let mut pace = Pace::new();
        while let Some(taken) = self.take(&mut lines, &mut rest) {
            if taken == 0 {
                thread::sleep(LOOK);
            }
            pace.rest();
        }
    }

    /// Takes the whole lines that are there, and answers with how many bytes those were; none when it is enough. What is left of a line waits for more of it.
    fn take(&self, from: &mut BufReader<impl io::Read>, rest: &mut Vec<u8>) -> Option<usize> {
        let mut lines = Vec::new();
        let mut taken = 0;
        loop {
            let read = from.by_ref().take(LONGEST_LINE).read_until(b'\n', rest).ok()?;
            if self.is_over.load(Ordering::Relaxed) {
                return None;
            }
            taken += read;
            if rest.ends_with(b"\n") || rest.len() as u64 >= LONGEST_LINE {
                lines.push(String::from_utf8_lossy(rest).into_owned());
                rest.clear();
            }
            let has_more = from.buffer().contains(&b'\n');
            if !has_more || lines.len() >= MOST_LINES {
                break;
            }
        }
        if !lines.is_empty() {
            self.run.feed_stream(self.number, &lines, self.begin.elapsed().as_secs_f64());
        }
        Some(taken)
    }
}

/// How fast a thread goes: its running time, and for how long it rests for that.
struct Pace {
    /// What it ran for when it rested last.
    before: Duration,
}

impl Pace {
    fn new() -> Self {
        Self { before: ran() }
    }

    /// Rests for what was done since the last rest.
    fn rest(&mut self) {
        thread::sleep(REST * ran().saturating_sub(self.before));
        self.before = ran();
    }
}

/// For how long the calling thread has run.
fn ran() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = Duration::from_secs(time.tv_sec.try_into().unwrap_or(0));
    seconds + Duration::from_nanos(time.tv_nsec.try_into().unwrap_or(0))
}
