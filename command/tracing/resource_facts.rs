//! The form of the facts by which a trace says which resources of its run are in it: names with a number, and lists with spaces between.

/// Whether a fact is of resources, and says nothing to people.
pub(crate) fn is_of_resources(name: &str) -> bool {
    name.starts_with("resource:")
}

/// The number in the name of a fact that begins so.
pub(super) fn numbered(name: &str, begins: &str) -> Option<u32> {
    name.strip_prefix(begins)?.parse().ok()
}

/// The numbers of a list.
pub(super) fn numbers(list: &str) -> impl Iterator<Item = u32> {
    list.split(' ').filter_map(|word| word.parse().ok())
}

/// A list.
pub(super) fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}
