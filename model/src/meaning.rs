//! The meaning of each metric, in one sentence for people: `whyperf metrics` prints them.

use crate::counter::Counter;
use crate::metric::Metric;

impl Metric {
    /// What it measures, in one sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Wall => {
                "time that threads exist, without the time in which they only join others"
            }
            Self::Cpu => "time in which threads compute and the operating system runs them",
            Self::Compute => "time outside synchronization, input, output and set-up",
            Self::SyncWait => "time in calls that wait for other threads or processes",
            Self::IoWait => "time in input and output calls",
            Self::SyncOps => "calls that wait for other threads or processes, or join threads",
            Self::IoOps => "calls that move data from or to files",
            Self::IoBytes => "bytes read and written",
            Self::Msgs => "point-to-point calls begun, at the sender's and at the receiver's end",
            Self::MsgBytesSent => "bytes given to other processes",
            Self::MsgBytesRecv => "bytes that arrive from other processes",
            Self::Calls => "calls of the program's own functions and named regions",
            Self::ActiveProcesses => "processes that run",
            Self::ObservedCost => {
                "time that measuring takes from the process from which it takes most"
            }
            Self::P2pWait => "time in calls that send to and receive from single processes",
            Self::CollectiveWait => "time in barriers and other collective calls",
            Self::LockWait => "time waiting for mutexes, reader-writer locks and spin locks",
            Self::MetadataWait => "time opening, closing and naming files",
            Self::FlushWait => "time forcing data out to devices",
            Self::MsgBytes => "bytes that point-to-point calls move, at either end",
            Self::LateWait => {
                "time in collective calls that a process has more than the one with least of the same"
            }
            Self::CpuImbalance => "processor time that the busiest process has more than the mean",
            Self::RunDelay => {
                "run delay: time in which threads that compute could run and have no processor"
            }
            Self::DelayByJob => {
                "run delay while threads of the measured processes have the processors"
            }
            Self::DelayByOthers => "run delay while other programs have the processors",
            Self::ThrottledDelay => "run delay while the share of a control group is used up",
            Self::StolenDelay => "run delay while the host of a virtual machine has the processors",
            Self::PinnedDelay => {
                "run delay while processors are idle on which the thread may not run"
            }
            Self::Paging => "time in which threads wait for memory that is not there",
            Self::Blocked => "time in which threads wait in calls that no event tells of",
            Self::Polled => {
                "running time in calls that wait, while others of the program have no processor"
            }
            Self::ProcessorTime => {
                "running time in which threads compute, or poll while others have no processor"
            }
            Self::Available => "wall time, less the time in which threads have no processor",
            Self::CounterSum => "what the program adds to a counter of its own: at /UserEvent/NAME",
            Self::CounterAdds => "how often the program adds to a counter of its own",
            Self::GaugeSum => "values of a gauge of the program, added up: by gauge_sets, the mean",
            Self::GaugeSets => "how often the program tells the value of a gauge of its own",
            Self::IoWaitAlone => {
                "input and output time that the process with most has more than any other"
            }
            // The others are counters, or causes of waits.
            _ => Counter::of(self).map_or_else(|| self.cause(), Counter::meaning),
        }
    }

    /// Because of what ranks and threads wait.
    const fn cause(self) -> &'static str {
        match self {
            Self::WaitByProcessors => {
                "waiting of ranks for each other that more processors would save, estimated"
            }
            Self::WaitByComputing => {
                "waiting for a rank or the holder of a lock that computes meanwhile"
            }
            Self::WaitByIo => "waiting for a rank or the holder of a lock that reads and writes",
            Self::WaitByBlocked => {
                "waiting for a rank or the holder of a lock that waits for something else"
            }
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Metric;

    #[test]
    fn a_meaning_is_a_line() {
        for metric in Metric::ALL {
            let meaning = metric.meaning();
            assert!((10..=84).contains(&meaning.len()), "{metric}: {meaning}");
            assert!(!meaning.ends_with('.') && !meaning.contains('\n'), "{metric}: {meaning}");
        }
    }
}
