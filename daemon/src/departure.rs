//! The departure of a process, in which it goes on without whyperf: one state, with all its transitions.
//!
//! ```text
//!   Watched ──Detach sent──► Asked ──the process answers──► Answered: all is restored, or what is not
//!      └──────it gives up what measuring needs────────────► Alone: the same
//! ```
//! From the first step on, nothing else is sent to the process.

/// How far a process is with going on without us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Departure {
    /// It is watched.
    #[default]
    Watched,
    /// It was asked to go on without us.
    Asked,
    /// It does, and this is what is not restored.
    Answered(Vec<Unrestored>),
    /// It went on by itself, and this was not restored.
    Alone(Vec<Unrestored>),
}

/// A function whose code still leads to us. It works on, and records nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrestored {
    /// The process.
    pub pid: u32,
    /// The function, as far as it is known by name.
    pub function: String,
    /// Where it begins.
    pub address: u64,
    /// Why it was not restored, in a sentence.
    pub reason: &'static str,
}

impl Departure {
    /// Whether nothing may be sent to the process any more.
    pub(crate) fn has_begun(&self) -> bool {
        *self != Self::Watched
    }

    /// Asks the process to go, unless it was asked; `send` answers whether the process hears of it.
    pub(crate) fn ask(&mut self, send: impl FnOnce() -> bool) {
        if *self == Self::Watched && send() {
            *self = Self::Asked;
        }
    }

    /// The process answered, and this is not restored.
    pub(crate) fn answer(&mut self, unrestored: Vec<Unrestored>) {
        *self = Self::Answered(unrestored);
    }

    /// The process went on by itself, unless it was asked to.
    pub(crate) fn go_on_alone(&mut self, unrestored: Vec<Unrestored>) {
        if *self == Self::Watched {
            *self = Self::Alone(unrestored);
        }
    }

    /// What is not restored, once the process has answered, or went on by itself.
    pub(crate) fn unrestored(&self) -> Option<&[Unrestored]> {
        match self {
            Self::Answered(unrestored) | Self::Alone(unrestored) => Some(unrestored),
            Self::Watched | Self::Asked => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_asked_until_it_hears_and_then_no_more() {
        let mut departure = Departure::default();
        departure.ask(|| false);
        assert!(!departure.has_begun(), "its ring was full");
        departure.ask(|| true);
        assert_eq!((departure.has_begun(), departure.unrestored()), (true, None));
        departure.ask(|| panic!("it was asked before"));
        departure.answer(Vec::new());
        assert_eq!(departure.unrestored(), Some(&[][..]));
        departure.go_on_alone(Vec::new());
        assert_eq!(departure, Departure::Answered(Vec::new()), "it was asked to");
    }
}
