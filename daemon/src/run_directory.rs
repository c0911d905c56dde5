//! The private directory of one run: made, checked, removed at the end, swept when left behind.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use whyperf_inject::Owner;

use crate::error::Error;

/// A run directory of this process's; removed when dropped.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Locked as long as this process lives, whatever ends it: a program that starts later sees that nobody would read what it made.
    owner: File,
    /// The place that it would have had.
    instead_of: Option<Error>,
}

/// What became of an attempt to own the run directory of a job.
#[derive(Debug)]
pub enum DirectoryClaim {
    /// This process is the first: it made the directory and removes it.
    Mine(RunDirectory),
    /// Another process of the job was first.
    Theirs(PathBuf),
}

/// What [`sweep`] did.
#[derive(Debug, Default)]
pub struct Swept {
    /// Run directories that were removed.
    pub removed: Vec<PathBuf>,
    /// Run directories of runs that still go on.
    pub in_use: Vec<PathBuf>,
    /// What could not be removed, and why.
    pub failed: Vec<(PathBuf, io::Error)>,
}

impl RunDirectory {
    /// Makes a new one below `WHYPERF_SHM_DIR` if that is given, else below `/dev/shm`, else in the folder that the system keeps for the user
    /// (`XDG_RUNTIME_DIR`), else below `/tmp`.
    ///
    /// # Errors
    /// When no such directory can be made.
    pub fn create() -> Result<Self, Error> {
        first_of(bases(), Self::create_below)
    }

    /// Makes a new one at `<base>/whyperf-<user>/<run>`; where that is not private to this user, because another one made it,
    /// at `<base>/whyperf-<user>-<random>/<run>`.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_below(base: &Path) -> Result<Self, Error> {
        let (home, instead_of) = private_home(base, random)?;
        let id = std::process::id();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let path = home.join(format!("{}-{id}", since.as_nanos()));
        make_private(&path)?;
        Self::own(path, instead_of)
    }

    /// Why it is not where it usually is, if that was taken by another user.
    #[must_use]
    pub const fn instead_of(&self) -> Option<&Error> {
        self.instead_of.as_ref()
    }

    /// The run directory of a job whose processes know its name without talking: the first makes it.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn claim(job: &str) -> Result<DirectoryClaim, Error> {
        first_of(bases(), |base| Self::claim_below(base, job))
    }

    /// As [`claim`](Self::claim), at `<base>/whyperf-<user>/<job>`; where another user made that, at `<base>/whyperf-<user>-<job>/<job>`, which
    /// all processes of the job find.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn claim_below(base: &Path, job: &str) -> Result<DirectoryClaim, Error> {
        let (home, instead_of) = private_home(base, || job.to_owned())?;
        let path = home.join(job);
        let failed = |source| Error::CreateRunDirectory { path: path.clone(), source };
        let mut made = DirBuilder::new().mode(0o700).create(&path);
        if made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            // The end of another run may have removed the empty home just now.
            make_private(&home)?;
            made = DirBuilder::new().mode(0o700).create(&path);
        }
        match made {
            Ok(()) => Self::own(path, instead_of).map(DirectoryClaim::Mine),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let facts = fs::symlink_metadata(&path).map_err(failed)?;
                check_private(&facts)
                    .map_err(|why| Error::UnsafeDirectory { path: path.clone(), why })?;
                Ok(DirectoryClaim::Theirs(path))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Takes over one that another process [left to](Self::leave_to_another) this one.
    ///
    /// # Errors
    /// When it is gone, or not private to this user.
    pub fn take_over(path: PathBuf) -> Result<Self, Error> {
        let failed = |source| Error::CreateRunDirectory { path: path.clone(), source };
        let facts = fs::symlink_metadata(&path).map_err(failed)?;
        check_private(&facts).map_err(|why| Error::UnsafeDirectory { path: path.clone(), why })?;
        let owner = name_owner(&path).map_err(failed)?;
        Ok(Self { path, owner, instead_of: None })
    }

    /// The lock of its owner, for the process that will [take it over](Self::take_over): the directory has an owner until then, though this
    /// process may become another program.
    ///
    /// # Errors
    /// When this process may have no more files.
    pub fn lock(&self) -> io::Result<File> {
        self.owner.try_clone()
    }

    /// Another process takes it over, and removes it.
    pub fn leave_to_another(self) {
        // Dropped, it would be removed.
        std::mem::forget(self);
    }

    /// Writes into a new directory whose it is.
    fn own(path: PathBuf, instead_of: Option<Error>) -> Result<Self, Error> {
        match name_owner(&path) {
            Ok(owner) => Ok(Self { path, owner, instead_of }),
            Err(source) => {
                let _ = remove(&path);
                Err(Error::CreateRunDirectory { path: path.join(Owner::FILE), source })
            }
        }
    }

    /// Where it is: the value of `WHYPERF_DIR`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        // It may be gone already; what cannot be removed is left to `sweep`.
        let _ = remove(&self.path);
        if let Some(home) = self.path.parent() {
            // Only when it is empty, which is what the system checks.
            let _ = fs::remove_dir(home);
        }
    }
}

/// Removes what runs left behind whose process is gone. Touches only this user's directories and
/// follows no link.
#[must_use]
pub fn sweep() -> Swept {
    let mut swept = Swept::default();
    places().for_each(|base| sweep_below(&base, &mut swept));
    swept
}

/// What [`sweep`] would remove.
#[must_use]
pub fn leftovers() -> Vec<PathBuf> {
    let homes = places().flat_map(|base| homes(&base));
    let found = homes.flat_map(|home| run_directories(&home).unwrap_or_default());
    found.filter(|path| !is_in_use(path)).collect()
}

/// Where run directories are tried, one after the other.
fn bases() -> Vec<PathBuf> {
    chosen().map_or_else(usual, |chosen| vec![chosen])
}

/// What can be made in the first place that allows it, or why it cannot be in the first of all.
fn first_of<T>(bases: Vec<PathBuf>, make: impl Fn(&Path) -> Result<T, Error>) -> Result<T, Error> {
    let mut failure = None;
    for base in bases {
        match make(&base) {
            Ok(made) => return Ok(made),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(failure.unwrap_or_else(|| no_place(&home(Path::new("/")))))
}

/// Where run directories may be.
fn places() -> impl Iterator<Item = PathBuf> {
    chosen().into_iter().chain(usual())
}

/// The place that the user chose.
fn chosen() -> Option<PathBuf> {
    std::env::var_os("WHYPERF_SHM_DIR").map(PathBuf::from)
}

/// The places that are tried without such a choice.
fn usual() -> Vec<PathBuf> {
    let of_user = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let of_user = of_user.filter(|folder| folder.is_absolute());
    [Some("/dev/shm".into()), of_user, Some("/tmp".into())].into_iter().flatten().collect()
}

/// Sweeps one place for run directories.
pub(crate) fn sweep_below(base: &Path, swept: &mut Swept) {
    homes(base).into_iter().for_each(|home| sweep_home(home, swept));
}

fn sweep_home(home: PathBuf, swept: &mut Swept) {
    // What another user made under our name stays, even where it is empty and this user may remove it.
    if fs::symlink_metadata(&home).is_ok_and(|facts| check_private(&facts).is_err()) {
        return;
    }
    let paths = match run_directories(&home) {
        Ok(paths) => paths,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return swept.failed.push((home, error)),
    };
    for path in paths {
        if is_in_use(&path) {
            swept.in_use.push(path);
            continue;
        }
        match remove(&path) {
            Ok(()) => swept.removed.push(path),
            // Another sweep, or the end of its run, was quicker.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => swept.failed.push((path, error)),
        }
    }
    let _ = fs::remove_dir(&home);
}

/// This user's run directories, sorted; none where the home is not private.
fn run_directories(home: &Path) -> io::Result<Vec<PathBuf>> {
    let is_ours =
        |path: &Path| fs::symlink_metadata(path).is_ok_and(|facts| check_private(&facts).is_ok());
    if !is_ours(home) {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(home)?.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| is_ours(path)).collect();
    paths.sort();
    Ok(paths)
}

fn home(base: &Path) -> PathBuf {
    base.join(format!("whyperf-{}", rustix::process::getuid().as_raw()))
}

/// The home in a place, and those with a name of their own that were made because another user has that.
fn homes(base: &Path) -> Vec<PathBuf> {
    let usual = home(base);
    let beginning = format!("whyperf-{}-", rustix::process::getuid().as_raw());
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    let of_own =
        |entry: &fs::DirEntry| entry.file_name().as_bytes().starts_with(beginning.as_bytes());
    let others = entries.filter(of_own).map(|entry| entry.path());
    std::iter::once(usual).chain(others).collect()
}

/// A home that only this user may enter, and why it is not the usual one; `other` names another one.
fn private_home(
    base: &Path,
    other: impl FnOnce() -> String,
) -> Result<(PathBuf, Option<Error>), Error> {
    let usual = home(base);
    match make_private(&usual) {
        Ok(()) => Ok((usual, None)),
        Err(taken @ Error::UnsafeDirectory { .. }) => {
            let mut name = usual.into_os_string();
            name.push(format!("-{}", other()));
            let home = PathBuf::from(name);
            make_private(&home)?;
            Ok((home, Some(taken)))
        }
        Err(error) => Err(error),
    }
}

/// A name that nobody can foresee.
fn random() -> String {
    let mut bytes = [0; 8];
    let filled = rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty());
    let number = if filled == Ok(bytes.len()) { u64::from_le_bytes(bytes) } else { 0 };
    format!("{:016x}", number ^ u64::from(std::process::id()))
}

fn no_place(path: &Path) -> Error {
    let source = io::ErrorKind::NotFound.into();
    Error::CreateRunDirectory { path: path.to_owned(), source }
}

/// Makes a directory for this user alone, or checks that the one there is such.
fn make_private(path: &Path) -> Result<(), Error> {
    let failed = |source| Error::CreateRunDirectory { path: path.to_owned(), source };
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    let facts = fs::symlink_metadata(path).map_err(failed)?;
    check_private(&facts).map_err(|why| Error::UnsafeDirectory { path: path.to_owned(), why })
}

fn check_private(facts: &Metadata) -> Result<(), &'static str> {
    if facts.file_type().is_symlink() {
        Err("it is a symbolic link")
    } else if !facts.is_dir() {
        Err("it is no directory")
    } else if facts.uid() != rustix::process::getuid().as_raw() {
        Err("it belongs to somebody else")
    } else if facts.mode() & 0o077 != 0 {
        Err("others may enter it")
    } else {
        Ok(())
    }
}

/// Writes into a run directory that it is this process's. The file is locked before it has its name: nobody sees it without an owner.
fn name_owner(directory: &Path) -> io::Result<File> {
    let new = directory.join("owner.new");
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&new)?;
    file.lock()?;
    file.write_all(Owner::this_process().text().as_bytes())?;
    fs::rename(&new, directory.join(Owner::FILE))?;
    Ok(file)
}

/// Whether the process that made the directory still runs. One without a readable owner is being
/// made right now, or was left behind half-made: its age decides.
fn is_in_use(path: &Path) -> bool {
    match Owner::of(path) {
        Some(owner) => owner.is_there(),
        None => fs::symlink_metadata(path)
            .and_then(|facts| facts.modified())
            .is_ok_and(|made| made.elapsed().is_ok_and(|age| age.as_secs() < 60)),
    }
}

/// Removes a directory with what is in it. Links inside are removed, not followed.
fn remove(path: &Path) -> io::Result<()> {
    fs::remove_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs;

    fn base(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("whyperf-test-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("the temporary directory is writable");
        path
    }

    #[test]
    fn it_is_private_and_gone_after_the_run() {
        let base = base("private");
        let run = RunDirectory::create_below(&base).expect("the base is ours");
        let path = run.path().to_owned();
        let facts = fs::symlink_metadata(&path).expect("just made");
        assert_eq!(facts.mode() & 0o777, 0o700);
        let mut swept = Swept::default();
        sweep_below(&base, &mut swept);
        assert_eq!(swept.in_use, std::slice::from_ref(&path));
        drop(run);
        assert!(!path.exists());
        fs::remove_dir(&base).expect("nothing else is left in it");
    }

    #[test]
    fn the_first_of_a_job_owns_its_directory() {
        let base = base("claim");
        let Ok(DirectoryClaim::Mine(first)) = RunDirectory::claim_below(&base, "job") else {
            panic!("no daemon was there before");
        };
        let second = RunDirectory::claim_below(&base, "job").expect("the base is ours");
        assert!(matches!(second, DirectoryClaim::Theirs(path) if path == first.path()));
        let mut swept = Swept::default();
        sweep_below(&base, &mut swept);
        assert_eq!(swept.in_use, [first.path().to_owned()]);
        drop(first);
        fs::remove_dir(&base).expect("nothing else is left in it");
    }

    /// A folder that another user made under our name is never used, and keeps nobody from measuring.
    #[test]
    fn links_and_open_doors_are_left_alone_and_another_home_is_made() {
        let base = base("refused");
        let home = home(&base);
        let is_elsewhere = |expected: &str| {
            let run = RunDirectory::create_below(&base).expect("the base is ours");
            assert!(!run.path().starts_with(&home));
            let taken = run.instead_of();
            assert!(
                matches!(taken, Some(Error::UnsafeDirectory { why, .. }) if *why == expected),
                "{taken:?}"
            );
            let facts =
                fs::symlink_metadata(run.path().parent().expect("its home")).expect("it is");
            assert_eq!(facts.mode() & 0o777, 0o700);
            let mut swept = Swept::default();
            sweep_below(&base, &mut swept);
            assert_eq!(swept.in_use, [run.path().to_owned()], "clean finds it");
            let claims = ["a", "a"].map(|job| RunDirectory::claim_below(&base, job));
            let [Ok(DirectoryClaim::Mine(first)), Ok(DirectoryClaim::Theirs(second))] = &claims
            else {
                panic!("the processes of a job agree: {claims:?}");
            };
            assert_eq!(first.path(), second);
            drop(run);
        };
        std::os::unix::fs::symlink("/", &home).expect("the base is ours");
        is_elsewhere("it is a symbolic link");
        fs::remove_file(&home).expect("just made");
        fs::create_dir(&home).expect("the base is ours");
        let open: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&home, open).expect("ours");
        is_elsewhere("others may enter it");
        if needs::is_met("root", rustix::process::geteuid().is_root()) {
            std::os::unix::fs::chown(&home, Some(65534), None).expect("root may");
            is_elsewhere("it belongs to somebody else");
        }
        let left = fs::read_dir(&base).expect("ours").count();
        assert_eq!(left, 1, "only the other user's");
        fs::remove_dir_all(&base).expect("ours");
    }

    #[test]
    fn the_first_place_that_can_be_used_is_taken() {
        let base = base("places");
        fs::write(base.join("file"), "").expect("ours");
        let places = vec![base.join("absent"), base.join("file"), base.clone()];
        let run = first_of(places, RunDirectory::create_below).expect("the last is ours");
        assert!(run.path().starts_with(&base) && run.instead_of().is_none());
        let nowhere = first_of(vec![base.join("absent")], RunDirectory::create_below);
        assert!(matches!(nowhere, Err(Error::CreateRunDirectory { .. })));
        drop(run);
        fs::remove_dir_all(&base).expect("ours");
    }

    #[test]
    fn two_that_sweep_at_once_do_not_fail() {
        let base = base("twice");
        let home = home(&base);
        make_private(&home).expect("the base is ours");
        for number in 0..200 {
            let stale = home.join(format!("1-{number}"));
            make_private(&stale).expect("the home is ours");
            fs::write(stale.join(Owner::FILE), "4194305 17\n").expect("ours");
        }
        let swept = std::thread::scope(|scope| {
            let sweeping = || {
                let mut swept = Swept::default();
                sweep_below(&base, &mut swept);
                swept
            };
            let sweeps = [scope.spawn(sweeping), scope.spawn(sweeping)];
            sweeps.map(|sweep| sweep.join().expect("it returns"))
        });
        assert!(swept.iter().all(|one| one.failed.is_empty()), "{swept:?}");
        assert!(!home.exists());
        fs::remove_dir_all(&base).expect("ours");
    }

    #[test]
    fn sweeping_removes_what_no_daemon_owns_and_follows_no_link() {
        let base = base("sweep");
        let kept = base.join("kept");
        fs::write(&kept, "precious").expect("the base is ours");
        let home = home(&base);
        make_private(&home).expect("the base is ours");
        let stale = home.join("1-1");
        make_private(&stale).expect("the home is ours");
        fs::write(stale.join(Owner::FILE), "4194305 17\n").expect("ours");
        std::os::unix::fs::symlink(&kept, stale.join("link")).expect("ours");
        std::os::unix::fs::symlink(&base, home.join("2-2")).expect("ours");
        let mut swept = Swept::default();
        sweep_below(&base, &mut swept);
        assert_eq!(swept.removed, [stale]);
        assert!(swept.failed.is_empty() && swept.in_use.is_empty());
        assert_eq!(fs::read_to_string(&kept).expect("never touched"), "precious");
        fs::remove_dir_all(&base).expect("ours");
    }
}
