//! The order in which measuring is on and off: pairs of both, in the order of Thue and Morse.
//!
//! ```text
//!   on off | off on | off on | on off | off on | on off | on off | off on | ...
//! ```
//! A program that gets faster or slower by itself, evenly, or evenly more so, does that to both alike: the differences of such pairs add up to nothing.
//! Stretches differ in length (`stretch.rs`), for the order itself keeps step a little with periods of three.

/// Whether measuring is on in a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    On,
    Off,
}

/// That of the stretch of this number.
pub(crate) const fn state_of(stretch: usize) -> State {
    let is_swapped = (stretch / 2).count_ones() % 2 == 1;
    let is_second = stretch % 2 == 1;
    if is_swapped == is_second { State::On } else { State::Off }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_both_and_what_grows_evenly_or_faster_is_on_both_sides_alike() {
        let sign = |at: usize| if state_of(at) == State::On { 1 } else { -1 };
        assert!((0..32).all(|pair| sign(2 * pair) + sign(2 * pair + 1) == 0));
        let at = |at: usize| i64::try_from(at).expect("a few");
        let sum = |power: u32| (0..32).map(|one| sign(one) * at(one).pow(power)).sum::<i64>();
        assert_eq!([0, 1, 2, 3].map(sum), [0; 4]);
    }
}
