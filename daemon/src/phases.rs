//! Phases that the program announces: by `whyperf_phase`, or by `MPI_Pcontrol`.

/// How many phases each process was seen to announce.
///
/// All processes of a job announce the same ones, some of them later: the first that reaches a number begins that phase, and the
/// others only follow. A process that began when another had ended is of another job, and follows no process of the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Phases {
    looks: u32,
    seen: Vec<RunSightings>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RunSightings {
    count: u32,
    /// The look that found it.
    found: u32,
    /// The last look at which it ran.
    last: u32,
}

impl Phases {
    /// The process that began a phase since the last look, if one did, by how many phases each announced that runs.
    pub(crate) fn look(&mut self, announced: &[Option<u32>]) -> Option<usize> {
        self.looks += 1;
        self.seen
            .resize(announced.len(), RunSightings { found: self.looks, ..RunSightings::default() });
        let mut begun: Option<usize> = None;
        for (process, count) in announced.iter().enumerate() {
            let Some(count) = *count else { continue };
            let RunSightings { count: before, found, .. } = self.seen[process];
            let is_first = count > before && count > self.reached(found);
            self.seen[process] = RunSightings { count, found, last: self.looks };
            let is_newer = |other: usize| self.seen[other].count < count;
            if is_first && begun.is_none_or(is_newer) {
                begun = Some(process);
            }
        }
        begun
    }

    /// The highest number among processes that ran after this look, or at it.
    fn reached(&self, look: u32) -> u32 {
        let beside = self.seen.iter().filter(|seen| seen.last >= look);
        beside.map(|seen| seen.count).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Phases;

    /// The processes that begin a phase at each look.
    fn looks(looks: &[&[Option<u32>]]) -> Vec<Option<usize>> {
        let mut phases = Phases::default();
        looks.iter().map(|announced| phases.look(announced)).collect()
    }

    #[test]
    fn the_first_to_get_there_begins_a_phase_and_the_others_follow() {
        let [zero, one, two, three] = [0, 1, 2, 3].map(Some);
        let begun =
            looks(&[&[zero], &[one, zero], &[one, one], &[one, three], &[two, three], &[three; 2]]);
        assert_eq!(begun, [None, Some(0), None, Some(1), None, None]);
    }

    #[test]
    fn who_is_left_when_others_have_ended_follows_them_still() {
        assert_eq!(looks(&[&[Some(2), Some(1)], &[None, Some(1)], &[None, Some(2)]])[2], None);
    }

    #[test]
    fn the_next_program_has_its_own() {
        let begun = looks(&[&[Some(5)], &[None, Some(1)], &[None, Some(2)]]);
        assert_eq!(begun, [Some(0), Some(1), Some(1)]);
    }
}
