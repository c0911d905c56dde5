//! Programs that everybody has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::comparison::Trial;

#[test]
fn true_is_true() {
    let deed = Trial::of("true", &["/bin/true"]).is_unchanged();
    assert!(deed.status.success() && deed.stdout.is_empty() && deed.stderr.is_empty());
}

#[test]
fn shells_are_left_alone() {
    let trial =
        Trial::of("shells", &["sh", "-c", "echo a > file; read -r line < file; echo $line"]);
    assert_eq!(trial.is_unchanged().stdout, "a\n");
    assert_eq!(trial.stage.regions(), Vec::<PathBuf>::new());
}

#[test]
fn a_shell_runs_a_pipeline() {
    let script =
        "seq 1 2000 | sed 's/^/line /' | sort -r | tee all | tail -n 3; wc -l < all; exit 7";
    let deed = Trial::of("pipeline", &["sh", "-c", script]).is_unchanged();
    assert_eq!(deed.stdout.lines().next(), Some("line 100"));
    assert_eq!(deed.status.code(), Some(7));
}

#[test]
fn bash_substitutes_and_redirects() {
    let script = "x=$(cat <(echo a; echo b) | tr a-z A-Z); printf '%s\\n' \"$x\" >out 2>&1; \
                  while read -r l; do echo \"[$l]\" >&2; done <out; (exec 5<out; cat <&5); kill -TERM $$";
    let deed = Trial::of("bash", &["bash", "-c", script]).is_unchanged();
    assert_eq!(deed.stderr, "[A]\n[B]\n");
}

#[test]
fn the_system_python_is_unchanged() {
    python("python-system", "/usr/bin/python3");
}

#[test]
fn the_python_first_in_the_path_is_unchanged() {
    python("python-path", "python3");
}

#[test]
fn gcc_compiles_a_file() {
    let script = "gcc -g -O2 -Wall -c hello.c -o hello.o && gcc hello.o -o hello && ./hello";
    let trial = Trial::of("gcc", &["sh", "-c", script]).after(|work| {
        let text =
            "#include <stdio.h>\nint main(void) { int unused; return puts(\"hello\") < 0; }\n";
        write(work, "hello.c", text);
    });
    let deed = trial.is_unchanged();
    assert_eq!(deed.stdout, "hello\n");
    assert!(deed.stderr.contains("unused"), "the compiler warns: {}", deed.stderr);
}

#[test]
fn git_shows_the_status() {
    let trial = Trial::of("git", &["git", "status"]).after(|work| {
        let made =
            Command::new("git").args(["init", "-q", "-b", "main"]).current_dir(work).status();
        assert!(made.expect("`git` runs").success());
        write(work, "new", "a file\n");
    });
    assert!(trial.is_unchanged().stdout.contains("Untracked files"));
}

#[test]
fn make_runs_four_jobs() {
    let trial = Trial::of("make", &["make", "-j4"]).in_any_order().after(|work| {
        // The failure comes last, or the jobs that are begun before it would differ.
        let mut text = "outs = $(addprefix out,1 2 3 4 5 6 7 8)\nall: $(outs) fail\n".to_owned();
        text += "out%: in\n\t@echo making $@\n\t@sed s/x/$*/ in > $@\n\t@cat $@ | wc -c\n";
        text += "fail: $(outs)\n\tfalse\n";
        write(work, "Makefile", &text);
        write(work, "in", "x marks the place\n");
    });
    let deed = trial.is_unchanged();
    assert_eq!(deed.status.code(), Some(2));
    assert!(deed.stderr.contains("fail"));
}

#[test]
fn awk_tar_and_gzip_work_on_files() {
    let script = "awk 'BEGIN { for (i = 0; i < 5000; i++) print i, i * i }' > table && \
                  tar --sort=name --mtime=@0 --owner=0 --group=0 -cf table.tar table && gzip -9nk table.tar && \
                  find . -type f | sort && gzip -dc table.tar.gz | tar -tvf - | wc -l && cksum table.tar.gz";
    assert!(Trial::of("tar", &["sh", "-c", script]).is_unchanged().status.success());
}

#[test]
fn cargo_tells_its_version() {
    let deed = Trial::of("cargo", &[env!("CARGO"), "--version"]).is_unchanged();
    assert!(deed.stdout.starts_with("cargo "));
}

#[test]
fn a_program_with_little_address_space_keeps_it() {
    let script = "ulimit -v 60000; exec /usr/bin/python3 -c 'print(len(bytearray(10000000)))'";
    let trial = Trial::of("address-space", &["sh", "-c", script]);
    assert_eq!(trial.is_unchanged().stdout, "10000000\n");
    assert_eq!(trial.stage.regions(), Vec::<PathBuf>::new());
}

#[test]
fn a_missing_program_is_missed_as_before() {
    let deed = Trial::of("missing", &["sh", "-c", "/no/such/program; echo $?"]).is_unchanged();
    assert_eq!(deed.stdout, "127\n");
}

/// Threads, locks, files, pipes, children and a traceback, in an order that does not depend on speed.
fn python(name: &str, interpreter: &str) {
    let script = r#"
import os, queue, subprocess, sys, tempfile, threading
q = queue.Queue()
barrier = threading.Barrier(8)
def work(number):
    barrier.wait()
    for step in range(200):
        q.put(number)
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(sum(q.get() for _ in range(1600)))
with open("made", "w") as f:
    for i in range(1000): print(i, file=f)
with open("made") as f: print(len(f.readlines()))
with tempfile.TemporaryFile() as f:
    f.write(b"x" * 100000); f.seek(5); print(len(f.read()))
print(subprocess.run(["cat", "made"], stdout=subprocess.PIPE).stdout.count(b"\n"))
print(subprocess.run("exit 3", shell=True).returncode)
pid = os.fork()
if pid == 0: os._exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
try: open("/no/such/file")
except OSError as e: print(e.errno)
sys.stdout.flush()
raise RuntimeError("to the end")
"#;
    let trial = Trial::of(name, &[interpreter, "-c", script]);
    let deed = trial.is_unchanged();
    assert_eq!(deed.stdout, "5600\n1000\n99995\n1000\n3\n9\n2\n");
    assert!(deed.stderr.contains("to the end"));
    assert!(!trial.stage.regions().is_empty(), "the run was to be measured");
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a test may write its own files");
}
