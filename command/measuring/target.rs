//! Checks the program of a command before it starts: whether it exists, and whether it can be measured.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::measuring::elf::Elf;

/// Why a command cannot be started; each has the exit status that shells use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// There is no such program.
    NotFound(PathBuf),
    /// There is one, but it is no file that may be executed.
    NotExecutable(PathBuf),
}

impl Unusable {
    /// What a shell would return.
    pub(crate) const fn exit_status(&self) -> u8 {
        match self {
            Self::NotFound(_) => 127,
            Self::NotExecutable(_) => 126,
        }
    }

    /// What was tried on what, and what to try next.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::NotFound(name) if name.as_os_str().is_empty() => {
                "cannot run a program with an empty name; is a variable of your script unset?"
                    .to_owned()
            }
            Self::NotFound(name) if has_slash(name) => {
                format!(
                    "cannot run {0}: there is no such file; is it built, and the path right?",
                    name.display()
                )
            }
            Self::NotFound(name) => format!(
                "cannot run {0}: not found in PATH; for a program in this folder write ./{0}",
                name.display()
            ),
            Self::NotExecutable(name) if name.is_dir() => {
                format!("cannot run {}: it is a folder", name.display())
            }
            Self::NotExecutable(name) => {
                format!("cannot run {0}: it is not executable; try chmod +x {0}", name.display())
            }
        }
    }
}

/// Why a program that can be started cannot be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// No dynamic linker takes part, so nothing can be preloaded.
    Static,
    /// The system cleans its environment, so nothing is preloaded.
    Privileged,
    /// Built for another kind of machine than the library.
    Foreign,
    /// Its dynamic linker is not that of the GNU C library, which the library needs.
    OtherLibrary,
}

impl Obstacle {
    /// What it means and what to do.
    pub(crate) const fn advice(self) -> &'static str {
        match self {
            Self::Static => {
                "is statically linked, so libwhyperf.so cannot be preloaded into it; link it dynamically (without \
                 -static; on Cray with CRAYPE_LINK_TYPE=dynamic)"
            }
            Self::Privileged => {
                "runs with another user's rights (setuid or setgid), and the system preloads nothing into such \
                 programs; run a copy without that bit"
            }
            Self::Foreign => {
                "is not a 64-bit program of this machine, so libwhyperf.so cannot be preloaded into it; build it \
                 for this machine"
            }
            Self::OtherLibrary => {
                "is linked with another C library than glibc (musl, for instance), and libwhyperf.so is not \
                 preloaded into it; build it with glibc"
            }
        }
    }
}

/// The file that this command word starts.
pub(crate) fn resolve(word: &OsStr) -> Result<PathBuf, Unusable> {
    let name = PathBuf::from(word);
    // In PATH it would be each folder itself.
    if word.is_empty() {
        return Err(Unusable::NotFound(name));
    }
    if has_slash(&name) {
        return match name.metadata() {
            Ok(metadata) if is_executable(&metadata) => Ok(name),
            Ok(_) => Err(Unusable::NotExecutable(name)),
            Err(_) => Err(Unusable::NotFound(name)),
        };
    }
    let mut refused = None;
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        let file = folder.join(&name);
        match file.metadata() {
            Ok(metadata) if is_executable(&metadata) => return Ok(file),
            Ok(metadata) if metadata.is_file() => refused = Some(file),
            _ => {}
        }
    }
    Err(refused.map_or(Unusable::NotFound(name), Unusable::NotExecutable))
}

/// The program of a command that cannot be measured, and why; looked for behind a launcher, too.
pub(crate) fn obstacle(command: &[OsString]) -> Option<(PathBuf, Obstacle)> {
    let program = program_of(command)?;
    let obstacle = obstacle_of(&program)?;
    Some((program, obstacle))
}

/// The shared address sanitizer that the program of a command was linked with: it insists on being the first.
pub(crate) fn sanitizer(command: &[OsString]) -> Option<String> {
    let elf = Elf::read(&File::open(program_of(command)?).ok()?)?;
    let is_sanitizer = |name: &String| SANITIZERS.iter().any(|known| name.starts_with(known));
    elf.needed.into_iter().find(is_sanitizer)
}

/// Whether this word starts other programs instead of computing.
pub(crate) fn is_launcher(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    LAUNCHERS.contains(&stem)
}

/// Behind a launcher the program is the first word that is an executable file: values of its options hardly ever are.
pub(crate) fn program_of(command: &[OsString]) -> Option<PathBuf> {
    let (first, rest) = command.split_first()?;
    if !is_launcher(first) {
        return resolve(first).ok();
    }
    rest.iter().filter(|word| is_program(word)).find_map(|word| resolve(word).ok())
}

/// How many ranks a launcher is asked to start by one option for all of them; none where several programs are started, or it does not say so.
pub(crate) fn ranks_of(command: &[OsString]) -> Option<usize> {
    let (first, rest) = command.split_first()?;
    let words: Vec<&str> = rest.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    let program = rest.iter().position(|word| is_program(word))?;
    if !is_launcher(first) || words.contains(&":") {
        return None;
    }
    let mut asked = words[..program].windows(2).filter(|pair| RANKS.contains(&pair[0]));
    let number = asked.next()?[1].parse().ok()?;
    asked.next().is_none().then_some(number)
}

/// Whether a word behind a launcher is the program: a number that is one by accident is hardly a file.
fn is_program(word: &OsStr) -> bool {
    !word.as_encoded_bytes().starts_with(b"-") && !is_launcher(word) && resolve(word).is_ok()
}

/// Options of launchers that say how many ranks there are.
const RANKS: [&str; 5] = ["-n", "-np", "--n", "--np", "-c"];

fn obstacle_of(program: &Path) -> Option<Obstacle> {
    let file = File::open(program).ok()?;
    // A script starts an interpreter, which is measured or not on its own account.
    let elf = Elf::read(&file)?;
    if !elf.is_native {
        return Some(Obstacle::Foreign);
    }
    if file.metadata().is_ok_and(|metadata| changes_rights(&metadata)) {
        return Some(Obstacle::Privileged);
    }
    let Some(interpreter) = elf.interpreter else { return Some(Obstacle::Static) };
    (!interpreter.rsplit('/').next()?.starts_with(GNU_LINKER)).then_some(Obstacle::OtherLibrary)
}

/// Whether executing the file gives other rights than ours, which makes the system distrust the environment.
fn changes_rights(metadata: &Metadata) -> bool {
    let mode = metadata.permissions().mode();
    let user = rustix::process::getuid().as_raw();
    let group = rustix::process::getgid().as_raw();
    (mode & 0o4000 != 0 && metadata.uid() != user)
        || (mode & 0o2000 != 0 && metadata.gid() != group)
}

fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

fn has_slash(name: &Path) -> bool {
    name.as_os_str().as_encoded_bytes().contains(&b'/')
}

/// How the file of the GNU C library's dynamic linker is called on every machine.
const GNU_LINKER: &str = "ld-linux";
/// The address sanitizers of GCC and of Clang.
const SANITIZERS: [&str; 2] = ["libasan.so", "libclang_rt.asan"];
const LAUNCHERS: [&str; 25] = [
    "mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "jsrun", "aprun", "flux", "env",
    "nice", "nohup", "numactl", "taskset", "time", "timeout", "setsid", "stdbuf", "strace",
    "ltrace", "gdb", "whyperf", "chrt", "ionice", "prlimit",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Vec<OsString> {
        command.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_program_is_found_behind_launchers() {
        let program = |command: &str| program_of(&words(command));
        assert_eq!(program("/bin/ls -l"), Some("/bin/ls".into()));
        assert_eq!(program("mpirun -n 4 --oversubscribe /bin/ls"), Some("/bin/ls".into()));
        assert_eq!(program("mpirun.mpich -n 2 timeout 5 /bin/ls"), Some("/bin/ls".into()));
        assert_eq!(program("mpirun -n 4 ./there-is-no-such-program"), None);
    }

    #[test]
    fn the_number_of_ranks_is_what_the_launcher_is_told_once() {
        let ranks = |command: &str| ranks_of(&words(command));
        assert_eq!(ranks("mpirun --oversubscribe -n 8 /bin/ls -n 2"), Some(8));
        assert_eq!(ranks("mpirun.mpich -np 2 timeout 5 /bin/ls"), Some(2));
        assert_eq!(ranks("mpirun -n 1 /bin/ls : -n 3 /bin/ls"), None, "two programs");
        assert_eq!(ranks("mpirun -n four /bin/ls"), None);
        assert_eq!(ranks("mpirun /bin/ls"), None, "as many as there are processors");
        assert_eq!(ranks("/bin/ls -n 8"), None, "no launcher");
    }

    #[test]
    fn what_cannot_be_started_has_the_status_of_a_shell() {
        let status = |word: &str| resolve(OsStr::new(word)).map_err(|error| error.exit_status());
        assert_eq!(status("there-is-no-such-program"), Err(127));
        assert_eq!(status("/there/is/none"), Err(127));
        assert_eq!(status("/"), Err(126));
        assert_eq!(status("/etc/passwd"), Err(126));
    }

    #[test]
    fn an_ordinary_program_has_no_obstacle_and_a_script_neither() {
        assert_eq!(obstacle_of(Path::new("/bin/ls")), None);
        assert_eq!(obstacle_of(Path::new("/etc/passwd")), None);
    }
}
