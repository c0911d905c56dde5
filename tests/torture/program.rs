//! A program to be tortured: how it is built and started, and its two runs compared.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::building::succeed;
use crate::driver::{Driver, TortureCounts};
use crate::folder::{Folder, make_private};
use crate::headers;
use crate::region::{Gone, Region, is_running};
use crate::release::library;

/// What is run.
pub(crate) struct Program {
    source: &'static str,
    compiler: String,
    /// What the compiler is told besides.
    options: Vec<&'static str>,
    /// Words before the program and behind it.
    launcher: Vec<&'static str>,
    arguments: Vec<PathBuf>,
    ranks: usize,
}

/// What came of a run.
#[derive(Debug, PartialEq, Eq)]
struct Ending {
    status: ExitStatus,
    printed: String,
}

impl Program {
    /// A source that its language's compiler builds.
    pub(crate) fn built(source: &'static str) -> Self {
        let compiler = match source.rsplit_once('.') {
            Some((_, "cpp")) => "g++",
            Some((_, "f90")) => "gfortran",
            _ => "gcc",
        };
        Self::plain(source, compiler.to_owned())
    }

    /// One that says when threads meet without order. It wants its memory at places of its own.
    pub(crate) fn sanitized(source: &'static str) -> Self {
        let options = vec!["-fsanitize=thread"];
        Self { options, launcher: vec!["setarch", "-R"], ..Self::built(source) }
    }

    fn plain(source: &'static str, compiler: String) -> Self {
        let [options, launcher] = [Vec::new(), Vec::new()];
        Self { source, compiler, options, launcher, arguments: Vec::new(), ranks: 1 }
    }

    /// Two ranks of an MPI.
    pub(crate) fn ranks(mpi: &'static str) -> Self {
        let launcher = match mpi {
            "openmpi" => vec!["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"],
            _ => vec!["mpirun.mpich"],
        };
        let launcher = [launcher, vec!["-n", "2"]].concat();
        Self { launcher, ranks: 2, ..Self::plain("ranks.c", format!("mpicc.{mpi}")) }
    }

    /// The interpreter of the system.
    pub(crate) fn python() -> Self {
        let arguments = vec![sources().join("modules.py")];
        Self { arguments, ..Self::plain("python3", String::new()) }
    }

    fn build(&self, folder: &Path) -> PathBuf {
        if self.compiler.is_empty() {
            let found = fs::canonicalize("/usr/bin/python3");
            return found.expect("/usr/bin/python3 is installed");
        }
        let program = folder.join("program");
        let mut compile = Command::new(&self.compiler);
        compile.args(["-O2", "-g", "-pthread", "-rdynamic", "-w"]).args(&self.options);
        if headers::CALLERS.contains(&self.source) {
            compile.args(headers::OPTIONS);
        }
        compile.arg(sources().join(self.source)).arg("-o").arg(&program).arg("-lm");
        if self.source == "libraries.c" {
            let plugin = folder.join("plugin.so");
            let mut library = Command::new("gcc");
            library.args(["-O2", "-fPIC", "-shared", "-DPLUGIN"]);
            succeed(library.arg(sources().join(self.source)).arg("-o").arg(plugin));
        }
        succeed(&mut compile);
        program
    }

    /// Starts it; a folder for regions says that it is measured.
    fn start(&self, program: &Path, folder: &Path, regions: Option<&Path>, name: &str) -> Child {
        let mut words: Vec<OsString> = self.launcher.iter().map(OsString::from).collect();
        words.extend(["env", "-u", "LD_PRELOAD", "-u", "WHYPERF_DIR"].map(OsString::from));
        let pair = |name: &str, value: &Path| {
            let mut pair = OsString::from(format!("{name}="));
            pair.push(value);
            pair
        };
        words.push(pair("END_OF_TORTURE", &folder.join("end")));
        words.push("PYTHONDONTWRITEBYTECODE=1".into());
        // UCX patches functions of the C library itself, and the code is compared with the file.
        words.push("UCX_MEM_EVENTS=no".into());
        if let Some(regions) = regions {
            words.push(pair("LD_PRELOAD", &library()));
            words.push(pair("WHYPERF_DIR", regions));
            words.push("WHYPERF_FUNCTIONS=1".into());
        }
        words.push(program.into());
        words.extend(self.arguments.iter().map(OsString::from));
        let mut command = Command::new(&words[0]);
        let file = |kind: &str| File::create(folder.join(format!("{name}.{kind}"))).expect("ours");
        command.args(&words[1..]).current_dir(folder);
        command.stdout(file("out")).stderr(file("err")).spawn().expect("it can be started")
    }

    /// The regions of its processes, once all are there.
    fn regions(&self, program: &Path, folder: &Path, first: &mut Child) -> Vec<Region> {
        let begin = Instant::now();
        loop {
            let pids = if self.ranks == 1 { vec![first.id()] } else { running(program) };
            let found: Vec<Region> =
                pids.into_iter().filter_map(|pid| Region::open(folder, pid)).collect();
            if found.len() == self.ranks {
                return found;
            }
            let ended = first.try_wait().expect("it is our child");
            assert!(ended.is_none(), "{}: {ended:?} before it was tortured", self.source);
            assert!(begin.elapsed() < PATIENCE, "{}: no region appears", self.source);
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Runs a program by itself and tortured, and compares.
pub(crate) fn check(program: &Program) {
    let name = [&[program.source, &program.compiler], &program.options[..]].concat().concat();
    // A path with this sign would be a variable for `env`.
    let name = format!("torture-{}", name.replace('=', "-"));
    let folder = Folder::below(&env::temp_dir(), &name);
    let path = program.build(&folder.0);
    let end = folder.0.join("end");
    File::create(&end).expect("the folder is ours");
    let mut plain = Running(program.start(&path, &folder.0, None, "plain"));
    let plain = plain.end(&folder.0.join("plain.out"));
    let said = |name: &str| fs::read_to_string(folder.0.join(name)).unwrap_or_default();
    assert!(
        plain.status.success(),
        "{} by itself: {plain:?}\n{}",
        program.source,
        said("plain.err")
    );
    assert!(plain.printed.ends_with("all rounds were alike\n"), "{plain:?}");

    fs::remove_file(&end).expect("it was there");
    let regions = folder.0.join("regions");
    make_private(&regions);
    let child = program.start(&path, &folder.0, Some(&regions), "tortured");
    let mut running = Running(child);
    let processes = program.regions(&path, &regions, &mut running.0);
    let all_counts = torture(processes);
    File::create(&end).expect("the folder is ours");
    let tortured = running.end(&folder.0.join("tortured.out"));
    println!("{}: {all_counts:?}", program.source);
    assert_eq!(tortured, plain, "{}\n{}", program.source, said("tortured.err"));
    for counts in all_counts {
        let counts = counts.expect("a process that ended as it should was there to the end");
        let is_tortured = counts.planned > 0 && counts.armed > 0 && counts.switched > 0;
        assert!(is_tortured, "{}: {counts:?}", program.source);
        // A thread may stand inside a few all the time.
        let is_whole = (counts.planned - counts.covered) * 100 <= counts.planned;
        assert!(is_whole && counts.missed.keys().all(|last| last == "ThreadInside"), "{counts:?}");
    }
}

fn torture(processes: Vec<Region>) -> Vec<Result<TortureCounts, Gone>> {
    let parts = processes.len();
    let one = |part: usize, region: Region| {
        let driver = Driver::over(region, part, parts)?;
        driver.torture(time())?;
        driver.restore()
    };
    thread::scope(|scope| {
        let all: Vec<_> = processes
            .into_iter()
            .enumerate()
            .map(|(part, region)| scope.spawn(move || one(part, region)))
            .collect();
        all.into_iter().map(|thread| thread.join().expect("said above")).collect()
    })
}

/// Whether nobody asked for more than a glance.
pub(crate) fn is_hurried() -> bool {
    env::var_os(SECONDS).is_none()
}

fn time() -> Duration {
    let asked = env::var(SECONDS).ok();
    let seconds = asked.map(|asked| asked.parse().expect("a number of seconds"));
    Duration::from_secs(seconds.unwrap_or(1))
}

/// A program that does not outlive its test.
struct Running(Child);

impl Running {
    fn end(&mut self, output: &Path) -> Ending {
        let begin = Instant::now();
        while is_running(self.0.id()) && begin.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(10));
        }
        // What hangs is killed, and is not alike then.
        if is_running(self.0.id()) {
            let _ = self.0.kill();
        }
        let status = self.0.wait().expect("it is our child");
        let printed = fs::read(output).unwrap_or_default();
        Ending { status, printed: String::from_utf8_lossy(&printed).into_owned() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Processes that run this program.
fn running(program: &Path) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("there is /proc");
    let names = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let runs =
        |pid: &u32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|path| path == program);
    names.filter(runs).collect()
}

pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/torture")
}

/// For how long each program is tortured.
const SECONDS: &str = "WHYPERF_TEST_SECONDS_OF_TORTURE";
/// Beyond it a program hangs; no machine is so slow.
const PATIENCE: Duration = Duration::from_secs(240);
