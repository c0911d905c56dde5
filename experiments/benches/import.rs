//! Measures what taking in TAU's text costs: reading it alone, and taking it into a store; and the most memory that was taken.
//! A processor that others use, too, makes the clock tell more, and the time of the processor less so.
//!
//! `--megabytes N` says how much text there is; as many ranks have each 4,000 callpaths as that takes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::time::{ClockId, clock_gettime};
use whyperf_experiments::{ForeignSource, ImportRecorder, NewRun, TauFolder, import_threads};

const CALLPATHS: u32 = 4000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let named = arguments.iter().skip_while(|argument| *argument != "--megabytes").nth(1);
    let megabytes =
        named.and_then(|number| number.parse().ok()).unwrap_or(if is_test { 1 } else { 64 });
    let folder =
        Removed(std::env::temp_dir().join(format!("whyperf-import-{}", std::process::id())));
    fs::create_dir_all(&folder.0).expect("the temporary folder can be written");
    let (bytes, files) = written(&folder.0, megabytes << 20);
    println!("{files} ranks with {CALLPATHS} callpaths each: {} MB of text", bytes / 1_000_000);
    let open = || TauFolder::open(&folder.0).expect("just written");
    let read = timed("read", bytes, || open().count_timers().expect("well formed"));
    assert_eq!(read, files * CALLPATHS as usize);
    let run = NewRun {
        application: "imported".into(),
        experiment: "imported".into(),
        trial: "one".into(),
        started: SystemTime::now(),
        command: Vec::new(),
        facts: Vec::new(),
        directives: Vec::new(),
    };
    let imported = timed("taken into a store", bytes, || {
        let recorder = ImportRecorder::begin(&folder.0.join("whyperf.db"), &run).expect("writable");
        import_threads(ForeignSource::Tau(open()), recorder, |_, _| {}).expect("writable")
    });
    assert_eq!(imported.callpaths, read as u64);
    println!("most memory: {} MB", most_memory() / 1000);
}

/// Says how long it took by the clock, and how long this thread, which writes, and the others, which read, had a processor.
fn timed<T>(what: &str, bytes: u64, work: impl FnOnce() -> T) -> T {
    let used = || [ClockId::ThreadCPUTime, ClockId::ProcessCPUTime].map(used);
    let ([own, all], before) = (used(), Instant::now());
    let answer = work();
    let (seconds, megabytes) = (before.elapsed().as_secs_f64(), bytes as f64 / 1e6);
    let [own, all] = [used()[0] - own, used()[1] - all].map(|time| time.as_secs_f64());
    println!(
        "{what:<22} {seconds:>7.2} s, {:>6.0} MB/s; of a processor {own:>6.2} s here, {:>6.2} s beside",
        megabytes / seconds,
        (all - own).max(0.0)
    );
    answer
}

fn used(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// Kilobytes, as the kernel counts them.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_default()
}

/// The files of as many ranks as have so many bytes; answers how many there are of both.
fn written(folder: &Path, wanted: u64) -> (u64, usize) {
    let (mut bytes, mut files) = (0, 0);
    while bytes < wanted {
        let text = text(files);
        fs::write(folder.join(format!("profile.{files}.0.0")), &text).expect("there is room");
        bytes += text.len() as u64;
        files += 1;
    }
    (bytes, files)
}

/// The file of a rank, as TAU writes callpaths: functions with files and lines, of which some call MPI.
fn text(rank: usize) -> String {
    let mut text = format!("{CALLPATHS} templated_functions_MULTI_TIME\n");
    let _ = writeln!(
        text,
        "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Hostname</name><value>n{}</value></attribute></metadata>",
        rank / 64
    );
    for number in 0..CALLPATHS {
        let (module, own) = (number / 40, u64::from(number) * 1000 + rank as u64);
        let last = if number % 4 == 0 {
            "MPI_Recv()".to_owned()
        } else {
            format!(
                "kernel_{number} [{{/src/app/module_{module}.f90}} {{{},7}}-{{{},20}}]",
                number % 900,
                number % 900 + 60
            )
        };
        let _ = writeln!(
            text,
            "\"MAIN [{{/src/app/main.f90}} {{10,1}}-{{200,20}}] => step_{module} [{{/src/app/module_{module}.f90}} {{12,3}}-{{80,9}}] => {last} {number}\" {} 0 {own} {own} 0 GROUP=\"TAU_CALLPATH|TAU_USER\" ",
            number + 1
        );
    }
    text + "0 aggregates\n"
}

/// A folder that does not outlive the measurement.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
