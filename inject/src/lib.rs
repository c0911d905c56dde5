//! Access to a process from outside: reads its mappings, its threads and their stacks, and makes it load the library.
//!
//! ```text
//!   attach ──► loader (hijacked_thread, tracee) ──► the library is in the process
//!   thread_counter ──► the events that the kernel and the processor count of a thread, and where it was then
//!   sampling (perf_event) ──► where running threads are, and their stacks
//!   stack_snapshot ──► the functions that a thread has not returned from
//!   memory_map, life, threads ──► the system's information about a process
//!   mapping ──► a file that others write, read through bounds
//! ```
//! This crate knows neither metrics nor the search.

mod attach;
mod attach_request;
mod blocked_thread;
mod changed_copy;
mod counted_event;
mod counter_period;
mod facts;
mod foreign_process;
mod hijacked_thread;
mod image;
mod job;
mod life;
mod loader;
mod lock_memory;
mod mailbox;
mod mapping;
mod maps;
mod memory;
mod memory_map;
mod monotonic;
mod namespaces;
#[cfg(test)]
#[expect(dead_code, reason = "it needs a right, no programs")]
#[path = "../../tests/needs.rs"]
mod needs;
mod own_events;
mod owner;
mod patched_code;
mod perf_event;
mod perf_period;
mod perf_record;
mod pidfd_info;
mod pipe_ends;
mod processor_clock;
mod refusal;
mod region_file;
mod registration;
mod regular_file;
mod request;
mod restore_trampoline;
mod safe_point;
mod sampling;
mod schedstat;
mod server_sockets;
mod stack_snapshot;
mod stat;
mod status;
mod stopped_thread;
mod stub;
mod thread_counter;
mod thread_priority;
mod thread_state;
mod thread_wait;
pub mod threads;
mod tracee;
mod unmeasured_reason;
mod walk;

pub use attach::attach;
pub use changed_copy::{ChangedCopy, changed_copies};
pub use counted_event::{CountedEvent, CounterRefusal};
pub use foreign_process::ForeignProcess;
pub use job::{job_of, program_name, running_ranks};
pub use life::Life;
pub use lock_memory::{LockForm, LockMemory};
pub use mapping::{Mapping, Protection, Shared};
pub use memory_map::{FileName, MemoryMap, MemoryStretch};
pub use namespaces::{process_elsewhere, thread_elsewhere};
pub use own_events::{go_on_with_own_events, stop_own_events};
pub use owner::Owner;
pub use perf_event::SampleContent;
pub use pipe_ends::{PipeEnds, pipe_number};
pub use processor_clock::ProcessorClock;
pub use refusal::AttachRefusal;
pub use region_file::{RegionFile, UnmadeRegion};
pub use regular_file::open_regular;
pub use request::{AttachRequest, LIBRARY};
pub use sampling::{Sampler, Sampling, Turns};
pub use schedstat::Schedstat;
pub use server_sockets::SocketRole;
pub use stack_snapshot::{
    CountedSnapshot, CountedSnapshots, LookManner, OpenCall, SeenActivity, StackLook, StackSamples,
    StackSnapshot, StackSnapshots,
};
pub use stat::{Stat, since_boot};
pub use status::ProcessStatus;
pub use thread_counter::{CountedScope, CounterReading, CounterSampling, ThreadCounter};
pub use thread_priority::yield_to_program;
pub use thread_wait::{ThreadWait, WaitReason};
pub use unmeasured_reason::UnmeasuredReason;
