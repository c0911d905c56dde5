//! Models of the tables in which probes keep data between calls, and which the program's threads share.

use loom::sync::atomic::AtomicU32;
use loom::sync::atomic::Ordering::Relaxed;
use loom::thread;

use crate::association::{Association, WORDS};
use crate::claim::Claim;
use crate::thread_start::{Maker, StartArguments, Task};
use crate::{explore, explore_then};

type Pair = Association<2>;

/// Handles that any table finds in all of its two places.
const FIRST: usize = 0x10;
const SECOND: usize = 0x20;
const THIRD: usize = 0x30;

#[test]
fn a_handle_that_is_found_is_remembered_whole() {
    let insert = |table: &Pair| assert!(table.insert(FIRST, words(FIRST)).is_some());
    explore(Pair::new, insert, |table| {
        if let Some(place) = table.find(FIRST) {
            check(table, place, FIRST);
        }
    });
}

#[test]
fn a_place_that_was_given_back_is_not_read_any_more() {
    let make = || {
        let table = Pair::new();
        for handle in [FIRST, SECOND] {
            assert!(table.insert(handle, words(handle)).is_some());
        }
        table
    };
    let complete = |table: &Pair| {
        let place = table.find(FIRST).unwrap();
        check(table, place, FIRST);
        table.remove(place);
    };
    explore(make, complete, |table| {
        if let Some(place) = table.insert(THIRD, words(THIRD)) {
            check(table, place, THIRD);
        }
    });
}

fn words(handle: usize) -> [u64; WORDS] {
    [1, 2, 3, 4, 5].map(|word| 100 * handle as u64 + word)
}

fn check(table: &Pair, place: crate::association::AssociationIndex, handle: usize) {
    let found = [0, 1, 2, 3, 4].map(|word| table.word(place, word).load(Relaxed));
    assert_eq!(found, words(handle));
}

/// A pool, how often it was had, and how often it was used.
type Pool = (Claim, AtomicU32, AtomicU32);

#[test]
fn a_pool_has_one_user_at_a_time() {
    let use_if_free = |(claim, had, used): &Pool| {
        if claim.take() {
            had.fetch_add(1, Relaxed);
            used.store(used.load(Relaxed) + 1, Relaxed);
            claim.give();
        }
    };
    let compare = |(_, had, used): &Pool| assert_eq!(had.load(Relaxed), used.load(Relaxed));
    explore_then(Default::default, [use_if_free, use_if_free], compare);
}

#[test]
fn start_arguments_are_those_of_their_own_thread() {
    explore(
        StartArguments::default,
        |start| send(start, Task { start: 11, argument: 12, maker: Maker::Program }),
        |start| send(start, Task { start: 21, argument: 22, maker: Maker::Library }),
    );
}

fn send(start: &StartArguments, task: Task) {
    while !start.take() {
        thread::yield_now();
    }
    start.hand_over(task);
    assert_eq!(start.read(), task);
    start.give();
}
