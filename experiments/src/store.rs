//! The store: one SQLite file with any number of runs of any number of programs.
//!
//! Invariants:
//! * a committed transaction stays, whichever process is killed: a rollback journal, synchronized at each commit;
//! * two whyperfs may write at once: each transaction is short, and waits for the other's;
//! * a file that is not ours is never changed.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::error::StoreError;
use crate::migrations;

/// What is going to be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read it; it must be there.
    Read,
    /// Change it; it must be there.
    Change,
    /// Write a run into it; it is made when it is missing.
    Write,
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
}

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

impl Store {
    /// Opens a store, and brings it up to date if it is to be written.
    ///
    /// # Errors
    /// See [`StoreError`]; nothing is changed then.
    pub fn open(path: &Path, access: Access) -> Result<Self, StoreError> {
        prepare(path, access)?;
        let place = resolved(path);
        let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags |= match access {
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Change | Access::Write => {
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW
            }
        };
        let failed = |error: rusqlite::Error| StoreError::of(path, "opening it", &error);
        let connection = Connection::open_with_flags(&place, flags).map_err(failed)?;
        let mut store = Self { path: path.to_owned(), connection };
        store.configure(access).map_err(failed)?;
        store.check(access)?;
        Ok(store)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn configure(&self, access: Access) -> rusqlite::Result<()> {
        self.connection.busy_timeout(PATIENCE)?;
        self.connection.set_prepared_statement_cache_capacity(64);
        self.connection.pragma_update(None, "foreign_keys", true)?;
        // A file must not choose which functions are called.
        self.connection.pragma_update(None, "trusted_schema", false)?;
        if access != Access::Read {
            // Not the write-ahead log: it needs shared memory, which file systems over a network do not have.
            self.connection.pragma_update_and_check(
                None,
                "journal_mode",
                "TRUNCATE",
                |_| Ok(()),
            )?;
            self.connection.pragma_update(None, "synchronous", "FULL")?;
        }
        Ok(())
    }

    fn check(&mut self, access: Access) -> Result<(), StoreError> {
        let found = migrations::version(&self.connection)
            .map_err(|error| StoreError::of(&self.path, "reading its version", &error))?;
        let known = migrations::newest();
        let path = || self.path.clone();
        if found > known {
            return Err(StoreError::Newer { path: path(), found, known });
        }
        match access {
            Access::Write if found < known => migrations::migrate(&self.path, &mut self.connection),
            Access::Read | Access::Change if found == 0 => {
                let reason = "it holds no runs".to_owned();
                Err(StoreError::Damaged { path: path(), reason })
            }
            Access::Change if found < known => {
                migrations::migrate(&self.path, &mut self.connection)
            }
            Access::Read if found < known => migrations::supplement(&self.connection, found)
                .map_err(|error| StoreError::of(&self.path, "reading an older version", &error)),
            _ => Ok(()),
        }
    }
}

/// Makes the file, readable by its owner alone, where one is to be written.
fn prepare(path: &Path, access: Access) -> Result<(), StoreError> {
    // A pipe would be waited at before anybody could say what it is.
    if let Ok(found) = std::fs::metadata(path) {
        if !found.is_file() {
            return Err(StoreError::NoFile { path: path.to_owned() });
        }
        // To the database a file of one byte is an empty one, which it may write over.
        if found.len() == 1 {
            let reason = "file is not a database".to_owned();
            return Err(StoreError::Damaged { path: path.to_owned(), reason });
        }
        if found.len() == 0 && access != Access::Write {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
    }
    let missing = || StoreError::Missing { path: path.to_owned() };
    let opened = match access {
        Access::Read => File::open(path).map(drop),
        Access::Change | Access::Write => {
            let mut options = OpenOptions::new();
            options.append(true).create(access == Access::Write).mode(0o600);
            options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
            match options.open(path) {
                Ok(file) => return check_own(path, &file),
                Err(error) => Err(error),
            }
        }
    };
    match opened.map_err(|error| (error.kind(), error)) {
        Ok(()) => Ok(()),
        Err((ErrorKind::NotFound, _)) if access != Access::Write => Err(missing()),
        // What may only be read is found out at the first change.
        Err((ErrorKind::PermissionDenied, _)) if access == Access::Change => Ok(()),
        Err((_, error)) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            Err(StoreError::NotOwn { path: path.to_owned(), why: "it is a symbolic link" })
        }
        Err((_, source)) => Err(StoreError::Open { path: path.to_owned(), source }),
    }
}

/// Whether a file that is to be written is this user's, and nobody else writes it.
fn check_own(path: &Path, file: &File) -> Result<(), StoreError> {
    let facts =
        file.metadata().map_err(|source| StoreError::Open { path: path.to_owned(), source })?;
    let why = if facts.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if facts.mode() & 0o022 != 0 {
        "others may write it (chmod go-w)"
    } else if facts.nlink() > 1 {
        "it has another name, too (a hard link)"
    } else {
        return Ok(());
    };
    Err(StoreError::NotOwn { path: path.to_owned(), why })
}

/// The file in its folder without links: the database refuses those in any part of a path.
fn resolved(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new(".")).canonicalize();
    let name = path.file_name();
    folder.ok().zip(name).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;

    /// A folder of its own, which goes with all that the database keeps beside its file.
    struct Folder(PathBuf);

    impl Folder {
        fn file(&self) -> PathBuf {
            self.0.join("store.db")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// A store without patience.
    fn impatient(name: &str) -> (Folder, Store) {
        let folder = std::env::temp_dir().join(format!("whyperf-{name}-{}", std::process::id()));
        std::fs::create_dir(&folder).expect("the temporary folder can be written");
        let folder = Folder(folder);
        let store = Store::open(&folder.file(), Access::Write).expect("it is ours");
        store.connection.busy_timeout(Duration::ZERO).expect("a setting");
        (folder, store)
    }

    fn tag_something(store: &mut Store) -> Result<(), StoreError> {
        crate::recorder::transact(store, "filling it", |transaction| {
            let fill = "INSERT INTO application (name) VALUES (hex(randomblob(100000)))";
            (0..100).try_for_each(|_| transaction.execute(fill, []).map(drop))
        })
    }

    #[test]
    fn a_full_disk_is_named_and_loses_nothing() {
        let (_folder, mut store) = impatient("full");
        let most = "PRAGMA max_page_count = 40";
        store.connection.query_row(most, [], |_| Ok(())).expect("a setting");
        assert!(matches!(tag_something(&mut store), Err(StoreError::Full { .. })));
        assert_eq!(store.runs(&History::default()).expect("it is whole"), []);
    }

    #[test]
    fn a_store_that_is_kept_by_another_is_named() {
        let (folder, mut store) = impatient("busy");
        let other = Connection::open(folder.file()).expect("it is there");
        other.execute_batch("BEGIN EXCLUSIVE").expect("no other connection has it");
        assert!(matches!(tag_something(&mut store), Err(StoreError::Busy { .. })));
        other.execute_batch("ROLLBACK").expect("it was begun");
        tag_something(&mut store).expect("it is free again");
    }

    #[test]
    fn what_was_opened_to_be_read_is_not_written() {
        let (folder, _) = impatient("read");
        let mut store = Store::open(&folder.file(), Access::Read).expect("it was just made");
        assert!(matches!(tag_something(&mut store), Err(StoreError::ReadOnly { .. })));
    }
}
