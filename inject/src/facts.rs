//! Checks whether a process can be attached to, by what the system tells about it.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use whyperf_layout::bystander;

use crate::maps::ProcessMaps;
use crate::refusal::AttachRefusal;
use crate::regular_file::open_regular;
use crate::safe_point::{is_c_library, is_loader};
use crate::stat::Stat;
use crate::status::ProcessStatus;
use crate::threads;

/// Checks everything that can be known from outside.
pub(crate) fn check(pid: u32) -> Result<(), AttachRefusal> {
    if pid == std::process::id() {
        return Err(AttachRefusal::Oneself(pid));
    }
    let status = ProcessStatus::of(&pid.to_string()).ok_or(AttachRefusal::NoProcess(pid))?;
    let user = rustix::process::geteuid().as_raw();
    check_status(pid, &status, ProcessStatus::of("self").as_ref(), user)?;
    check_place(pid)?;
    check_program(pid)
}

/// Whether the process has not ended yet.
pub(crate) fn is_there(pid: u32) -> bool {
    Stat::of(pid).is_some_and(|stat| stat.is_alive())
}

/// Checks what the system tells of it beside what it tells of us.
fn check_status(
    pid: u32,
    status: &ProcessStatus,
    own: Option<&ProcessStatus>,
    user: u32,
) -> Result<(), AttachRefusal> {
    if let Some(group) = status.number("Tgid").filter(|group| *group != pid) {
        return Err(AttachRefusal::IsThread(pid, group));
    }
    check_state(pid, status)?;
    if let Some(owner) = status.user().filter(|owner| *owner != user) {
        return Err(AttachRefusal::OtherUser { pid, owner, user });
    }
    // What a container filters for everybody, for us as well, does not count.
    let filters = |status: &ProcessStatus| {
        status.number("Seccomp_filters").or_else(|| status.number("Seccomp"))
    };
    if filters(status) > own.and_then(filters) {
        return Err(AttachRefusal::Sandboxed(pid));
    }
    if status.line("x86_Thread_features").is_some_and(|features| features.contains("shstk")) {
        return Err(AttachRefusal::ShadowStack(pid));
    }
    Ok(())
}

/// The process that traces a thread of this one, if any does.
pub(crate) fn tracer(pid: u32) -> Option<u32> {
    threads::of(pid).into_iter().find_map(|tid| {
        let status = ProcessStatus::of(&format!("{pid}/task/{tid}"))?;
        // It is a thread that traces.
        let tracer = status.number("TracerPid").filter(|tracer| *tracer != 0)?;
        let process =
            ProcessStatus::of(&tracer.to_string()).and_then(|status| status.number("Tgid"));
        process.or(Some(tracer)).filter(|tracer| *tracer != std::process::id())
    })
}

/// Why the system may have said no.
pub(crate) fn prohibition(pid: u32) -> String {
    prohibition_in(Path::new("/proc"), pid)
}

fn prohibition_in(proc: &Path, pid: u32) -> String {
    let scope = fs::read_to_string(proc.join("sys/kernel/yama/ptrace_scope")).unwrap_or_default();
    match scope.trim() {
        "1" => format!(
            "kernel.yama.ptrace_scope is 1, so only a parent may attach; start the program with `whyperf run`, or with \
             LD_PRELOAD=<path of libwhyperf.so> (then no rights are needed), or let an administrator set it to 0, or run whyperf as root for process {pid} of root"
        ),
        "2" => "kernel.yama.ptrace_scope is 2, so only an administrator may attach".to_owned(),
        "3" => "kernel.yama.ptrace_scope is 3, so nobody may attach until the next start of the machine".to_owned(),
        _ => "it is protected (its rights changed, it forbids dumps, or a container does not grant SYS_PTRACE), or somebody traced it a \
              moment ago"
            .to_owned(),
    }
}

fn check_state(pid: u32, status: &ProcessStatus) -> Result<(), AttachRefusal> {
    if let Some(tracer) = status.number("TracerPid").filter(|tracer| *tracer != 0) {
        return Err(AttachRefusal::Traced { pid, tracer });
    }
    match status.line("State").and_then(|state| state.chars().next()) {
        Some('Z') if status.number("Threads").is_some_and(|threads| threads > 1) => {
            Err(AttachRefusal::FirstThreadEnded(pid))
        }
        Some('Z' | 'X' | 'x') => Err(AttachRefusal::Ended(pid)),
        Some('T') => Err(AttachRefusal::Stopped(pid)),
        _ => Ok(()),
    }
}

fn check_place(pid: u32) -> Result<(), AttachRefusal> {
    let place = |pid: &str, name: &str| fs::read_link(format!("/proc/{pid}/{name}")).ok();
    let theirs = pid.to_string();
    let places = [
        ("ns/mnt", "its files"),
        ("ns/pid", "its numbers of processes"),
        ("root", "its root folder"),
    ];
    for (name, what) in places {
        // What may not be read is found out when attaching fails.
        if let (Some(ours), Some(its)) = (place("self", name), place(&theirs, name))
            && ours != its
        {
            return Err(AttachRefusal::Elsewhere(pid, what));
        }
    }
    Ok(())
}

fn check_program(pid: u32) -> Result<(), AttachRefusal> {
    let stat = Stat::of(pid).ok_or(AttachRefusal::NoProcess(pid))?;
    if stat.is_of_the_kernel() {
        return Err(AttachRefusal::Kernel(pid));
    }
    let program = fs::read_link(format!("/proc/{pid}/exe"));
    if matches!(&program, Err(error) if error.kind() == io::ErrorKind::NotFound) {
        // Its memory went after its state was read.
        return Err(AttachRefusal::Ended(pid));
    }
    let program = program.unwrap_or_default();
    let file = PathBuf::from(format!("/proc/{pid}/exe"));
    let begin = Instant::now();
    while is_starting(&file, &ProcessMaps::of(pid)) && begin.elapsed() < STARTING {
        thread::sleep(Duration::from_millis(1));
    }
    let program = without_mark(program);
    if let Some((kind, advice)) = obstacle(&file, &ProcessMaps::of(pid)) {
        return Err(AttachRefusal::CannotLoad { pid, program, kind, advice });
    }
    match why_never(pid, &program) {
        Some(why) => Err(AttachRefusal::NeverMeasured { pid, program, why }),
        None => Ok(()),
    }
}

/// Why the library would decline to measure a program, which costs nothing to know before it is loaded.
fn why_never(pid: u32, program: &Path) -> Option<&'static str> {
    if bystander::is_bystander(program.as_os_str().as_bytes()) {
        return Some("it only starts others; name what it started, or use --all-of");
    }
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    // Where there is no limit a word stands.
    let limit = line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok());
    let is_small = limit.is_some_and(|limit| limit < bystander::LEAST_ADDRESS_SPACE);
    is_small.then_some("it may have less than 1 GiB of address space (ulimit -v), of which measuring would take some")
}

/// Whether the dynamic linker has not come to the C library yet, or its own file is not mapped yet.
fn is_starting(program: &Path, maps: &ProcessMaps) -> bool {
    maps.with_code().next().is_some()
        && maps.named(is_c_library).is_none()
        && maps.named(is_musl).is_none()
        && crate::image::has_section(program, ".interp")
}

/// Whether ThreadSanitizer is part of the process: as a library, or linked into the program.
pub(crate) fn has_thread_sanitizer(pid: u32) -> bool {
    let is_library =
        |name: &str| name.starts_with("libtsan.so") || name.starts_with("libclang_rt.tsan");
    let program = PathBuf::from(format!("/proc/{pid}/exe"));
    ProcessMaps::of(pid).named(is_library).is_some()
        || crate::image::exports(&program, "__tsan_init")
}

fn is_musl(name: &str) -> bool {
    name.starts_with("ld-musl") || name.starts_with("libc.musl")
}

fn without_mark(program: PathBuf) -> PathBuf {
    let text = program.to_string_lossy();
    text.strip_suffix(" (deleted)").map(PathBuf::from).unwrap_or(program)
}

/// Why nothing can be loaded into a program that runs, and what to do about it.
pub(crate) fn obstacle(program: &Path, maps: &ProcessMaps) -> Option<(&'static str, &'static str)> {
    // Where nothing can be seen, whether it may be touched is found out by trying.
    maps.with_code().next()?;
    let mut header = [0; 20];
    let read = open_regular(program).and_then(|file| file.read_exact_at(&mut header, 0)).is_ok();
    if read && header[4] == 1 {
        return Some(("a 32-bit program", "build it for 64 bits"));
    }
    if read && u16::from_le_bytes([header[18], header[19]]) != X86_64 {
        return Some(("built for another kind of machine", "build it for this machine"));
    }
    if maps.named(is_c_library).is_some() && maps.named(is_loader).is_some() {
        return None;
    }
    if maps.named(is_musl).is_some() {
        return Some(("linked with musl", "build it with the GNU C library"));
    }
    if crate::image::has_section(program, ".gopclntab") {
        return Some(("a program in Go without the C library", "whyperf cannot measure it"));
    }
    if maps.named(|name| name.starts_with("ld-") || name.starts_with("libc.so")).is_some() {
        return Some(("linked with an unknown C library", "build it with the GNU C library"));
    }
    Some(("statically linked", "link it dynamically (without -static)"))
}

const X86_64: u16 = 62;
/// How long a program may take until its C library is mapped.
const STARTING: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_map::MemoryMap;
    use crate::tracee::Tracee;

    #[test]
    fn a_tracer_is_told_by_any_thread() {
        let own = std::process::id();
        assert_eq!(tracer(own), None);
        let child = std::process::Command::new("sleep").arg("100").spawn();
        let mut child = child.expect("every system can sleep");
        let tracee = Tracee::seize(child.id()).expect("it is our child");
        assert_eq!(tracer(child.id()), None, "it is we who trace it");
        tracee.detach(0).unwrap_or_default();
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        assert_eq!(tracer(child.id()), None, "it is gone");
    }

    #[test]
    fn a_program_whose_c_library_is_not_mapped_yet_is_starting() {
        let of = |lines: &str| ProcessMaps::over(&MemoryMap::parse(lines));
        let dynamic = Path::new("/proc/self/exe");
        let program = "1000-2000 r-xp 00000000 08:02 17 /bin/program\n";
        let loader =
            format!("{program}4000-5000 r-xp 00000000 08:02 18 /lib/ld-linux-x86-64.so.2\n");
        let library = format!("{loader}7000-8000 r-xp 00000000 08:02 19 /lib/libc.so.6\n");
        assert!(is_starting(dynamic, &of(program)) && is_starting(dynamic, &of(&loader)));
        assert!(!is_starting(dynamic, &of(&library)) && !is_starting(dynamic, &of("")));
        assert!(!is_starting(Path::new("/proc/self/maps"), &of(program)), "it asks for no loader");
    }

    fn judged(lines: &str) -> String {
        let own = ProcessStatus::parse("Seccomp:\t0\nSeccomp_filters:\t0\n");
        let status = ProcessStatus::parse(&format!("Tgid:\t7\nUid:\t5\t5\t5\t5\n{lines}\n"));
        let outcome = check_status(7, &status, Some(&own), 5);
        outcome.map_or_else(|refusal| refusal.to_string(), |()| "good".to_owned())
    }

    #[test]
    fn a_status_tells_what_is_in_the_way() {
        let quiet =
            "State:\tS (sleeping)\nTracerPid:\t0\nSeccomp_filters:\t0\nx86_Thread_features:\t";
        assert_eq!(judged(quiet), "good");
        for (lines, words) in [
            ("State:\tZ (zombie)", "only waits to be collected"),
            ("State:\tT (stopped)", "kill -CONT 7"),
            ("TracerPid:\t9", "traced by process 9"),
            ("Seccomp:\t2\nSeccomp_filters:\t1", "seccomp"),
            ("x86_Thread_features:\tshstk", "shadow stack"),
        ] {
            assert!(judged(lines).contains(words), "{lines}: {}", judged(lines));
        }
        let other = ProcessStatus::parse("Tgid:\t3\nUid:\t5\t5\t5\t5\n");
        assert!(matches!(check_status(7, &other, None, 5), Err(AttachRefusal::IsThread(7, 3))));
        let other = ProcessStatus::parse("Tgid:\t7\nUid:\t1\t6\t1\t1\n");
        let refused = check_status(7, &other, None, 5);
        assert!(matches!(refused, Err(AttachRefusal::OtherUser { pid: 7, owner: 6, user: 5 })));
    }

    #[test]
    fn what_the_system_forbids_is_told_with_what_to_do() {
        let proc = std::env::temp_dir().join(format!("whyperf-proc-{}", std::process::id()));
        let yama = proc.join("sys/kernel/yama");
        fs::create_dir_all(&yama).expect("the temporary folder can be written");
        let mut told = Vec::new();
        for scope in ["0", "1", "2", "3"] {
            fs::write(yama.join("ptrace_scope"), format!("{scope}\n")).expect("it is ours");
            told.push(prohibition_in(&proc, 7));
        }
        fs::remove_dir_all(&proc).expect("it is ours");
        told.push(prohibition_in(&proc, 7));
        let words = ["forbids dumps", "whyperf run", "only an administrator", "nobody may attach"];
        for (told, words) in told.iter().zip(words) {
            assert!(told.contains(words), "{told}");
        }
        assert_eq!(told[0], told[4]);
    }
}
