//! Opens damaged files, foreign files and files that are no stores: each is named, none is changed.

use std::fs;
use std::path::Path;

use whyperf_experiments::{Access, History, Recorder, Store, StoreError};

use crate::sample::{
    Place, WITHOUT_VERSION_7, WITHOUT_VERSION_8, WITHOUT_VERSION_9, WITHOUT_VERSION_10,
    WITHOUT_VERSION_11, new_run, sql, written,
};

#[test]
fn a_missing_store_is_made_for_a_run_only() {
    let place = Place::new("missing");
    assert!(matches!(Store::open(&place.store(), Access::Read), Err(StoreError::Missing { .. })));
    assert!(!place.store().exists());
    written(&place.store(), 0);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(place.store()).expect("it was just made").permissions(),
    );
    assert_eq!(mode & 0o077, 0, "others may not read it");
    let nowhere = place.folder().join("no/such/folder/whyperf.db");
    assert!(matches!(Recorder::begin(&nowhere, &new_run(0)), Err(StoreError::Open { .. })));
    assert!(matches!(Recorder::begin(place.folder(), &new_run(0)), Err(StoreError::NoFile { .. })));
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_is() {
    let place = Place::new("foreign");
    fs::write(place.store(), "a letter to my grandmother\n".repeat(100)).expect("writable");
    let before = fs::read(place.store()).expect("readable");
    for access in [Access::Read, Access::Change, Access::Write] {
        assert!(matches!(Store::open(&place.store(), access), Err(StoreError::Damaged { .. })));
    }
    assert_eq!(fs::read(place.store()).expect("readable"), before);
    fs::write(place.store(), "\n").expect("writable");
    assert!(matches!(Store::open(&place.store(), Access::Write), Err(StoreError::Damaged { .. })));
    assert_eq!(fs::read(place.store()).expect("readable"), b"\n");
    let other = place.folder().join("other.db");
    sql(&other, "CREATE TABLE letter (text TEXT)");
    assert!(matches!(Store::open(&other, Access::Write), Err(StoreError::Damaged { .. })));
    assert!(matches!(Store::open(&other, Access::Read), Err(StoreError::Damaged { .. })));
}

#[test]
fn a_pipe_is_refused_and_not_waited_at() {
    let place = Place::new("pipe");
    let pipe = place.store();
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).expect("the folder can be written");
    for access in [Access::Read, Access::Change, Access::Write] {
        assert!(matches!(Store::open(&pipe, access), Err(StoreError::NoFile { .. })));
    }
}

#[test]
fn a_store_of_old_is_read_as_it_is_and_written_as_a_new_one() {
    let place = Place::new("old");
    let run = written(&place.store(), 0);
    sql(&place.store(), WITHOUT_VERSION_11);
    sql(&place.store(), WITHOUT_VERSION_10);
    sql(&place.store(), WITHOUT_VERSION_9);
    sql(&place.store(), WITHOUT_VERSION_8);
    sql(&place.store(), WITHOUT_VERSION_7);
    sql(
        &place.store(),
        "DELETE FROM schema_version WHERE version > 2; DROP TABLE phase; DROP TABLE message_series; DROP TABLE report; DROP INDEX tag_by_name; \
         ALTER TABLE verdict DROP COLUMN split; ALTER TABLE profile DROP COLUMN coverage",
    );
    let before = fs::read(place.store()).expect("readable");
    let store = Store::open(&place.store(), Access::Read).expect("it is known");
    assert_eq!(store.phases(&run).expect("there are none"), []);
    assert_eq!(store.verdicts(&run).expect("readable").len(), 1);
    assert_eq!(fs::read(place.store()).expect("readable"), before);
    written(&place.store(), 1);
    assert_eq!(read_all(&place.store()).ok(), Some(()));
}

#[test]
fn a_newer_store_is_refused() {
    let place = Place::new("newer");
    written(&place.store(), 0);
    sql(&place.store(), "INSERT INTO schema_version (version) VALUES (999)");
    for access in [Access::Read, Access::Change, Access::Write] {
        let refused = Store::open(&place.store(), access);
        assert!(matches!(refused, Err(StoreError::Newer { found: 999, .. })), "{refused:?}");
    }
}

#[test]
fn a_cut_store_never_panics() {
    let place = Place::new("cut");
    (0..5).for_each(|n| drop(written(&place.store(), n)));
    let whole = fs::read(place.store()).expect("readable");
    let cut = place.folder().join("cut.db");
    let mut refused = 0;
    for length in (0..whole.len()).step_by(whole.len() / 200) {
        fs::write(&cut, &whole[..length]).expect("writable");
        refused += usize::from(read_all(&cut).is_err());
    }
    assert!(refused > 150, "a cut file was believed: {refused} of 200 refused");
}

#[test]
fn flipped_bytes_never_panic() {
    let place = Place::new("flipped");
    (0..5).for_each(|n| drop(written(&place.store(), n)));
    let whole = fs::read(place.store()).expect("readable");
    let flipped = place.folder().join("flipped.db");
    for at in (0..whole.len()).step_by(whole.len() / 300) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xa5;
        fs::write(&flipped, &bytes).expect("writable");
        let _ = read_all(&flipped);
        let _ = Recorder::begin(&flipped, &new_run(9));
    }
}

fn read_all(path: &Path) -> Result<(), StoreError> {
    let store = Store::open(path, Access::Read)?;
    for run in store.runs(&History::default())? {
        store.facts(&run.id)?;
        store.verdicts(&run.id)?;
        store.edges(&run.id)?;
        store.phases(&run.id)?;
        store.steps(&run.id)?;
        store.profile(&run.id)?;
        store.messages(&run.id)?;
        for pair in store.pairs(&run.id)? {
            store.histogram(&run.id, &pair)?;
        }
    }
    Ok(())
}
