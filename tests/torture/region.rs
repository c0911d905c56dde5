//! The region of a tortured process, from the daemon's side: commands in, replies out, one asker at a time.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::mm::{MapFlags, ProtFlags};
use whyperf_layout::{
    Answer, Command, CommandPage, Header, MAGIC, Outcome, Patch, PatchRecord, Reply, ReplyPage,
    Sequence, geometry,
};

/// What lies before the slots, mapped until the test ends.
pub(crate) struct Region {
    pub(crate) pid: u32,
    pub(crate) header: &'static Header,
    commands: &'static CommandPage,
    replies: &'static ReplyPage,
    results: &'static [AtomicU64; geometry::STAGING_CAPACITY],
    staging: &'static [PatchRecord; geometry::STAGING_CAPACITY],
}

/// The process ended, or was killed, while it was asked something.
#[derive(Debug)]
pub(crate) struct Gone;

impl Region {
    /// That of this process, once it is ready and somebody serves its ring.
    pub(crate) fn open(folder: &Path, pid: u32) -> Option<Self> {
        let path = folder.join(format!("{pid}-0.region"));
        let file = File::options().read(true).write(true).open(path).ok()?;
        if file.metadata().ok()?.len() < geometry::SLOTS as u64 {
            return None;
        }
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        let nowhere = std::ptr::null_mut();
        // SAFETY: a new mapping at an address of the kernel's choice replaces nothing.
        let start = unsafe {
            rustix::mm::mmap(nowhere, geometry::SLOTS, rights, MapFlags::SHARED, &file, 0).ok()?
        };
        let at = |offset: usize| start.cast::<u8>().wrapping_add(offset);
        // SAFETY: all of it is atomic words inside the mapping, at offsets that the layout aligns;
        // the file was found long enough, nobody cuts it, and it is never unmapped.
        let region = unsafe {
            Self {
                pid,
                header: &*at(0).cast(),
                commands: &*at(geometry::COMMANDS).cast(),
                replies: &*at(geometry::REPLIES).cast(),
                results: &*at(geometry::RESULTS).cast(),
                staging: &*at(geometry::STAGING).cast(),
            }
        };
        let is_ready = region.header.magic.load(Ordering::Acquire) == MAGIC
            && region.header.agent.load(Ordering::Acquire) != 0;
        is_ready.then_some(region)
    }

    /// Has an arena mapped; false when there is no room.
    pub(crate) fn map(&self, address: u64, data: u64, code: u64) -> Result<bool, Gone> {
        let [data, code] = [data, code].map(|size| u32::try_from(size).expect("an arena is small"));
        let replies = self.ask(&[Command::MapArena { address, data, code }])?;
        Ok(matches!(replies[0], Reply::Mapped { error: 0, .. }))
    }

    /// Arms these functions; answers what became of each, and the region it stands for.
    pub(crate) fn arm(&self, patches: &[&Patch]) -> Result<Vec<(Option<Outcome>, u32)>, Gone> {
        self.staging.iter().zip(patches).for_each(|(record, patch)| record.write(patch));
        let count = u32::try_from(patches.len()).expect("a batch is small");
        self.ask(&[Command::Arm { first: 0, count }])?;
        let result = |word: &AtomicU64| {
            let word = word.load(Ordering::Relaxed);
            (Outcome::from_number(word as u32), (word >> 32) as u32)
        };
        Ok(self.results.iter().take(patches.len()).map(result).collect())
    }

    /// Has the process go on alone; answers how many functions are not restored.
    pub(crate) fn leave(&self) -> Result<Option<u32>, Gone> {
        let patience = u64::try_from(PATIENCE.as_nanos() / 2).expect("some minutes");
        let unrestored = |reply: &Reply| match reply {
            Reply::Detached { unrestored } => Some(*unrestored),
            _ => None,
        };
        Ok(self.ask(&[Command::Detach { patience }])?.iter().find_map(unrestored))
    }

    /// Disarms these; answers the outcomes.
    pub(crate) fn disarm(&self, regions: &[u32]) -> Result<Vec<Option<Outcome>>, Gone> {
        let commands: Vec<_> =
            regions.iter().map(|region| Command::Disarm { region: *region }).collect();
        let outcome = |reply: &Reply| match reply {
            Reply::Disarmed { outcome, .. } => Some(*outcome),
            _ => None,
        };
        Ok(self.ask(&commands)?.iter().map(outcome).collect())
    }

    /// Switches functions, all of which are armed or once were.
    pub(crate) fn switch(&self, switches: &[Command]) -> Result<(), Gone> {
        self.ask(switches).map(|_| ())
    }

    /// Sends commands, fewer than a ring holds, and waits for the answer to each.
    fn ask(&self, commands: &[Command]) -> Result<Vec<Reply>, Gone> {
        let send = |command: &Command| self.commands.send(self.replies, command.encode());
        let sent: Option<Vec<Sequence>> = commands.iter().map(send).collect();
        let Some(sent) = sent else {
            // What others asked, each as the process went, is never taken out of the ring.
            assert!(!is_running(self.pid), "process {} left commands unanswered", self.pid);
            return Err(Gone);
        };
        let flags = rustix::thread::futex::Flags::empty();
        let _ = rustix::thread::futex::wake(&self.commands.doorbell, flags, 1);
        let begin = Instant::now();
        let mut found = Vec::new();
        while found.len() < commands.len() {
            let Some(reply) = self.replies.receive(self.commands) else {
                if !is_running(self.pid) {
                    return Err(Gone);
                }
                assert!(begin.elapsed() < PATIENCE, "process {} does not answer", self.pid);
                thread::sleep(Duration::from_micros(50));
                continue;
            };
            let answer = Answer::decode(reply).expect("it says what it means");
            let is_refusal = matches!(answer.reply, Reply::Refused { .. });
            assert!(!is_refusal, "process {} refuses {answer:?}", self.pid);
            if answer.to.is_some_and(|to| sent.contains(&to)) {
                found.push(answer.reply);
            }
        }
        Ok(found)
    }
}

/// Whether there is such a process, and it did not end.
pub(crate) fn is_running(pid: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after = state.rsplit_once(") ").map_or("Z", |(_, rest)| rest);
    !after.starts_with(['Z', 'X'])
}

/// Beyond it a process hangs; no machine is so slow.
const PATIENCE: Duration = Duration::from_secs(240);
