//! The settings from the environment, read once when the library is loaded; the program may change the environment later.

use crate::kernel;
use crate::zero_ended_path::ZeroEndedPath;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use whyperf_layout::bystander;

/// Longest path of a run directory that is accepted.
const LONGEST: usize = 3072;
/// Deepest path that folding may keep; beyond it, unlimited is what is meant.
pub(crate) const DEEPEST: u32 = 64;

/// What is known from outside of a process that is to be measured from now on.
#[derive(Clone, Copy, Debug)]
pub struct Late<'a> {
    /// The run directory.
    pub directory: &'a [u8],
    /// Keep the last so many regions of a path, 0 for all.
    pub callpath_depth: u32,
    /// Rank that a launcher announced.
    pub rank: Option<i32>,
    /// Size of the job that a launcher announced, 0 if it did not.
    pub size: u32,
    /// Share of a thread's time, in thousandths, that events of one region may cost; 0: no limit.
    pub cost_limit: u32,
    /// Threads that are the program's own: their time counts from now on, whatever they call.
    pub threads: &'a [u32],
}

/// Settings of the process.
#[derive(Debug)]
pub(crate) struct ProcessSettings {
    directory: ZeroEndedPath<LONGEST>,
    /// The file in it that says whose it is.
    owner: ZeroEndedPath<LONGEST>,
    /// The file in it that says whose turn it is.
    turns: ZeroEndedPath<LONGEST>,
    program: [u8; 1024],
    program_length: usize,
    /// See `Header::program_base`. Asked for early: later a function of the C library may be switched on.
    pub(crate) program_base: Option<u64>,
    /// Keep the last so many regions of a path, 0 for all.
    pub(crate) callpath_depth: u32,
    /// Rank that a launcher announced.
    pub(crate) rank: Option<i32>,
    /// Size of the job that a launcher announced, 0 if it did not.
    pub(crate) size: u32,
    /// Share of a thread's time, in thousandths, that events of one region may cost; 0: no limit.
    pub(crate) cost_limit: u32,
}

/// What holds for all measurements of the process, also while none goes on.
#[derive(Debug)]
pub(crate) struct Options {
    /// Functions are going to be switched on, so the agent must be there to do it.
    pub(crate) functions: bool,
    /// A user named functions: the process waits before `main` until they are switched on.
    pub(crate) startup_barrier: bool,
    /// Each event is recorded, not only counted.
    pub(crate) traces: bool,
    /// The threads of the job compute one at a time.
    pub(crate) serial: bool,
}

struct EnvironCell<T>(UnsafeCell<T>);

// SAFETY: `read` writes both, in the constructor, before a measurement begins. `set` writes the settings, in the one thread that
// begins another measurement: settings are read within a measurement only, which is published after both.
unsafe impl<T: Sync> Sync for EnvironCell<T> {}

static OPTIONS: EnvironCell<Options> = EnvironCell(UnsafeCell::new(Options {
    functions: false,
    startup_barrier: false,
    traces: false,
    serial: false,
}));

static SETTINGS: EnvironCell<ProcessSettings> = EnvironCell(UnsafeCell::new(ProcessSettings {
    directory: ZeroEndedPath::EMPTY,
    owner: ZeroEndedPath::EMPTY,
    turns: ZeroEndedPath::EMPTY,
    program: [0; 1024],
    program_length: 0,
    program_base: None,
    callpath_depth: 0,
    rank: None,
    size: 0,
    cost_limit: 50,
}));

/// The settings of the measurement that goes on.
pub(crate) fn settings() -> &'static ProcessSettings {
    // SAFETY: see `EnvironCell`.
    unsafe { &*SETTINGS.0.get() }
}

/// What holds for all measurements.
pub(crate) fn options() -> &'static Options {
    // SAFETY: see `EnvironCell`.
    unsafe { &*OPTIONS.0.get() }
}

// SAFETY: the C library defines it with this type.
unsafe extern "C" {
    static environ: *const *const c_char;
}

/// Reads the environment; answers whether this process is to be measured, if it [has room](has_room).
///
/// # Safety
/// The library is being loaded: nobody has called [`settings`] or [`options`] yet, and no other thread calls this.
pub(crate) unsafe fn read() -> bool {
    // SAFETY: by the caller's contract nobody else has a reference.
    let (settings, options) = unsafe { (&mut *SETTINGS.0.get(), &mut *OPTIONS.0.get()) };
    let Some(directory) = variable(b"WHYPERF_DIR").filter(|d| d.first() == Some(&b'/')) else {
        return false;
    };
    if !settings.lie_in(directory) {
        return false;
    }
    settings.program_length = kernel::read_link(c"/proc/self/exe", &mut settings.program);
    settings.callpath_depth =
        number(variable(b"WHYPERF_CALLPATH_DEPTH")).filter(|k| *k <= DEEPEST).unwrap_or(0);
    options.functions = variable(b"WHYPERF_FUNCTIONS").is_some_and(|text| text == b"1");
    options.startup_barrier = variable(b"WHYPERF_HOLD").is_some_and(|text| text == b"1");
    let is_on = |name| variable(name).is_some_and(|text| text == b"1");
    options.traces = is_on(b"WHYPERF_TRACE");
    options.serial = options.traces && is_on(b"WHYPERF_SERIAL");
    settings.cost_limit = of_percent(variable(b"WHYPERF_COST_LIMIT")).unwrap_or(50);
    let rank: [&[u8]; 3] = [b"OMPI_COMM_WORLD_RANK", b"PMIX_RANK", b"PMI_RANK"];
    let size: [&[u8]; 2] = [b"OMPI_COMM_WORLD_SIZE", b"PMI_SIZE"];
    settings.rank = rank.iter().find_map(|n| number(variable(n))).and_then(|n| n.try_into().ok());
    settings.size = size.iter().find_map(|n| number(variable(n))).unwrap_or(0);
    may_be_measured(settings)
}

/// Takes settings from outside instead; answers whether this process may be measured, if it [has room](has_room).
///
/// # Safety
/// The process is not measured, so nobody calls [`settings`], and no other thread begins a measurement.
pub(crate) unsafe fn set(late: &Late<'_>) -> bool {
    // SAFETY: by the caller's contract nobody else has a reference.
    let settings = unsafe { &mut *SETTINGS.0.get() };
    if !settings.lie_in(late.directory) {
        return false;
    }
    settings.program_length = kernel::read_link(c"/proc/self/exe", &mut settings.program);
    settings.callpath_depth = if late.callpath_depth > DEEPEST { 0 } else { late.callpath_depth };
    settings.rank = late.rank;
    settings.size = late.size;
    settings.cost_limit = late.cost_limit;
    late.directory.first() == Some(&b'/') && may_be_measured(settings)
}

/// Whether this process is one that may be measured at some time; keeps nothing.
pub(crate) fn may_ever_be_measured() -> bool {
    let mut program = [0; 1024];
    let length = kernel::read_link(c"/proc/self/exe", &mut program);
    !bystander::is_bystander(program.get(..length).unwrap_or(&[])) && has_room()
}

/// Whether this process is allowed the address space that measuring takes.
pub(crate) fn has_room() -> bool {
    kernel::address_space_limit() >= bystander::LEAST_ADDRESS_SPACE
}

fn may_be_measured(settings: &mut ProcessSettings) -> bool {
    settings.program_base = kernel::program_base();
    !bystander::is_bystander(settings.program())
}

impl ProcessSettings {
    /// Path of the run directory.
    pub(crate) fn directory(&self) -> &CStr {
        self.directory.as_c_str()
    }

    /// The file of that directory that says whose it is.
    pub(crate) fn owner(&self) -> &CStr {
        self.owner.as_c_str()
    }

    /// The file of that directory that says whose turn it is to compute.
    pub(crate) fn turns(&self) -> &CStr {
        self.turns.as_c_str()
    }

    /// Takes a directory; false where its path is too long.
    fn lie_in(&mut self, directory: &[u8]) -> bool {
        self.directory.take(&[directory])
            && self.owner.take(&[directory, b"/owner"])
            && self.turns.take(&[directory, b"/turns"])
    }

    /// The same, as the kernel wants it.
    pub(crate) fn program_path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.program).unwrap_or(c"?")
    }

    /// Path of the program.
    pub(crate) fn program(&self) -> &[u8] {
        self.program.get(..self.program_length).unwrap_or(&[])
    }
}

/// A variable of the process, `None` when it is empty.
#[must_use]
pub fn variable(name: &[u8]) -> Option<&'static [u8]> {
    // SAFETY: the C library's own list, which does not change while constructors run.
    let mut entry = unsafe { environ };
    if entry.is_null() {
        return None;
    }
    loop {
        // SAFETY: the list ends with null, where the loop leaves.
        let text = unsafe { *entry };
        if text.is_null() {
            return None;
        }
        // SAFETY: entries are strings that end with zero.
        let text = unsafe { CStr::from_ptr(text) }.to_bytes();
        if let Some(value) = text.strip_prefix(name).and_then(|rest| rest.strip_prefix(b"=")) {
            return Some(value).filter(|value| !value.is_empty());
        }
        // SAFETY: this entry was not the last one.
        entry = unsafe { entry.add(1) };
    }
}

fn number(text: Option<&[u8]>) -> Option<u32> {
    text?.iter().try_fold(0_u32, |sum, digit| {
        let digit = digit.checked_sub(b'0').filter(|d| *d < 10)?;
        sum.checked_mul(10)?.checked_add(u32::from(digit))
    })
}

/// A share in percent, such as `5` or `0.3`, in thousandths: one that is not zero is one at least.
fn of_percent(text: Option<&[u8]>) -> Option<u32> {
    Some(thousandths(text)?.div_ceil(100))
}

/// A decimal number in thousandths.
fn thousandths(text: Option<&[u8]>) -> Option<u32> {
    let text = text?;
    let point = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
    let whole = number(text.get(..point))?.checked_mul(1000)?;
    let fraction = text.get(point + 1..).unwrap_or(&[]);
    let mut sum = whole;
    let mut weight = 100;
    for digit in fraction.iter().take(3) {
        let digit = digit.checked_sub(b'0').filter(|d| *d < 10)?;
        sum = sum.checked_add(u32::from(digit) * weight)?;
        weight /= 10;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits_only() {
        assert_eq!(number(Some(b"12")), Some(12));
        assert_eq!(number(Some(b"1x")), None);
        assert_eq!(number(Some(b"99999999999")), None);
        let percent = [&b"5"[..], b"0.3", b"0.02", b"0", b"100", b"5%"];
        let told = percent.map(|text| of_percent(Some(text)));
        assert_eq!(told, [Some(50), Some(3), Some(1), Some(0), Some(1000), None]);
        assert_eq!(thousandths(Some(b"5%")), None);
        assert_eq!(thousandths(Some(b"0.1256")), Some(125));
    }
}
