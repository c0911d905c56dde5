//! Keys from the terminal, each as it is pressed.
//!
//! The terminal is set to deliver keys one by one and without showing them; Ctrl-C and Ctrl-Z keep their meaning. Its
//! settings are restored on every exit that whyperf can control, its own failures included. A job in the background leaves
//! the terminal alone: it is the shell's then, and the system stops a process that changes it, and the program with it.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

use crate::measuring::event::WatchEvent;
use crate::measuring::options::MeasuringOptions;
use crate::output::terminal::Screen;
use crate::output::top_screen;

/// The terminal while it hands over keys one by one; it is as before when this is dropped.
#[derive(Debug)]
pub(crate) struct Keys(());

/// The terminal and how it was.
#[derive(Debug)]
struct Terminal {
    file: File,
    before: Termios,
    /// Whether keys are still heard.
    is_heard: AtomicBool,
}

/// There is one for each process.
static TERMINAL: OnceLock<Terminal> = OnceLock::new();

/// What is changed of the terminal.
const CHANGED: LocalModes = LocalModes::ICANON.union(LocalModes::ECHO);
/// How often a job in the background looks whether it is in front again.
const LOOK: Duration = Duration::from_millis(200);

/// Which way the terminal hands over what is typed.
#[derive(Clone, Copy, Debug)]
enum Mode {
    /// Key by key, and not shown.
    Keys,
    /// As before.
    AsBefore,
}

/// Listens to keys, if the options want it, and warns when there is no terminal.
pub(crate) fn listen(
    options: &MeasuringOptions,
    sender: Sender<WatchEvent>,
    screen: &mut Screen,
) -> Option<Keys> {
    if !options.keys {
        return None;
    }
    let keys = Keys::listen(sender);
    keys.inspect_err(|error| {
        screen.warn(&format!("keys are not heard: this process has no terminal: {error}"));
    })
    .ok()
}

impl Keys {
    /// Begins to listen.
    fn listen(sender: Sender<WatchEvent>) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open("/dev/tty")?;
        let before = tcgetattr(file.as_fd())?;
        let terminal = Terminal { file, before, is_heard: AtomicBool::new(true) };
        let terminal = TERMINAL.get_or_init(|| terminal);
        terminal.change(Mode::Keys);
        thread::Builder::new().name("whyperf-keys".into()).spawn(move || terminal.tell(&sender))?;
        Ok(Self(()))
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        put_back();
    }
}

/// A job that was stopped goes on: whoever had the terminal meanwhile left it in another way.
pub(crate) fn resume() {
    if let Some(terminal) = TERMINAL.get().filter(|one| one.is_heard.load(Ordering::Relaxed)) {
        terminal.change(Mode::Keys);
    }
}

/// Gives the terminal back as it was, if it was taken.
pub(crate) fn put_back() {
    top_screen::put_back();
    if let Some(terminal) = TERMINAL.get() {
        terminal.is_heard.store(false, Ordering::Relaxed);
        terminal.change(Mode::AsBefore);
    }
}

impl Terminal {
    /// Changes nothing but the mode: what else the program has changed meanwhile stays; and what is gone has no settings.
    fn change(&self, mode: Mode) {
        let Ok(mut now) = tcgetattr(self.file.as_fd()) else { return };
        now.local_modes.remove(CHANGED);
        if let Mode::AsBefore = mode {
            now.local_modes.insert(self.before.local_modes & CHANGED);
        }
        if self.is_ours() {
            let _ = tcsetattr(self.file.as_fd(), OptionalActions::Now, &now);
        }
    }

    /// Whether this job is in front.
    fn is_ours(&self) -> bool {
        tcgetpgrp(self.file.as_fd()) == Ok(getpgrp())
    }

    fn tell(&self, sender: &Sender<WatchEvent>) {
        let mut file = &self.file;
        let mut key = [0];
        loop {
            let mut waiting = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut waiting, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return,
            }
            // What is typed at the end is for the shell.
            if !self.is_heard.load(Ordering::Relaxed) {
                return;
            }
            if !self.is_ours() {
                thread::sleep(LOOK);
                continue;
            }
            if file.read_exact(&mut key).is_err() {
                return;
            }
            top_screen::press(key[0]);
            if let Some(event) = meaning(key[0])
                && sender.send(event).is_err()
            {
                return;
            }
        }
    }
}

const fn meaning(key: u8) -> Option<WatchEvent> {
    match key {
        b'p' => Some(WatchEvent::Phase),
        b' ' => Some(WatchEvent::Pause),
        b'r' => Some(WatchEvent::Report),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_keys_mean_something() {
        assert_eq!(meaning(b'p'), Some(WatchEvent::Phase));
        assert_eq!(meaning(b' '), Some(WatchEvent::Pause));
        assert_eq!(meaning(b'r'), Some(WatchEvent::Report));
        assert_eq!(meaning(b'x'), None);
    }
}
