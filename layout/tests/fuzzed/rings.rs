//! Sends and receives through both rings while the other side writes any indices and any messages.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;

use whyperf_layout::ring::RING;
use whyperf_layout::{Answer, Command, CommandPage, Message, ReplyPage};

/// Bytes of one step: what is done, and a word.
const STEP: usize = 9;

/// Each nine bytes are one step.
pub(crate) fn feed(bytes: &[u8]) {
    let mut pages = Pages {
        commands: CommandPage::default(),
        replies: ReplyPage::default(),
        commands_sent: Some(VecDeque::new()),
        replies_sent: Some(VecDeque::new()),
    };
    for step in bytes.chunks_exact(STEP) {
        let (what, word) = step.split_at(1);
        let word = u64::from_le_bytes(*word.first_chunk().expect("eight bytes are left"));
        pages.step(what[0] % 8, word);
    }
    pages.drain();
}

/// Both pages, and what an honest other side would have left in them.
struct Pages {
    commands: CommandPage,
    replies: ReplyPage,
    /// Messages on their way, until somebody lies about the indices.
    commands_sent: Option<VecDeque<Message>>,
    replies_sent: Option<VecDeque<Message>>,
}

impl Pages {
    fn step(&mut self, what: u8, word: u64) {
        let index = (word >> 32) as u32;
        match what {
            0 => self.send_command(word),
            1 => self.send_reply(word),
            2 => self.take_command(),
            3 => self.take_reply(),
            4 => {
                self.commands.produced.store(index, Relaxed);
                self.commands_sent = None;
            }
            5 => {
                self.replies.commands_consumed.store(index, Relaxed);
                self.commands_sent = None;
            }
            6 => {
                self.replies.produced.store(index, Relaxed);
                self.replies_sent = None;
            }
            _ => {
                self.commands.replies_consumed.store(index, Relaxed);
                self.replies_sent = None;
            }
        }
    }

    fn send_command(&mut self, word: u64) {
        let message = message(word);
        let sent = self.commands.send(&self.replies, message);
        if let Some(on_their_way) = &mut self.commands_sent {
            assert_eq!(sent.is_some(), on_their_way.len() < RING, "it is full, or it is not");
            on_their_way.extend(sent.map(|_| message));
        }
    }

    fn send_reply(&mut self, word: u64) {
        let message = message(word);
        let is_sent = self.replies.send(&self.commands, message);
        if let Some(on_their_way) = &mut self.replies_sent {
            assert_eq!(is_sent, on_their_way.len() < RING, "it is full, or it is not");
            on_their_way.extend(is_sent.then_some(message));
        }
    }

    fn take_command(&mut self) {
        let taken = self.commands.receive(&self.replies).map(|(_, message)| message);
        if let Some(on_their_way) = &mut self.commands_sent {
            assert_eq!(taken, on_their_way.pop_front());
        }
        // One that nobody sends is none, and one that is some is told in the same words again.
        if let Some(command) = taken.and_then(Command::decode) {
            assert_eq!(Command::decode(command.encode()), Some(command));
        }
    }

    fn take_reply(&mut self) {
        let taken = self.replies.receive(&self.commands);
        if let Some(on_their_way) = &mut self.replies_sent {
            assert_eq!(taken, on_their_way.pop_front());
        }
        if let Some(answer) = taken.and_then(Answer::decode) {
            assert_eq!(Answer::decode(answer.encode()), Some(answer));
        }
    }

    /// Whatever the indices are, no side takes more than a ring has.
    fn drain(&mut self) {
        (self.commands_sent, self.replies_sent) = (None, None);
        let commands = (0..=RING).filter(|_| self.commands.receive(&self.replies).is_some());
        assert!(commands.count() <= RING);
        let replies = (0..=RING).filter(|_| self.replies.receive(&self.commands).is_some());
        assert!(replies.count() <= RING);
    }
}

/// Numbers of commands and replies are small; arguments are any.
fn message(word: u64) -> Message {
    let what = word & 0xff | (word >> 8 & 0xff) << 32;
    Message { what, arguments: [word >> 16, word, word.rotate_left(24)] }
}
