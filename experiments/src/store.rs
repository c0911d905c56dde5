//! The store: one SQLite file, or a database of a PostgreSQL server, with any number of runs of any number of programs.
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

use rusqlite::OpenFlags;
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::database::{Connection, DatabaseError, ServerAddress, ServerConnection, StorePlace};
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
pub struct Store {
    /// As it was named, with a password where that has one.
    place: PathBuf,
    /// The file, or the URL of the server without its password.
    pub(crate) shown: PathBuf,
    pub(crate) connection: Connection,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("shown", &self.shown).finish_non_exhaustive()
    }
}

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

impl Store {
    /// Opens a store, and brings it up to date if it is to be written: a file, or a server by a URL that begins with `postgres://`.
    ///
    /// # Errors
    /// See [`StoreError`]; nothing is changed then.
    pub fn open(place: &Path, access: Access) -> Result<Self, StoreError> {
        let shown = StorePlace::shown(place);
        let connection = match StorePlace::parse(place) {
            Ok(StorePlace::File(path)) => open_file(&path, access)?,
            Ok(StorePlace::Server(address)) => open_server(&shown, &address)?,
            Err(reason) => return Err(StoreError::Address { path: shown, reason }),
        };
        let mut store = Self { place: place.to_owned(), shown, connection };
        store.check(access)?;
        if access == Access::Read {
            let done = store.connection.only_read();
            done.map_err(|error| StoreError::of(&store.shown, "opening it", &error))?;
        }
        Ok(store)
    }

    /// Whether a user means a server by this place, and no file.
    #[must_use]
    pub fn is_server(place: &Path) -> bool {
        StorePlace::names_server(place)
    }

    /// The place as anybody may see it: without its password.
    #[must_use]
    pub fn shown_place(place: &Path) -> PathBuf {
        StorePlace::shown(place)
    }

    /// The place by which it can be opened again; not to be shown, since it may have a password.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The file, or the URL of the server without its password.
    #[must_use]
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    fn check(&mut self, access: Access) -> Result<(), StoreError> {
        let found = migrations::version(&self.connection)
            .map_err(|error| StoreError::of(&self.shown, "reading its version", &error))?;
        let known = migrations::newest();
        let path = || self.shown.clone();
        if found > known {
            return Err(StoreError::Newer { path: path(), found, known });
        }
        match access {
            Access::Write if found < known => {
                migrations::migrate(&self.shown, &mut self.connection)
            }
            Access::Read | Access::Change if found == 0 => {
                let reason = "it holds no runs".to_owned();
                Err(StoreError::Damaged { path: path(), reason })
            }
            Access::Change if found < known => {
                migrations::migrate(&self.shown, &mut self.connection)
            }
            Access::Read if found < known => migrations::supplement(&self.connection, found)
                .map_err(|error| StoreError::of(&self.shown, "reading an older version", &error)),
            _ => Ok(()),
        }
    }
}

/// A file, made where one is to be written.
fn open_file(path: &Path, access: Access) -> Result<Connection, StoreError> {
    prepare(path, access)?;
    let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags |= match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Change | Access::Write => {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW
        }
    };
    let opened = (|| {
        let connection = rusqlite::Connection::open_with_flags(resolved(path), flags)?;
        configure(&connection, access)?;
        Ok(Connection::File(connection))
    })();
    opened.map_err(|error: DatabaseError| StoreError::of(path, "opening it", &error))
}

/// A database of a server, which is there already.
fn open_server(shown: &Path, address: &ServerAddress) -> Result<Connection, StoreError> {
    let opened = ServerConnection::open(address).map(Connection::Server);
    opened.map_err(|error| StoreError::of(shown, "opening it", &DatabaseError::from(error)))
}

fn configure(connection: &rusqlite::Connection, access: Access) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "foreign_keys", true)?;
    // A file must not choose which functions are called.
    connection.pragma_update(None, "trusted_schema", false)?;
    if access != Access::Read {
        // Not the write-ahead log: it needs shared memory, which file systems over a network do not have.
        connection.pragma_update_and_check(None, "journal_mode", "TRUNCATE", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
    }
    Ok(())
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
    use crate::database::params;
    use crate::history::History;

    fn file(store: &Store) -> &rusqlite::Connection {
        let Connection::File(file) = &store.connection else { panic!("it is a file") };
        file
    }

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
        file(&store).busy_timeout(Duration::ZERO).expect("a setting");
        (folder, store)
    }

    fn tag_something(store: &mut Store) -> Result<(), StoreError> {
        crate::recorder::transact(store, "filling it", |transaction| {
            let fill = "INSERT INTO application (name) VALUES (hex(randomblob(100000)))";
            (0..100).try_for_each(|_| transaction.execute(fill, params![]))
        })
    }

    #[test]
    fn a_full_disk_is_named_and_loses_nothing() {
        let (_folder, mut store) = impatient("full");
        let most = "PRAGMA max_page_count = 40";
        file(&store).query_row(most, [], |_| Ok(())).expect("a setting");
        assert!(matches!(tag_something(&mut store), Err(StoreError::Full { .. })));
        assert_eq!(store.runs(&History::default()).expect("it is whole"), []);
    }

    #[test]
    fn a_store_that_is_kept_by_another_is_named() {
        let (folder, mut store) = impatient("busy");
        let other = rusqlite::Connection::open(folder.file()).expect("it is there");
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
