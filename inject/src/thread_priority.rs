//! The priority of whyperf's own threads, which share the processors with the program that they watch.

/// Lets the calling thread have a processor less often than the program's threads, where there are too few for all.
///
/// What it does still gets done: at this value a thread has a third of the weight of one of the program's. The lowest priority would make
/// a search on busy processors wait for its answers for many seconds.
pub fn yield_to_program() {
    // The system lets every thread become less important; where it does not, the thread goes on as it is.
    let _ = rustix::process::nice(LESS);
}

/// How many steps of the scheduler's below the program's threads.
const LESS: i32 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_alone_becomes_less_important() {
        let priority = || rustix::process::getpriority_process(None).expect("the system says it");
        let before = priority();
        let less = std::thread::spawn(move || {
            yield_to_program();
            priority()
        });
        assert_eq!(less.join().expect("it ends"), (before + LESS).min(19));
        assert_eq!(priority(), before);
    }
}
