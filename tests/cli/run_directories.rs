//! Where shared memory cannot be used, or another user has taken whyperf's name there, programs are measured elsewhere.

use serde_json::Value;

use crate::command::{Folder, apart, whyperf};

fn processes(folder: &Folder, report: &str) -> u64 {
    let report = std::fs::read(folder.0.join(report)).expect("it was written");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    report["processes"].as_u64().expect("a number")
}

#[test]
fn without_shared_memory_the_folder_of_the_user_is_taken_by_each_verb() {
    let folder = Folder::new("runtime-folder");
    let script = "mount -t tmpfs -o ro none /dev/shm; mkdir -m 700 runtime; export XDG_RUNTIME_DIR=$PWD/runtime
        for verb in run exec; do
            \"$W\" $verb --no-store --json $verb.json -- sh -c 'cat /dev/null; echo ${WHYPERF_DIR%/*}'
        done";
    let Some(said) = apart(&folder, script) else { return };
    let home = folder.file("runtime/whyperf-0\n");
    let seen = ["run.json", "exec.json"].map(|report| processes(&folder, report) > 0);
    let text = String::from_utf8_lossy(&said.stdout);
    assert_eq!((&*text, seen), (&*format!("{home}{home}"), [true, true]), "{}", said.stderr);
}

#[test]
fn where_another_has_the_name_a_random_one_is_taken_and_that_is_said() {
    let folder = Folder::new("taken-name");
    let name = format!("whyperf-{}", rustix::process::getuid().as_raw());
    std::os::unix::fs::symlink("/", folder.0.join(&name)).expect("the folder is ours");
    let mut command = whyperf();
    command.args([
        "run",
        "--json",
        "report.json",
        "--",
        "sh",
        "-c",
        "cat /dev/null; echo $WHYPERF_DIR",
    ]);
    command.env("WHYPERF_SHM_DIR", &folder.0).current_dir(&folder.0);
    let output = command.output().expect("the command was built");
    let (place, said) = [output.stdout, output.stderr]
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .into();
    let is_random = place.starts_with(&folder.file(&format!("{name}-")));
    let is_said = said.contains("is used in its place");
    assert_eq!((is_random, is_said, processes(&folder, "report.json")), (true, true, 1), "{said}");
}
