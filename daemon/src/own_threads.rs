//! The processor time of threads of whyperf itself, by their names.

use std::fs;
use std::process;

use whyperf_inject::Schedstat;

/// Nanoseconds that threads of these names have run so far.
pub(crate) fn time_of(names: &[&str]) -> u64 {
    let own = process::id();
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let named = tasks.filter_map(|task| {
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        let is_one = names.contains(&name.trim_end());
        is_one.then(|| task.file_name().to_str()?.parse::<u32>().ok()).flatten()
    });
    named.filter_map(|tid| Schedstat::of(own, tid)).map(|counted| counted.ran).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_is_found_by_its_name() {
        let (told, tell) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let named = thread::Builder::new().name("of a test".to_owned());
        let thread = named.spawn(move || {
            told.send(()).expect("the test waits");
            ended.recv().is_err()
        });
        tell.recv().expect("it says that it runs");
        assert!(time_of(&["of a test"]) > 0);
        assert_eq!(time_of(&["of no test"]), 0);
        drop(end);
        assert!(thread.expect("the system has a thread").join().expect("it ends"));
    }
}
