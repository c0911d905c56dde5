//! Tells by its region what an event pair is of.

use whyperf_layout::Kind;

/// What an event pair is of, on which its price depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventForm {
    /// A function that was patched.
    Function,
    /// A region of the program's own.
    Region,
    /// A call of a library that is wrapped.
    Call,
}

impl EventForm {
    /// Of a region of this kind.
    pub(crate) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Function => Self::Function,
            Kind::Root | Kind::Other | Kind::User | Kind::UserEvent => Self::Region,
            _ => Self::Call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_names_is_a_region_and_what_a_library_does_a_call() {
        let of = [Kind::Write, Kind::Send, Kind::User, Kind::Function].map(EventForm::of);
        assert_eq!(of, [EventForm::Call, EventForm::Call, EventForm::Region, EventForm::Function]);
    }
}
