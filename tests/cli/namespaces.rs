//! A program in a PID namespace of its own, as in a container, is read as what it is, not as the process of the system that has its number.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::command::{Folder, whyperf};
use crate::needs;

/// Two threads take turns at a lock and compute while they hold it, until each has held it often enough.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile double sum;
static void *work(void *nothing)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        pthread_mutex_lock(&lock);
        for (int i = 1; i < 4000000; i++)
            sum += 1.0 / i;
        pthread_mutex_unlock(&lock);
        usleep(100);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec - begin.tv_sec < 2);
    return nothing;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    printf("%d\n", (int)getpid());
    return 0;
}
"#;

#[test]
fn a_program_in_a_namespace_of_its_own_is_found() {
    let allowed = Command::new("unshare").args(["-rpf", "true"]).status();
    if !needs::is_met("name-spaces", allowed.is_ok_and(|status| status.success())) {
        return;
    }
    let folder = Folder::new("namespaces");
    std::fs::write(folder.0.join("program.c"), PROGRAM).expect("the folder is ours");
    let mut compiler = Command::new("gcc");
    compiler.args(["-O1", "-g", "-o", "program", "program.c", "-lpthread"]).current_dir(&folder.0);
    assert!(compiler.status().is_ok_and(|status| status.success()));
    let mut command = whyperf();
    command.args(["run", "-q", "--json", "report.json", "--", "unshare", "-rpf", "./program"]);
    let output = command.current_dir(&folder.0).output().expect("the command was built");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n", "its own number");
    let report = std::fs::read(folder.0.join("report.json")).expect("it was written");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["unmeasured"], Value::Array(Vec::new()), "{report:#}");
    let processes = report["time_by_process"].as_array().expect("a list");
    let waits = |one: &&Value| one["time"]["waiting"].as_f64().is_some_and(|share| share > 0.1);
    let program = processes.iter().find(waits).expect("threads wait for the lock");
    assert_ne!(program["process"], "1", "the number that the system knows it by: {report:#}");
    // What the system tells of its threads, and who holds the lock, are known by the right numbers alone.
    let unknown = program["time"]["unknown"].as_f64();
    assert!(unknown.is_some_and(|share| share < 0.1), "{report:#}");
    let causes = report["bottlenecks"].to_string();
    assert!(causes.contains("\"by\":\"lock holder\""), "{causes}");
}

/// Sleeps again and again, and says how often; a line tells when whyperf is to be stopped, and when it is to go on.
const SLEEPER: &str = "
import time
sleeps = 0
def sleep_for(seconds):
    global sleeps
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.01)
        sleeps += 1
sleep_for(0.5)
print('stop', flush=True)
sleep_for(3)
print('go on', flush=True)
sleep_for(0.5)
print(sleeps, flush=True)
";

/// Its number says nothing there: only the lock that it holds tells that it lives.
#[test]
fn whyperf_is_not_taken_for_dead_where_it_cannot_be_seen() {
    let unshare = ["-rpf", "--mount-proc"];
    let allowed = Command::new("unshare").args(unshare).arg("true").status();
    if !needs::is_met("name-spaces", allowed.is_ok_and(|status| status.success())) {
        return;
    }
    let folder = Folder::new("unseen");
    let mut command = whyperf();
    command.args(["run", "-q", "--json", "report.json", "--", "unshare"]).args(unshare);
    command.args(["/usr/bin/python3", "-c", SLEEPER]).current_dir(&folder.0);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the command was built");
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("it is there");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut next = || lines.next().and_then(Result::ok).unwrap_or_default();
    for (line, signal) in [("stop", Signal::STOP), ("go on", Signal::CONT)] {
        assert_eq!(next(), line);
        kill_process(pid, signal).expect("it runs");
    }
    let sleeps = next();
    assert!(child.wait().is_ok_and(|status| status.success()));
    let report = std::fs::read(folder.0.join("report.json")).expect("it was written");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let rows = report["profile"].as_array().expect("a list");
    let sleeping = rows.iter().find(|row| row["path"].to_string().contains("clock_nanosleep"));
    assert_eq!(sleeping.expect("it sleeps")["calls"].to_string(), sleeps, "{report:#}");
}
