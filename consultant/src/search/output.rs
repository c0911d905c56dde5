//! The output of a search: its steps and its requests to the data source, each in the order in which they came.

use std::collections::VecDeque;

use whyperf_model::{Resource, Time};

use crate::request::Request;
use crate::step::{Happening, Step};

/// Steps and requests that were not read yet, and the time that is written on new steps.
#[derive(Debug, Default)]
pub(super) struct Output {
    now: Time,
    steps: VecDeque<Step>,
    requests: VecDeque<Request>,
}

impl Output {
    /// The time of the last event.
    pub(super) const fn now(&self) -> Time {
        self.now
    }

    /// Moves the time; tells whether it went on. It never goes back.
    pub(super) fn advance(&mut self, now: Time) -> bool {
        let goes_on = now > self.now;
        self.now = self.now.max(now);
        goes_on
    }

    /// Adds a step.
    pub(super) fn tell(&mut self, happening: Happening) {
        self.steps.push_back(Step { time: self.now, happening });
    }

    /// Asks which functions a function calls.
    pub(super) fn ask_callees(&mut self, of: Resource) {
        self.requests.push_back(Request::Callees { of });
    }

    /// Where requests to start and stop measurements go.
    pub(super) const fn requests(&mut self) -> &mut VecDeque<Request> {
        &mut self.requests
    }

    /// The oldest step that was not read yet.
    pub(super) fn poll_step(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }

    /// The oldest request that was not read yet.
    pub(super) fn poll_request(&mut self) -> Option<Request> {
        self.requests.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_carry_the_latest_time_and_leave_in_their_order() {
        let mut output = Output::default();
        assert!(output.advance(Time::from_secs(2)));
        output.tell(Happening::Paused);
        assert!(!output.advance(Time::from_secs(1)) && !output.advance(Time::from_secs(2)));
        output.tell(Happening::Unpaused);
        let step = |happening| Some(Step { time: Time::from_secs(2), happening });
        assert_eq!(output.poll_step(), step(Happening::Paused));
        assert_eq!(output.poll_step(), step(Happening::Unpaused));
        assert_eq!(output.poll_step(), None);
    }

    #[test]
    fn requests_of_all_kinds_share_one_order() {
        let mut output = Output::default();
        let of = Resource::parse("/Code/a.c/f").expect("well formed");
        output.ask_callees(of.clone());
        let stop = Request::Stop { id: crate::request::MeasurementId(7) };
        output.requests().push_back(stop.clone());
        assert_eq!(output.poll_request(), Some(Request::Callees { of }));
        assert_eq!(output.poll_request(), Some(stop));
        assert_eq!(output.poll_request(), None);
    }
}
