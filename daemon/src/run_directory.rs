//! The private directory of one run: made, checked, removed at the end, swept when left behind.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use whyperf_inject::Owner;

use crate::error::Error;

/// A run directory of this process's; removed when dropped.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
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
    /// Makes a new one below `WHYPERF_SHM_DIR` if that is given, else below `/dev/shm`, else `/tmp`.
    ///
    /// # Errors
    /// When no such directory can be made, or the place for it is not private to this user.
    pub fn create() -> Result<Self, Error> {
        if let Some(chosen) = std::env::var_os("WHYPERF_SHM_DIR") {
            return Self::create_below(Path::new(&chosen));
        }
        match Self::create_below(Path::new("/dev/shm")) {
            // Someone else's directory under our name is not a reason to look elsewhere silently.
            Err(Error::CreateRunDirectory { .. }) => Self::create_below(Path::new("/tmp")),
            other => other,
        }
    }

    /// Makes a new one at `<base>/whyperf-<user>/<run>`.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_below(base: &Path) -> Result<Self, Error> {
        let home = home(base);
        make_private(&home)?;
        let id = std::process::id();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let path = home.join(format!("{}-{id}", since.as_nanos()));
        make_private(&path)?;
        Self::own(path)
    }

    /// The run directory of a job whose processes know its name without talking: the first makes it.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn claim(job: &str) -> Result<DirectoryClaim, Error> {
        let chosen = std::env::var_os("WHYPERF_SHM_DIR");
        Self::claim_below(Path::new(chosen.as_deref().unwrap_or_else(|| "/dev/shm".as_ref())), job)
    }

    /// As [`claim`](Self::claim), at `<base>/whyperf-<user>/<job>`.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn claim_below(base: &Path, job: &str) -> Result<DirectoryClaim, Error> {
        let home = home(base);
        let path = home.join(job);
        let failed = |source| Error::CreateRunDirectory { path: path.clone(), source };
        make_private(&home)?;
        let mut made = DirBuilder::new().mode(0o700).create(&path);
        if made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            // The end of another run may have removed the empty home just now.
            make_private(&home)?;
            made = DirBuilder::new().mode(0o700).create(&path);
        }
        match made {
            Ok(()) => Self::own(path).map(DirectoryClaim::Mine),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let facts = fs::symlink_metadata(&path).map_err(failed)?;
                check_private(&facts)
                    .map_err(|why| Error::UnsafeDirectory { path: path.clone(), why })?;
                Ok(DirectoryClaim::Theirs(path))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Writes into a new directory whose it is.
    fn own(path: PathBuf) -> Result<Self, Error> {
        let directory = Self { path };
        let owner = directory.path.join(Owner::FILE);
        write_new(&owner, &Owner::this_process().text())
            .map_err(|source| Error::CreateRunDirectory { path: owner, source })?;
        Ok(directory)
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
    let found = places().flat_map(|base| run_directories(&home(&base)).unwrap_or_default());
    found.filter(|path| !is_in_use(path)).collect()
}

/// Where run directories may be.
fn places() -> impl Iterator<Item = PathBuf> {
    let chosen = std::env::var_os("WHYPERF_SHM_DIR").map(PathBuf::from);
    chosen.into_iter().chain(["/dev/shm".into(), "/tmp".into()])
}

/// Sweeps one place for run directories.
pub(crate) fn sweep_below(base: &Path, swept: &mut Swept) {
    let home = home(base);
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

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
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

    #[test]
    fn links_and_open_doors_are_refused() {
        let base = base("refused");
        let home = home(&base);
        std::os::unix::fs::symlink("/", &home).expect("the base is ours");
        assert!(matches!(
            RunDirectory::create_below(&base),
            Err(Error::UnsafeDirectory { why: "it is a symbolic link", .. })
        ));
        fs::remove_file(&home).expect("just made");
        fs::create_dir(&home).expect("the base is ours");
        let open: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&home, open).expect("ours");
        assert!(matches!(
            RunDirectory::create_below(&base),
            Err(Error::UnsafeDirectory { why: "others may enter it", .. })
        ));
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
