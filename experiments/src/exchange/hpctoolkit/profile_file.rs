//! What `profile.db` says: for each thread the contexts that have values, and these.
//!
//! After HPCToolkit's description of its formats, version 4.0. Profiles that sum up several threads are left out.

use super::call_context::path;
use super::little_words::LittleWords;
use super::metadata_file::MetadataFile;
use crate::exchange::callpath_sums::{CallpathSums, ThreadPlace};

/// The section of profiles.
const PROFILES: u64 = 0;
const IS_SUMMARY: u32 = 1;
/// Lengths of a value with the number of its metric, of a context with where its values begin, and of an identification.
const VALUE: u64 = 10;
const INDEX: u64 = 12;
const IDENTIFICATION: u64 = 16;

/// Sums up the values of all threads; `None` where the bytes make no sense.
pub(super) fn sums(words: LittleWords<'_>, metadata: &MetadataFile) -> Option<CallpathSums> {
    let section = words.section(PROFILES)?;
    let (list, count) = (words.place(section)?, words.int(section + 8)?);
    let size = u64::from(words.byte(section + 12)?);
    let left = words.0.len() as u64 / VALUE;
    let mut reader = ProfileReader { words, metadata, sums: CallpathSums::default(), left };
    for number in 0..u64::from(count) {
        reader.profile(words.element(list, number, size)?)?;
    }
    Some(reader.sums)
}

/// The profiles as they are read.
struct ProfileReader<'a> {
    words: LittleWords<'a>,
    metadata: &'a MetadataFile,
    sums: CallpathSums,
    /// No file has more values than fit into it: one whose threads share theirs would be read for ever.
    left: u64,
}

impl ProfileReader<'_> {
    /// The values of a thread.
    fn profile(&mut self, profile: u64) -> Option<()> {
        let words = self.words;
        self.left = self.left.checked_sub(1)?;
        let (tuple, flags) = (words.place(profile + 32)?, words.int(profile + 40)?);
        if flags & IS_SUMMARY != 0 || tuple == 0 {
            return Some(());
        }
        let place = place(words, tuple, &self.metadata.kinds)?;
        let (all, values) = (words.long(profile)?, words.place(profile + 8)?);
        let (contexts, indices) = (u64::from(words.int(profile + 16)?), words.place(profile + 24)?);
        for number in 0..contexts {
            self.left = self.left.checked_sub(1)?;
            let index = words.element(indices, number, INDEX)?;
            let is_last = number + 1 == contexts;
            let end = if is_last { all } else { words.long(index + INDEX + 4)? };
            let context = words.int(index)?;
            for value in words.long(index + 4)?..end {
                self.left = self.left.checked_sub(1)?;
                self.value(place, context, words.element(values, value, VALUE)?)?;
            }
        }
        Some(())
    }

    /// Values of the whole program stand at a context of their own, and those of other scopes are sums of others: both are left out.
    fn value(&mut self, place: ThreadPlace, context: u32, at: u64) -> Option<()> {
        let (number, amount) = (u32::from(self.words.short(at)?), self.words.real(at + 2)?);
        let metrics = &self.metadata.metrics;
        let known = metrics.iter().position(|metric| metric.number == number);
        let context = self.metadata.contexts.get(&context).filter(|_| amount.is_finite());
        if let Some((metric, context)) = known.zip(context) {
            let amount = amount * metrics[metric].micros.unwrap_or(1.0);
            let path = path(Some(&context.around));
            self.sums.add(place, &path, metric, amount);
            if context.is_within {
                self.sums.add(place, &path[..path.len() - 1], metric, -amount);
            }
        }
        Some(())
    }
}

/// Rank and thread; what ran on a graphics processor has a context of its own for each stream.
fn place(words: LittleWords<'_>, tuple: u64, kinds: &[String]) -> Option<ThreadPlace> {
    let (mut rank, mut stream, mut thread) = (0, 0, 0);
    for number in 0..u64::from(words.short(tuple)?) {
        let one = words.element(tuple + 8, number, IDENTIFICATION)?;
        let logical = words.int(one + 4)?;
        match kinds.get(usize::from(words.byte(one)?)).map(String::as_str) {
            Some("RANK") => rank = logical,
            Some("THREAD") => thread = logical,
            Some("GPUSTREAM") => stream = logical.saturating_add(1),
            _ => {}
        }
    }
    Some((rank, stream, thread))
}
