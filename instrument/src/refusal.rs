//! The agent's refusals, as sentences for the user.

use whyperf_layout::patch::Outcome;

/// Why a function could not be patched in a process, or that it was.
#[must_use]
pub const fn sentence(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "it was patched",
        Outcome::Nonsense => "the process did not accept the plan for it",
        Outcome::NotMapped => "its code does not lie in a mapped file any more",
        Outcome::TextChanged => {
            "its code in memory is not that of its file: something else changed it"
        }
        Outcome::SlotPoolFull => "as many functions are measured as there is room for",
        Outcome::NoThunk => "nothing proves that it does not look at the stack above its own",
        Outcome::TracerPresent => "a debugger follows the process",
        Outcome::SigtrapBlocked => "a thread blocks the signal that changing code needs",
        Outcome::ShadowStack => "the processor keeps return addresses a second time",
        Outcome::NoTextWrite => "the system does not let the code of the process be written",
        Outcome::NoCoreSync => "the system cannot make all processors read code anew",
        Outcome::ThreadInside => "a thread was inside its first instructions each time",
        Outcome::Busy => {
            "a thread or a process was being made each time, with every signal blocked"
        }
        Outcome::TrapHandled => {
            "the program handles each signal by which its code could be changed"
        }
        Outcome::SmallSignalStack => {
            "the program has an alternate signal stack of less than 8 KiB, which changing code may need"
        }
        Outcome::ModuleGone => "its library was unloaded",
    }
}
