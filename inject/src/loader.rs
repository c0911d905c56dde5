//! Makes a running process load the library and call its entry: the hijacked thread starts a fresh one that does both.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::thread;
use std::time::{Duration, Instant};

use crate::facts;
use crate::hijacked_thread::{Failure, HijackedThread};
use crate::image::Image;
use crate::maps::ProcessMaps;
use crate::memory::Memory;
use crate::namespaces::own_numbers;
use crate::refusal::AttachRefusal;
use crate::request::AttachRequest;
use crate::restore_trampoline;
use crate::safe_point::{self, is_c_library};
use crate::stub::{self, Word};
use crate::threads;
use crate::walk::{Images, StackCopy};

/// A process while it is made to load the library.
#[derive(Debug)]
pub(crate) struct Loader<'a> {
    pid: u32,
    request: &'a AttachRequest<'a>,
    maps: ProcessMaps,
    memory: Memory,
}

/// What has to be called inside of the process.
struct Functions {
    create: u64,
    code_cave: CodeCave,
    words: [(Word, u64); 8],
}

/// Unused bytes of code.
#[derive(Clone, Copy)]
struct CodeCave {
    at: u64,
    /// What they are filled with.
    filling: u8,
}

impl<'a> Loader<'a> {
    /// Looks at the process; touches nothing.
    pub(crate) fn new(pid: u32, request: &'a AttachRequest<'a>) -> Result<Self, AttachRefusal> {
        let memory = Memory::open(pid).map_err(|_| not_allowed(pid))?;
        let maps = ProcessMaps::of(pid);
        let begin = maps.with_code().next().map_or(0, |mapped| mapped.range.start);
        // What may be opened may still not be read.
        memory.read(begin, &mut [0]).map_err(|_| not_allowed(pid))?;
        Ok(Self { pid, request, maps, memory })
    }

    /// Makes it so; must run in a thread of its own, with whose end all that was held is let go.
    pub(crate) fn load(&self) -> Result<(), AttachRefusal> {
        let functions = self.functions()?;
        let (session, data) = self.start(&functions)?;
        let owed = session.end().map_err(|failure| self.refusal(failure))?;
        threads::deliver(self.pid, &owed);
        self.tell(data, Word::Go)?;
        let outcome = self.await_answer(data);
        let seen = self.tell(data, Word::Seen);
        outcome.and(seen)
    }

    /// Lets the fresh thread go on from where it waits for this word.
    fn tell(&self, data: u64, word: Word) -> Result<(), AttachRefusal> {
        let told = self.memory.write(data + word.offset(), &1_u64.to_le_bytes());
        told.map_err(|source| AttachRefusal::Failed { pid: self.pid, source })
    }

    fn functions(&self) -> Result<Functions, AttachRefusal> {
        let missing =
            |what: &str| AttachRefusal::NoFunction { pid: self.pid, why: what.to_owned() };
        let libraries: Vec<_> =
            self.maps.with_code().filter(|mapped| is_c_library(mapped.name())).collect();
        if libraries.iter().any(|mapped| mapped.deleted) {
            return Err(missing(
                "its C library was replaced on disk since it began; start it again",
            ));
        }
        let images: Vec<Image> =
            libraries.iter().filter_map(|mapped| Image::of(mapped, &self.memory)).collect();
        let place = |name: &str| {
            let found = images.iter().find_map(|image| image.address_of(name));
            found.ok_or_else(|| missing(&format!("its C library has no {name}")))
        };
        let code_cave = self.code_cave(&images);
        Ok(Functions {
            create: place("pthread_create")?,
            code_cave: code_cave
                .ok_or_else(|| missing("no object of it has room behind its code"))?,
            words: [
                (Word::Open, place("dlopen").or_else(|_| place("__libc_dlopen_mode"))?),
                (Word::Find, place("dlsym").or_else(|_| place("__libc_dlsym"))?),
                (Word::Complain, place("dlerror")?),
                (Word::Myself, place("pthread_self")?),
                (Word::Detach, place("pthread_detach")?),
                (Word::Sleep, place("usleep")?),
                (Word::Unmap, place("munmap")?),
                (Word::Entry, self.entry()?),
            ],
        })
    }

    /// Where the library's entry is; 0 when the library is not loaded yet.
    fn entry(&self) -> Result<u64, AttachRefusal> {
        let Some(loaded) = self.request.loaded(&self.maps) else { return Ok(0) };
        let image = Image::of(loaded, &self.memory);
        image.and_then(|image| image.address_of(ENTRY)).ok_or_else(|| AttachRefusal::NoFunction {
            pid: self.pid,
            why: format!(
                "it carries {} already, of a version that cannot be attached to; start it again",
                loaded.path.display()
            ),
        })
    }

    /// Room for a few instructions in the padding behind some object's code: the C library's if it has
    /// any, for the objects of others change while they are looked for.
    fn code_cave(&self, known: &[Image]) -> Option<CodeCave> {
        let free = |image: &Image| {
            let padding = image.padding();
            let last = padding.end.checked_sub(restore_trampoline::CODE_CAVE as u64)?;
            let mut places = (padding.start..=last).rev().step_by(restore_trampoline::CODE_CAVE);
            places.find_map(|at| {
                let bytes = self.memory.read_most(at, restore_trampoline::CODE_CAVE);
                let filling = *bytes.first().filter(|byte| FILLINGS.contains(byte))?;
                let is_whole = bytes.len() == restore_trampoline::CODE_CAVE;
                let is_free = is_whole && bytes.iter().all(|byte| *byte == filling);
                is_free.then_some(CodeCave { at, filling })
            })
        };
        let others = || self.maps.with_code().filter(|mapped| mapped.path.is_absolute());
        known.iter().find_map(free).or_else(|| {
            others().filter_map(|mapped| Image::of(mapped, &self.memory)).find_map(|one| free(&one))
        })
    }

    /// Finds a thread and a moment, and has the fresh thread started.
    fn start(&self, functions: &Functions) -> Result<(HijackedThread, u64), AttachRefusal> {
        let mut images = Images::new(&self.maps, &self.memory);
        let begin = Instant::now();
        let mut place = String::from("no thread of it can be stopped");
        let mut rehearsed = false;
        let mut taken = Vec::new();
        let mut pause = Duration::from_micros(500);
        while begin.elapsed() < SEARCH {
            if !facts::is_there(self.pid) {
                return Err(AttachRefusal::EndedMeanwhile(self.pid));
            }
            let free = threads::of(self.pid).into_iter().filter(|tid| !taken.contains(tid));
            for tid in free.collect::<Vec<_>>() {
                let session = match HijackedThread::begin(tid, STOP) {
                    Ok(session) => session,
                    Err(Failure::Ended) => continue,
                    Err(Failure::Faulted) => {
                        FAULT.clone_into(&mut place);
                        continue;
                    }
                    Err(Failure::Late) => {
                        // It is let go with the end of this thread of ours; until then it is taken.
                        taken.push(tid);
                        continue;
                    }
                    Err(failure) => return Err(self.refusal(failure)),
                };
                let stack = StackCopy::of_stopped(session.registers(), &self.memory);
                if !rehearsed {
                    // Objects are read while the thread runs on; then the look itself is short.
                    rehearsed = true;
                    threads::deliver(
                        self.pid,
                        &session.end().map_err(|failure| self.refusal(failure))?,
                    );
                    images.walk(&stack);
                    break;
                }
                let is_main = tid == self.pid;
                match safe_point::obstacle(&stack, &mut images, is_main) {
                    None => return self.borrow(session, functions),
                    Some(found) => place = found,
                }
                threads::deliver(
                    self.pid,
                    &session.end().map_err(|failure| self.refusal(failure))?,
                );
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        Err(AttachRefusal::UnsafePoint { pid: self.pid, place })
    }

    /// Lets the thread make room and start the fresh one.
    fn borrow(
        &self,
        mut session: HijackedThread,
        functions: &Functions,
    ) -> Result<(HijackedThread, u64), AttachRefusal> {
        match self.prepare(&mut session, functions) {
            Ok(data) => Ok((session, data)),
            Err(failure) => {
                threads::deliver(self.pid, &session.abandon());
                if matches!(failure, Failure::System(_)) {
                    // Else the thread may still be on its way back there.
                    let _ = self.leave(functions.code_cave);
                }
                Err(self.refusal(failure))
            }
        }
    }

    fn prepare(&self, session: &mut HijackedThread, functions: &Functions) -> Result<u64, Failure> {
        let anonymous = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        let mapping = |size: u64, rights: i32| [0, size, rights as u64, anonymous, u64::MAX, 0];
        let code_cave = functions.code_cave;
        self.memory.write(code_cave.at, &restore_trampoline::code_cave(session.state()))?;
        // Never writable and executable at once: the code is written from outside.
        let wanted = mapping(stub::CODE, libc::PROT_READ | libc::PROT_EXEC);
        let code = session.system_call(code_cave.at, libc::SYS_mmap, wanted)?;
        self.memory.write(code, &stub::INSTRUCTIONS)?;
        self.memory.write(
            code + restore_trampoline::TRAMPOLINE,
            &restore_trampoline::code(session.state()),
        )?;
        let wanted = mapping(stub::DATA, libc::PROT_READ | libc::PROT_WRITE);
        let data =
            session.system_call(code + restore_trampoline::SYSTEM_CALL, libc::SYS_mmap, wanted)?;
        self.leave(code_cave)?;
        self.fill(data, code, functions)?;
        let arguments = [data + stub::THREAD, 0, code, data];
        match session.call(code, functions.create, arguments, data + stub::DATA)? {
            0 => Ok(data),
            error => Err(Failure::System(std::io::Error::from_raw_os_error(error))),
        }
    }

    /// Gives the padding its bytes back.
    fn leave(&self, code_cave: CodeCave) -> std::io::Result<()> {
        self.memory.write(code_cave.at, &[code_cave.filling; restore_trampoline::CODE_CAVE])
    }

    /// Writes what the fresh thread needs to know.
    fn fill(&self, data: u64, code: u64, functions: &Functions) -> Result<(), Failure> {
        let text = |at: u64, text: &OsStr| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.push(0);
            self.memory.write(data + at, &bytes)
        };
        text(stub::PATH, self.request.library.as_os_str())?;
        text(stub::DIRECTORY, self.request.directory.as_os_str())?;
        text(stub::NAME, OsStr::new(ENTRY))?;
        let own = [
            (Word::Path, data + stub::PATH),
            (Word::Name, data + stub::NAME),
            (Word::Request, data + stub::REQUEST),
            (Word::DataBase, data),
            (Word::DataSize, stub::DATA),
            (Word::CodeBase, code),
        ];
        for (word, value) in own.into_iter().chain(functions.words) {
            self.memory.write(data + word.offset(), &value.to_le_bytes())?;
        }
        let busy = own_numbers(self.pid, &threads::computing(self.pid, stub::MOST_THREADS));
        let numbers: Vec<u8> = busy.iter().flat_map(|tid| tid.to_le_bytes()).collect();
        self.memory.write(data + stub::THREADS, &numbers)?;
        let (rank, size) = threads::rank(self.pid);
        let words = [
            data + stub::DIRECTORY,
            u64::from(self.request.callpath_depth) | u64::from(rank.cast_unsigned()) << 32,
            u64::from(size) | u64::from(self.request.take_over) << 32,
            data + stub::THREADS,
            busy.len() as u64,
            u64::from(self.request.cost_limit),
        ];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(self.memory.write(data + stub::REQUEST, &bytes)?)
    }

    fn await_answer(&self, data: u64) -> Result<(), AttachRefusal> {
        let begin = Instant::now();
        let word = |word: Word| {
            self.memory
                .word(data + word.offset())
                .map_err(|_| AttachRefusal::EndedMeanwhile(self.pid))
        };
        while begin.elapsed() < LOADING {
            match word(Word::State)? {
                0 => thread::sleep(Duration::from_micros(500)),
                1 => return AttachRefusal::judge(self.pid, (word(Word::Answer)? & 0xff) as u32),
                _ => {
                    let why = self.memory.text(word(Word::Complaint)?);
                    return Err(AttachRefusal::NotLoaded { pid: self.pid, why });
                }
            }
        }
        let _ = self.memory.write(data + Word::Cancelled.offset(), &1_u64.to_le_bytes());
        Err(AttachRefusal::NoAnswer(self.pid))
    }

    fn refusal(&self, failure: Failure) -> AttachRefusal {
        let pid = self.pid;
        match failure {
            Failure::Stopped => AttachRefusal::Stopped(pid),
            Failure::Ended => AttachRefusal::EndedMeanwhile(pid),
            Failure::Late => AttachRefusal::NoAnswer(pid),
            Failure::Faulted => AttachRefusal::UnsafePoint { pid, place: FAULT.to_owned() },
            Failure::System(error) if error.raw_os_error() == Some(libc::EPERM) => not_allowed(pid),
            Failure::System(source) => AttachRefusal::Failed { pid, source },
        }
    }
}

fn not_allowed(pid: u32) -> AttachRefusal {
    // Somebody may have been quicker: of two that attach at once one is told no.
    match facts::tracer(pid) {
        Some(tracer) => AttachRefusal::Traced { pid, tracer },
        None => AttachRefusal::NotAllowed { pid, why: facts::prohibition(pid) },
    }
}

/// Where a thread stands that is about to be given a fault's signal.
const FAULT: &str = "a signal that tells of a fault";
/// What the library calls its entry.
const ENTRY: &str = "whyperf_attach";
/// What linkers fill pages with.
const FILLINGS: [u8; 2] = [0, 0xcc];
/// How long a good moment is looked for.
const SEARCH: Duration = Duration::from_secs(8);
/// How long one thread may take to stop: it must run for that, which others may keep it from.
const STOP: Duration = Duration::from_secs(3);
/// How long loading may take.
const LOADING: Duration = Duration::from_secs(15);
