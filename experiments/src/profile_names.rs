//! The names of timers and the groups of a profile, each once and with a number: threads mostly have the same, and names are longer than all
//! the rest of a timer.

use std::sync::Arc;

use ahash::AHashMap;

/// Names and lists of groups, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProfileNames {
    timers: Vec<Arc<str>>,
    /// By name, and by what stands in a file where that differs.
    numbers: AHashMap<Arc<str>, u32>,
    groups: Vec<Vec<String>>,
    group_numbers: AHashMap<Vec<String>, u32>,
    /// By what stands in a file.
    written_groups: AHashMap<String, u32>,
}

impl ProfileNames {
    /// The number of a timer's name.
    pub(crate) fn timer(&mut self, name: &str) -> u32 {
        match self.numbers.get(name) {
            Some(number) => *number,
            None => self.add_timer(name),
        }
    }

    /// The number of the name that a text of a file stands for; `read` makes the name of it, and is asked once for each text.
    pub(crate) fn written_timer<'a>(
        &mut self,
        written: &'a str,
        read: impl FnOnce(&'a str) -> std::borrow::Cow<'a, str>,
    ) -> u32 {
        if let Some(number) = self.numbers.get(written) {
            return *number;
        }
        let name = read(written);
        let number = self.timer(&name);
        if name != written {
            self.numbers.insert(written.into(), number);
        }
        number
    }

    fn add_timer(&mut self, name: &str) -> u32 {
        let (name, number) = (Arc::<str>::from(name), next(&self.timers));
        self.timers.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// The number of a list of groups.
    pub(crate) fn groups(&mut self, groups: &[String]) -> u32 {
        if let Some(number) = self.group_numbers.get(groups) {
            return *number;
        }
        let number = next(&self.groups);
        self.groups.push(groups.to_vec());
        self.group_numbers.insert(groups.to_vec(), number);
        number
    }

    /// The number of the list that a text of a file stands for; `read` makes the list of it, and is asked once for each text.
    pub(crate) fn written_groups(
        &mut self,
        written: &str,
        read: impl FnOnce(&str) -> Vec<String>,
    ) -> u32 {
        if let Some(number) = self.written_groups.get(written) {
            return *number;
        }
        let number = self.groups(&read(written));
        self.written_groups.insert(written.to_owned(), number);
        number
    }

    /// The names of timers from a number on.
    pub(crate) fn timers_from(&self, first: usize) -> &[Arc<str>] {
        self.timers.get(first..).unwrap_or_default()
    }

    /// The lists of groups from a number on.
    pub(crate) fn groups_from(&self, first: usize) -> &[Vec<String>] {
        self.groups.get(first..).unwrap_or_default()
    }
}

fn next<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}
