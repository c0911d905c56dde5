//! Names that a user may have meant where there is none of that name.

/// Those of the names that are near to what was written, the nearest first; few, and none where nothing is near.
pub(crate) fn near<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let written = written.to_lowercase();
    let most = (written.chars().count() / 3).max(1);
    let rated = names.into_iter().filter_map(|name| {
        let distance = distance(&written, name);
        let is_part =
            written.len() >= SHORTEST && (name.contains(&written) || written.contains(name));
        (is_part || distance <= most).then_some((distance, name))
    });
    let mut rated: Vec<_> = rated.collect();
    rated.sort_unstable();
    rated.into_iter().take(FEW).map(|(_, name)| name).collect()
}

const FEW: usize = 3;
/// Shorter words are parts of too many names.
const SHORTEST: usize = 3;

/// How many letters must be put in, left out or changed, or two beside each other swapped, to make one word of another.
fn distance(one: &str, other: &str) -> usize {
    let [one, other]: [Vec<char>; 2] = [one, other].map(|word| word.chars().collect());
    // The row of the letter before, and of the one before that.
    let mut rows = [(0..=other.len()).collect::<Vec<_>>(), Vec::new()];
    for (i, letter) in one.iter().enumerate() {
        let [before, earlier] = &rows;
        let mut row = vec![i + 1];
        for (j, theirs) in other.iter().enumerate() {
            let changed = before[j] + usize::from(letter != theirs);
            let is_swap = i > 0 && j > 0 && one[i - 1] == *theirs && other[j - 1] == *letter;
            let swapped = if is_swap { earlier[j - 1] + 1 } else { usize::MAX };
            row.push(changed.min(before[j + 1] + 1).min(row[j] + 1).min(swapped));
        }
        let [before, _] = rows;
        rows = [row, before];
    }
    rows[0][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 6] = ["cpu", "sync_wait", "io_wait", "msgs", "msg_bytes", "wall"];

    #[test]
    fn a_slip_leads_to_the_name_and_a_part_of_it_to_all_that_have_it() {
        let near = |written| near(written, NAMES);
        assert_eq!(near("sync_wiat"), ["sync_wait"]);
        assert_eq!(near("CPU"), ["cpu"]);
        assert_eq!(near("wait"), ["io_wait", "sync_wait"]);
        assert_eq!(near("temperature"), [""; 0]);
    }
}
