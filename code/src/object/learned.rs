//! Calls that were seen to happen and that no instruction names, kept from run to run beside the branches of their build.
//!
//! They only suggest which functions to ask about: a wrong one costs a question. So they count wherever caller and callee
//! are still functions.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::edges::Callee;
use super::inventory::Inventory;
use crate::cache::CacheFile;
use crate::function::FunctionId;

/// Calls that were seen, by caller.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    calls: BTreeMap<FunctionId, BTreeSet<Callee>>,
    /// Whether those of earlier runs are among them.
    is_read: bool,
}

/// A call by where its functions begin.
#[derive(Serialize, Deserialize)]
struct LearnedCall {
    caller: u64,
    callee: To,
}

#[derive(Serialize, Deserialize)]
enum To {
    Entry(u64),
    Name(String),
}

impl Learned {
    /// Takes in what was kept, once.
    pub(crate) fn read(&mut self, inventory: &Inventory, file: Option<&CacheFile>) {
        if std::mem::replace(&mut self.is_read, true) {
            return;
        }
        let kept = file.and_then(|file| file.load(MARK));
        let records: Option<Vec<LearnedCall>> =
            kept.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        for LearnedCall { caller, callee } in records.unwrap_or_default() {
            let callee = match callee {
                To::Entry(entry) => inventory.beginning(entry).map(Callee::Function),
                To::Name(name) => Some(Callee::Imported(name)),
            };
            if let (Some(caller), Some(callee)) = (inventory.beginning(caller), callee) {
                self.add(caller, callee);
            }
        }
    }

    /// Whether it is news.
    pub(crate) fn add(&mut self, caller: FunctionId, callee: Callee) -> bool {
        self.calls.entry(caller).or_default().insert(callee)
    }

    /// Keeps all of them.
    pub(crate) fn keep(&self, inventory: &Inventory, file: &CacheFile) {
        let entry = |id: FunctionId| inventory.functions.get(id.index()).map(|one| one.entry);
        let record = |caller: FunctionId, callee: &Callee| {
            let callee = match callee {
                Callee::Function(function) => To::Entry(entry(*function)?),
                Callee::Imported(name) => To::Name(name.clone()),
            };
            Some(LearnedCall { caller: entry(caller)?, callee })
        };
        let pairs = self.calls.iter().flat_map(|(caller, callees)| {
            callees.iter().filter_map(|callee| record(*caller, callee))
        });
        let records: Vec<LearnedCall> = pairs.take(MOST).collect();
        if let Ok(body) = postcard::to_stdvec(&records) {
            file.store(MARK, &body);
        }
    }

    pub(crate) fn of(&self, caller: FunctionId) -> impl Iterator<Item = Callee> {
        self.calls.get(&caller).into_iter().flatten().cloned()
    }
}

/// Opens each file; the last byte is the version of what follows.
const MARK: &[u8; 8] = b"whycall\x01";

/// Calls that are kept of one object.
const MOST: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_callee_has_the_number_that_files_of_this_version_hold() {
        let callees = [To::Entry(5), To::Name("a".to_owned())];
        let bytes = callees.map(|callee| postcard::to_stdvec(&callee).expect("plain data"));
        // Whoever has to change this raises the last byte of the mark.
        assert_eq!((bytes, MARK), ([vec![0, 5], vec![1, 1, b'a']], b"whycall\x01"));
    }
}
