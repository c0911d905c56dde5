//! The thread that drains the rings, from before the program begins until it is over.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use whyperf_instrument::Objects;
use whyperf_layout::RingEntry;

use super::collected::{CollectedTrace, TracedThread};
use super::stream::{ENTRY, ROOM, Stream};
use super::traced_process::TracedMemory;
use crate::clock::Moment;
use crate::symbols::SymbolReader;

/// Drains the rings of a run directory.
#[derive(Debug)]
pub struct TraceCollector {
    is_over: Arc<AtomicBool>,
    worker: JoinHandle<io::Result<CollectedTrace>>,
}

impl TraceCollector {
    /// Begins to drain what appears in the directory into a spool of at most so many bytes.
    ///
    /// # Errors
    /// When the spool cannot be made, or no thread.
    pub fn start(directory: &Path, spool: &Path, limit: u64) -> io::Result<Self> {
        let file = File::options().create_new(true).read(true).write(true).open(spool)?;
        let is_over = Arc::<AtomicBool>::default();
        let mut collecting = Collecting {
            directory: directory.to_owned(),
            spool: BufWriter::with_capacity(1 << 20, file.try_clone()?),
            written: 0,
            most: limit / ENTRY as u64,
            streams: Vec::new(),
            processes: Vec::new(),
            known: BTreeSet::new(),
            changed: None,
            code: SymbolReader::new(Arc::new(Objects::of_user())),
            idle: 0,
            room: vec![RingEntry::default(); ROOM],
            unread: Vec::new(),
        };
        let seen = Arc::clone(&is_over);
        let begun = Moment::now();
        let body = move || {
            let mut fault = None;
            while !seen.load(Ordering::Relaxed) {
                match collecting.pass() {
                    Ok(0) => thread::park_timeout(IDLE),
                    Ok(_) => thread::park_timeout(BUSY),
                    // The program goes on, and its rings are overwritten: the end tells why.
                    Err(error) => {
                        fault = Some(error);
                        break;
                    }
                }
            }
            if let Some(error) = fault {
                return Err(error);
            }
            collecting.pass()?;
            collecting.spool.flush()?;
            Ok(collecting.told(file, begun))
        };
        let worker = thread::Builder::new().name("whyperf-trace".to_owned()).spawn(body)?;
        Ok(Self { is_over, worker })
    }

    /// Takes what is left, when no traced thread will record any more.
    ///
    /// # Errors
    /// When the spool could not be written.
    pub fn finish(self) -> io::Result<CollectedTrace> {
        self.is_over.store(true, Ordering::Relaxed);
        self.worker.thread().unpark();
        self.worker
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the thread that drains failed")))
    }
}

/// Between two looks when nothing came, and when something did.
const IDLE: Duration = Duration::from_millis(5);
const BUSY: Duration = Duration::from_millis(2);
/// Idle passes from one look at which libraries a process has to the next.
const CODE_AGE: u64 = 100;
/// A directory that changed this recently may change again within the same tick of its clock.
const SETTLED: Duration = Duration::from_millis(100);

#[derive(Debug)]
struct Collecting {
    directory: PathBuf,
    spool: BufWriter<File>,
    /// Entries in the spool, and how many there may be.
    written: u64,
    most: u64,
    streams: Vec<Stream>,
    processes: Vec<TracedMemory>,
    known: BTreeSet<PathBuf>,
    changed: Option<SystemTime>,
    /// Where the code of processes lies.
    code: SymbolReader,
    /// Passes in which nothing came.
    idle: u64,
    room: Vec<RingEntry>,
    /// Rings that could not be opened, and why.
    unread: Vec<String>,
}

impl Collecting {
    /// Looks at all rings once; answers how many entries came.
    fn pass(&mut self) -> io::Result<u64> {
        self.discover();
        let mut came = 0;
        for stream in self.streams.iter_mut().filter(|stream| stream.is_open()) {
            let at = (self.written * ENTRY as u64, self.most - self.written);
            let written = stream.drain(&mut self.room, &mut self.spool, at)?;
            self.written += written;
            came += written;
        }
        if came == 0 {
            self.close_gone();
        }
        Ok(came)
    }

    /// Gives the memory of threads back whose processes are gone: nothing came from them in this pass.
    fn close_gone(&mut self) {
        self.idle += 1;
        if self.idle.is_multiple_of(CODE_AGE) {
            (0..).take(self.processes.len()).for_each(|process| self.code.look_again(process));
        }
        let gone: Vec<bool> = (self.processes.iter())
            .map(|process| !Path::new("/proc").join(process.pid.to_string()).exists())
            .collect();
        for stream in self.streams.iter_mut().filter(|stream| stream.is_open()) {
            if gone[stream.process] {
                // Its last entries may have come since.
                let at = (self.written * ENTRY as u64, self.most - self.written);
                if let Ok(written) = stream.drain(&mut self.room, &mut self.spool, at) {
                    self.written += written;
                    if stream.close() {
                        // A later process of the same number may make one of the same name.
                        self.known.remove(&stream.path);
                    }
                }
            }
        }
    }

    fn discover(&mut self) {
        let changed = fs::symlink_metadata(&self.directory).and_then(|facts| facts.modified());
        let changed = changed.ok();
        if changed.is_none() || changed == self.changed {
            return;
        }
        let age = changed.and_then(|at| SystemTime::now().duration_since(at).ok());
        let mut waits = false;
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let Some(pid) = process_of(&path) else { continue };
            if self.known.contains(&path) {
                continue;
            }
            waits |= !self.take(&path, pid);
        }
        let is_settled = age.is_some_and(|age| age > SETTLED) && !waits;
        self.changed = changed.filter(|_| is_settled);
    }

    /// Begins to drain a ring; false when it is not ready yet. A region is published before the rings of its threads are.
    fn take(&mut self, path: &Path, pid: u32) -> bool {
        let user = rustix::process::geteuid().as_raw();
        match Stream::open(path, user) {
            Ok(Some(mut stream)) => {
                stream.process = self.process(pid, stream.region, user);
                self.streams.push(stream);
            }
            Ok(None) => return false,
            Err(error) => self.unread.push(format!("{}: {error}", path.display())),
        }
        self.known.insert(path.to_owned());
        true
    }

    /// The number of the process whose region began then.
    fn process(&mut self, pid: u32, began: u64, user: u32) -> usize {
        let found = self.processes.iter().rposition(|process| process.is_of(pid, began));
        found.unwrap_or_else(|| {
            let process = TracedMemory::find(&self.directory, pid, began, user);
            self.code.watch(self.processes.len() as u32, pid, process.program());
            self.processes.push(process);
            self.processes.len() - 1
        })
    }

    fn told(mut self, spool: File, begun: Moment) -> CollectedTrace {
        let unread = self.processes.iter().filter(|process| process.is_unread()).count();
        if unread > 0 {
            self.unread.push(format!("{unread} processes were gone before their names were read"));
        }
        let threads = self.streams.into_iter().map(|stream| TracedThread {
            process: stream.process,
            thread: stream.thread,
            number: stream.number,
            lost: stream.lost,
            left_out: stream.left_out,
            dropped: stream.dropped,
            chunks: stream.chunks,
        });
        let code = &mut self.code;
        let told = (0..).zip(&self.processes).map(|(number, process)| process.told(number, code));
        let (processes, moments) = (told.collect(), [begun, Moment::now()]);
        let what = (threads.collect(), processes, self.unread);
        CollectedTrace::new(spool, what, self.code, moments)
    }
}

/// The process of a ring's file, `<pid>-<thread>.trace`.
fn process_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?.strip_suffix(".trace")?;
    let (pid, thread) = name.split_once('-')?;
    thread.parse::<u32>().ok()?;
    pid.parse().ok()
}
