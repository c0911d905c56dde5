//! The messages and receives of a rank that have not found each other.
//!
//! A message matches the first receive that was posted for it, and a receive the first message that was sent to it: messages of one
//! sender never overtake each other. A wildcard takes the message that was sent first.

use std::collections::VecDeque;

use crate::identity::{Bytes, Rank, RequestId, Tag};
use crate::simulator::ports::Flight;
use crate::time::SimTime;

/// Which messages can match at all: those of a communicator, or of one collective call of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) comm: u32,
    /// The number of the collective call from 1 on; 0 for what the program sends itself.
    pub(super) call: u32,
}

/// Which call or request of a rank a message completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handle {
    /// The call that the rank is blocked in.
    Call,
    /// The send of an exchange.
    Exchange,
    /// A request of the program.
    Named(RequestId),
}

/// A message that is sent, or announced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) from: Rank,
    pub(super) tag: Tag,
    pub(super) context: Context,
    pub(super) bytes: Bytes,
    pub(super) state: MessageState,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum MessageState {
    /// On its way, or there.
    Sent(Flight),
    /// Announced: its data waits for a receiver.
    Announced {
        /// When the announcement is there.
        at: SimTime,
        /// What of the sender is completed when the data has left.
        sender: Handle,
    },
}

/// A receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receive {
    pub(super) from: Option<Rank>,
    pub(super) tag: Option<Tag>,
    pub(super) context: Context,
    /// Since when it is posted.
    pub(super) posted: SimTime,
    pub(super) handle: Handle,
}

impl Receive {
    fn takes(&self, message: &Message) -> bool {
        self.from.is_none_or(|from| from == message.from)
            && self.context == message.context
            && self.tag.is_none_or(|tag| tag == message.tag)
    }
}

/// What waits to be matched.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    messages: VecDeque<Message>,
    receives: VecDeque<Receive>,
}

impl Mailbox {
    /// The receive that a message matches; the message stays here if there is none.
    pub(super) fn deliver(&mut self, message: Message) -> Option<Receive> {
        let found = self.receives.iter().position(|receive| receive.takes(&message));
        match found {
            Some(at) => self.receives.remove(at),
            None => {
                self.messages.push_back(message);
                None
            }
        }
    }

    /// The message that a receive matches; the receive stays here if there is none.
    pub(super) fn post(&mut self, receive: Receive) -> Option<Message> {
        let found = self.messages.iter().position(|message| receive.takes(message));
        match found {
            Some(at) => self.messages.remove(at),
            None => {
                self.receives.push_back(receive);
                None
            }
        }
    }

    pub(super) fn messages(&self) -> &VecDeque<Message> {
        &self.messages
    }

    /// The receive behind a call or request that is not complete.
    pub(super) fn receive_of(&self, handle: Handle) -> Option<&Receive> {
        self.receives.iter().find(|receive| receive.handle == handle)
    }

    pub(super) fn len(&self) -> usize {
        self.messages.len() + self.receives.len()
    }
}
