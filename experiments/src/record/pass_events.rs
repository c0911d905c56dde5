//! Events of a record that are no amounts, each with its pass, in the order of time.

/// Events of one kind, each with its pass.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PassEvents<T>(Vec<(u32, T)>);

impl<T> PassEvents<T> {
    /// One more; passes come in order.
    pub(crate) fn push(&mut self, pass: u32, what: T) {
        self.0.push((pass, what));
    }

    /// Forgets the others.
    pub(crate) fn retain(&mut self, mut stays: impl FnMut(&T) -> bool) {
        self.0.retain(|(_, what)| stays(what));
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.iter().map(|(_, what)| what)
    }

    /// All of them, each with its pass.
    pub(crate) fn dated(&self) -> impl Iterator<Item = &(u32, T)> {
        self.0.iter()
    }

    /// What was told in a pass.
    pub(crate) fn of(&self, pass: u32) -> impl Iterator<Item = &T> {
        let first = self.0.partition_point(|(told, _)| *told < pass);
        let told = self.0[first..].iter().take_while(move |(told, _)| *told == pass);
        told.map(|(_, what)| what)
    }

    /// Two passes become one.
    pub(crate) fn fold(&mut self) {
        self.0.iter_mut().for_each(|(pass, _)| *pass /= 2);
    }

    /// Whether they are in the order of time, and none is of a later pass than there are.
    pub(crate) fn is_sound(&self, passes: usize) -> bool {
        self.0.is_sorted_by_key(|(pass, _)| *pass)
            && self.0.last().is_none_or(|(pass, _)| (*pass as usize) < passes)
    }
}

impl<T> Default for PassEvents<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> FromIterator<(u32, T)> for PassEvents<T> {
    fn from_iter<I: IntoIterator<Item = (u32, T)>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_found_by_its_pass_and_folds_with_it() {
        let mut told: PassEvents<char> =
            [(0, 'a'), (3, 'b'), (3, 'c'), (5, 'd')].into_iter().collect();
        let of = |told: &PassEvents<char>, pass| told.of(pass).collect::<String>();
        assert_eq!([of(&told, 0), of(&told, 3), of(&told, 4)], ["a", "bc", ""]);
        assert!(told.is_sound(6) && !told.is_sound(5));
        told.fold();
        assert_eq!([of(&told, 0), of(&told, 1), of(&told, 2)], ["a", "bc", "d"]);
        told.push(0, 'e');
        assert!(!told.is_sound(9));
    }
}
