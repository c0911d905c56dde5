//! Phases that the program announces: by `whyperf_phase`, or by `MPI_Pcontrol`.

use std::sync::atomic::Ordering;

use crate::process::Process;

/// How many phases were noticed so far.
///
/// All processes of a job announce the same ones, some of them later: whoever is first to reach a number begins that phase, and the
/// others only follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Phases(u32);

impl Phases {
    /// The name of the phase that began since the last look, if one did. Of several only the newest is known.
    pub(crate) fn news(&mut self, processes: &[Process]) -> Option<String> {
        let announced = processes.iter().filter_map(Process::newest_phase);
        let (count, name) = announced.max_by_key(|(count, _)| *count)?;
        self.reach(count).then_some(name)
    }

    const fn reach(&mut self, count: u32) -> bool {
        let is_new = count > self.0;
        if is_new {
            self.0 = count;
        }
        is_new
    }
}

impl Process {
    /// How many phases it announced while it ran, and the name of the newest.
    fn newest_phase(&self) -> Option<(u32, String)> {
        let region = self.region.as_ref()?;
        // Two words, one written after the other: on some machines a phase may for once be called as the one before it.
        let count = region.header().phase_count.load(Ordering::Relaxed);
        let name = region.text(region.header().phase_name.load(Ordering::Relaxed));
        (count > 0).then_some((count, name))
    }
}

#[cfg(test)]
mod tests {
    use super::Phases;

    #[test]
    fn the_first_to_get_there_begins_a_phase_and_the_others_follow() {
        let mut phases = Phases::default();
        let reached = [1, 1, 3, 2, 3, 4].map(|count| phases.reach(count));
        assert_eq!(reached, [true, false, true, false, false, true]);
    }
}
