//! Keys from the terminal, each as it is pressed.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::sync::mpsc::Sender;
use std::thread;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::event::Event;

/// The terminal while it hands over keys one by one; it is as before when this is dropped.
#[derive(Debug)]
pub(crate) struct Keys {
    terminal: File,
    before: Termios,
}

impl Keys {
    /// Begins to listen.
    pub(crate) fn listen(sender: Sender<Event>) -> io::Result<Self> {
        let terminal = File::options().read(true).write(true).open("/dev/tty")?;
        let before = tcgetattr(terminal.as_fd())?;
        let mut single = before.clone();
        // Ctrl-C and Ctrl-Z stay what they are.
        single.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(terminal.as_fd(), OptionalActions::Now, &single)?;
        let mut reader = terminal.try_clone()?;
        thread::spawn(move || {
            let mut key = [0];
            while reader.read_exact(&mut key).is_ok() {
                let Some(event) = meaning(key[0]) else { continue };
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        Ok(Self { terminal, before })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // A terminal that is gone has nothing to restore.
        let _ = tcsetattr(self.terminal.as_fd(), OptionalActions::Now, &self.before);
    }
}

const fn meaning(key: u8) -> Option<Event> {
    match key {
        b'p' => Some(Event::Phase),
        b' ' => Some(Event::Pause),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_keys_mean_something() {
        assert_eq!(meaning(b'p'), Some(Event::Phase));
        assert_eq!(meaning(b' '), Some(Event::Pause));
        assert_eq!(meaning(b'x'), None);
    }
}
