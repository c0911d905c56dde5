//! A sum for each class, in pages of neighbours: a class that grows is found without a search, and a class that never grew
//! takes no room.
//!
//! ```text
//!   pages: [ · | ■ | · | ■ ]        page = class / 64
//!                │       └─► 64 sums
//!                └─► 64 sums
//! ```
//! Classes are numbered as they are met, so those of one thread mostly are neighbours.

use super::active::Totals;
use super::classes::ClassId;

/// Sums by class.
#[derive(Debug, Default)]
pub(super) struct ClassTotals {
    pages: Vec<Option<Box<[Totals; PAGE]>>>,
}

/// Sums in a page.
const PAGE: usize = 64;

impl ClassTotals {
    /// A class grew.
    pub(super) fn add(&mut self, class: ClassId, by: &Totals) {
        let at = class.0 as usize;
        if at / PAGE >= self.pages.len() {
            self.pages.resize_with(at / PAGE + 1, || None);
        }
        let page = &mut self.pages[at / PAGE];
        page.get_or_insert_with(|| Box::new([Totals::default(); PAGE]))[at % PAGE].add(by);
    }

    /// The sum of a class, if one of its neighbours grew.
    pub(super) fn get(&self, class: ClassId) -> Option<&Totals> {
        let at = class.0 as usize;
        self.pages.get(at / PAGE)?.as_ref().map(|page| &page[at % PAGE])
    }

    /// All classes that grew, with their sums.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ClassId, &Totals)> {
        let pages = (0..).zip(&self.pages).filter_map(|(page, sums)| Some((page, sums.as_ref()?)));
        let each = pages.flat_map(|(page, sums)| {
            (0..)
                .zip(&**sums)
                .map(move |(at, sum): (u32, _)| (ClassId(page * PAGE as u32 + at), sum))
        });
        each.filter(|(_, sum)| !sum.is_nothing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_own_sum_wherever_it_lies() {
        let mut totals = ClassTotals::default();
        let by = |visits| Totals { visits, ..Totals::default() };
        for (class, visits) in [(0, 1), (63, 2), (64, 3), (10_000, 4), (64, 5), (7, 0)] {
            totals.add(ClassId(class), &by(visits));
        }
        let told: Vec<_> = totals.iter().map(|(class, sum)| (class.0, sum.visits)).collect();
        assert_eq!(told, [(0, 1), (63, 2), (64, 8), (10_000, 4)]);
        assert_eq!(totals.get(ClassId(64)), Some(&by(8)));
        assert_eq!(totals.get(ClassId(700)), None);
        assert_eq!(totals.pages.iter().flatten().count(), 3);
    }
}
