//! System calls without libc: they leave `errno` alone and are never interposed.

use core::arch::{asm, global_asm};
use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Makes a system call; the answer is negative for an error, as the kernel gives it.
///
/// # Safety
/// The arguments must be what this call demands.
pub(crate) unsafe fn call(number: i64, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let answer: isize;
    // SAFETY: the kernel's convention; rcx and r11 are the registers it destroys. What the call
    // does to memory is the caller's to answer for.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => answer,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// Number of the process.
pub(crate) fn process_id() -> u32 {
    // SAFETY: the call takes no argument and touches no memory.
    unsafe { call(libc::SYS_getpid, [0; 6]) as u32 }
}

/// Number of the parent process.
pub(crate) fn parent_id() -> u32 {
    // SAFETY: the call takes no argument and touches no memory.
    unsafe { call(libc::SYS_getppid, [0; 6]) as u32 }
}

/// Number of the thread.
pub(crate) fn thread_id() -> u32 {
    // SAFETY: the call takes no argument and touches no memory.
    unsafe { call(libc::SYS_gettid, [0; 6]) as u32 }
}

/// Lets another thread run.
pub(crate) fn give_way() {
    // SAFETY: the call takes no argument and touches no memory.
    unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// Ends the calling thread, which the C library must not know of.
pub(crate) fn end_thread(status: u8) -> ! {
    loop {
        // SAFETY: the call does not return; the thread's memory stays mapped.
        unsafe { call(libc::SYS_exit, [usize::from(status), 0, 0, 0, 0, 0]) };
    }
}

/// Whether a thread of this process has that number.
pub(crate) fn has_thread(thread: u32) -> bool {
    let process = process_id() as usize;
    // SAFETY: signal 0 is not sent; the call takes numbers only.
    unsafe { call(libc::SYS_tgkill, [process, thread as usize, 0, 0, 0, 0]) == 0 }
}

/// Waits until the kernel's list of threads agrees with what [`has_thread`] answered: a thread
/// loses its number a little before it leaves the list. Asking for a group's processes waits for
/// whoever changes the list.
pub(crate) fn settle_threads() {
    // SAFETY: signal 0 is not sent; the call takes numbers only.
    unsafe { call(libc::SYS_kill, [0; 6]) };
}

/// Whether the process's first thread ended. The kernel forgets a thread's list of robust locks
/// when it ends, and every C library gives its first thread one.
pub(crate) fn is_first_thread_over() -> bool {
    let mut list = 1_usize;
    let mut size = 0_usize;
    let process = process_id() as usize;
    let arguments = [process, &raw mut list as usize, &raw mut size as usize, 0, 0, 0];
    // SAFETY: both words are ours to write.
    let answer = unsafe { call(libc::SYS_get_robust_list, arguments) };
    answer == 0 && list == 0
}

/// Gives the calling thread a table of descriptors of its own, which is empty. On a kernel that
/// cannot, it keeps the process's.
pub(crate) fn leave_descriptors() {
    let unshare = libc::CLOSE_RANGE_UNSHARE as usize;
    // SAFETY: the call takes numbers only, and a closed descriptor takes no mapping away.
    unsafe { call(libc::SYS_close_range, [0, u32::MAX as usize, unshare, 0, 0, 0]) };
}

/// Closes a descriptor.
pub(crate) fn close(descriptor: i32) {
    // SAFETY: the call takes a number only, and a closed descriptor takes no mapping away.
    unsafe { call(libc::SYS_close, [descriptor as usize, 0, 0, 0, 0, 0]) };
}

/// Signals that [`block_signals`] leaves alone, a bit for each.
static NEVER_BLOCKED: AtomicU64 = AtomicU64::new(0);

/// Sets which signals no thread blocks while it does our work: faults that a handler of ours mends, for the kernel
/// kills a process that blocks a fault.
pub(crate) fn never_block(signals: u64) {
    NEVER_BLOCKED.store(signals, Ordering::Relaxed);
}

/// Blocks every signal of the thread, even those glibc keeps for itself, but for those given to [`never_block`];
/// answers the old mask.
pub(crate) fn block_signals() -> u64 {
    let all = !NEVER_BLOCKED.load(Ordering::Relaxed);
    let mut old = 0_u64;
    let arguments =
        [libc::SIG_SETMASK as usize, &raw const all as usize, &raw mut old as usize, 8, 0, 0];
    // SAFETY: both masks live here and have the size passed on.
    unsafe { call(libc::SYS_rt_sigprocmask, arguments) };
    old
}

/// Makes this the mask of the thread, as what [`block_signals`] answered.
pub(crate) fn restore_signals(mask: u64) {
    let arguments = [libc::SIG_SETMASK as usize, &raw const mask as usize, 0, 8, 0, 0];
    // SAFETY: the mask lives here and has the size passed on.
    unsafe { call(libc::SYS_rt_sigprocmask, arguments) };
}

/// Blocks these signals, too, in the calling thread.
pub(crate) fn block_also(signals: u64) {
    let arguments = [libc::SIG_BLOCK as usize, &raw const signals as usize, 0, 8, 0, 0];
    // SAFETY: the mask lives here and has the size passed on.
    unsafe { call(libc::SYS_rt_sigprocmask, arguments) };
}

/// The signals that the calling thread blocks.
pub(crate) fn blocked() -> u64 {
    let mut now = 0_u64;
    let arguments = [libc::SIG_BLOCK as usize, 0, &raw mut now as usize, 8, 0, 0];
    // SAFETY: the mask lives here and has the size passed on.
    unsafe { call(libc::SYS_rt_sigprocmask, arguments) };
    now
}

/// A handler that is told of the signal's cause.
pub(crate) type Handler = unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void);

/// What the kernel keeps of a signal's disposition.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Disposition {
    pub(crate) handler: usize,
    pub(crate) flags: u64,
    pub(crate) restorer: usize,
    pub(crate) mask: u64,
}

/// What the process does about a signal.
pub(crate) fn disposition(signal: i32) -> Option<Disposition> {
    let mut old = Disposition::default();
    let arguments = [signal as usize, 0, &raw mut old as usize, 8, 0, 0];
    // SAFETY: the structure is ours and has the type the call fills.
    (unsafe { call(libc::SYS_rt_sigaction, arguments) } == 0).then_some(old)
}

/// Lets the process do that about a signal; the routine that returns from the handler is ours.
///
/// # Safety
/// `new.handler` must be `SIG_DFL`, `SIG_IGN`, or a function that stays, has the type that
/// `new.flags` say, and may run in any thread between any two instructions.
pub(crate) unsafe fn dispose(signal: i32, mut new: Disposition) -> bool {
    const RESTORER: u64 = 0x0400_0000;
    new.flags |= RESTORER;
    new.restorer = whyperf_return_from_signal as *const () as usize;
    let arguments = [signal as usize, &raw const new as usize, 0, 8, 0, 0];
    // SAFETY: the caller vouches for the handler; the routine stays and returns from any handler.
    unsafe { call(libc::SYS_rt_sigaction, arguments) == 0 }
}

/// The same with whatever routine the description names.
///
/// # Safety
/// As for [`dispose`]; and `new.restorer` must be a routine that returns from that handler.
pub(crate) unsafe fn dispose_as_it_is(signal: i32, new: &Disposition) -> bool {
    // SAFETY: the caller's promise.
    unsafe { exchange(signal, new) }.is_some()
}

/// The same, with what the process did about it until then.
///
/// # Safety
/// As for [`dispose_as_it_is`].
pub(crate) unsafe fn exchange(signal: i32, new: &Disposition) -> Option<Disposition> {
    let mut old = Disposition::default();
    let (new, into) = (core::ptr::from_ref(new) as usize, &raw mut old as usize);
    // SAFETY: the caller vouches for handler and routine; both descriptions live during the call.
    (unsafe { call(libc::SYS_rt_sigaction, [signal as usize, new, into, 8, 0, 0]) } == 0)
        .then_some(old)
}

/// Installs the handler, during which these signals are blocked, if the signal has its default disposition;
/// answers whether it did.
///
/// # Safety
/// The handler may run in any thread between any two instructions, and stays.
pub(crate) unsafe fn handle_if_default(signal: i32, handler: Handler, mask: u64) -> bool {
    if disposition(signal).is_none_or(|old| old.handler != libc::SIG_DFL) {
        return false;
    }
    let flags = (libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART) as u64;
    let new = Disposition { handler: handler as usize, flags, mask, ..Disposition::default() };
    // SAFETY: the caller vouches for the handler, and the flags say its type.
    unsafe { dispose(signal, new) }
}

/// Whether this handler is the signal's disposition.
pub(crate) fn is_handled_by(signal: i32, handler: Handler) -> bool {
    let mut now = Disposition::default();
    let arguments = [signal as usize, 0, &raw mut now as usize, 8, 0, 0];
    // SAFETY: the structure is ours and has the type the call fills.
    let asked = unsafe { call(libc::SYS_rt_sigaction, arguments) };
    asked == 0 && now.handler == handler as usize
}

/// Gives the signal its default disposition back.
pub(crate) fn set_default(signal: i32) {
    let new = Disposition::default();
    // SAFETY: the structure is ours; the default needs no routine.
    unsafe {
        call(libc::SYS_rt_sigaction, [signal as usize, &raw const new as usize, 0, 8, 0, 0]);
    }
}

/// Sends a signal to the calling thread.
pub(crate) fn send_to_thread(signal: i32) {
    let (process, thread) = (process_id() as usize, thread_id() as usize);
    // SAFETY: the call takes numbers only; what a signal does is what its disposition says.
    unsafe { call(libc::SYS_tgkill, [process, thread, signal as usize, 0, 0, 0]) };
}

/// Puts private zeros over a mapping of ours; false when there is no memory.
///
/// # Safety
/// So many bytes from `start` on, which is on a page border, must be a mapping of ours that is read
/// and written through atomics only, all of which may become zero at any moment.
pub(crate) unsafe fn zeros_over(start: usize, size: usize) -> bool {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let arguments = [start, size, protection, flags as usize, usize::MAX, 0];
    // SAFETY: replaces the pages that the caller gave for it, and no others.
    mapped(unsafe { call(libc::SYS_mmap, arguments) }).is_some()
}

// SAFETY: the routine below; only its address is taken.
unsafe extern "C" {
    fn whyperf_return_from_signal();
}

global_asm!(
    ".text",
    ".hidden whyperf_return_from_signal",
    ".globl whyperf_return_from_signal",
    ".type whyperf_return_from_signal,@function",
    "nop",
    "whyperf_return_from_signal:",
    "mov rax, {number}",
    "syscall",
    ".size whyperf_return_from_signal, . - whyperf_return_from_signal",
    number = const libc::SYS_rt_sigreturn,
);

/// Whether the thread runs on its alternate signal stack.
pub(crate) fn on_signal_stack() -> bool {
    signal_stack().is_some()
}

/// The alternate signal stack, if the thread runs on it.
pub(crate) fn signal_stack() -> Option<core::ops::Range<u64>> {
    // SAFETY: a structure of integers and a pointer, for which zero is valid.
    let mut now: libc::stack_t = unsafe { core::mem::zeroed() };
    // SAFETY: the old stack's description is written to `now`, which has its type.
    unsafe { call(libc::SYS_sigaltstack, [0, &raw mut now as usize, 0, 0, 0, 0]) };
    let start = now.ss_sp as u64;
    (now.ss_flags & libc::SS_ONSTACK != 0).then(|| start..start.saturating_add(now.ss_size as u64))
}

/// Private memory, zero, of so many bytes; `None` when there is none.
pub(crate) fn private_memory(size: usize) -> Option<*mut u8> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    let arguments = [0, size, protection, flags, usize::MAX, 0];
    // SAFETY: a new mapping where the kernel finds room; it replaces none.
    mapped(unsafe { call(libc::SYS_mmap, arguments) })
}

/// Shared memory of a file's first bytes.
pub(crate) fn shared_memory(descriptor: i32, size: usize) -> Option<*mut u8> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_SHARED | libc::MAP_NORESERVE) as usize;
    let arguments = [0, size, protection, flags, descriptor as usize, 0];
    // SAFETY: a new mapping where the kernel finds room; it replaces none.
    mapped(unsafe { call(libc::SYS_mmap, arguments) })
}

/// The address in an answer of `mmap`, unless it is an error.
pub(crate) fn mapped(answer: isize) -> Option<*mut u8> {
    ((answer as usize) < (-4095_isize) as usize).then_some(answer as *mut u8)
}

/// Sleeps on a futex that another process may share, no longer than so many nanoseconds.
pub(crate) fn futex_wait(word: &AtomicU32, expected: u32, nanos: u64) {
    const SECOND: u64 = 1_000_000_000;
    let time = libc::timespec { tv_sec: (nanos / SECOND) as i64, tv_nsec: (nanos % SECOND) as i64 };
    let time = &raw const time as usize;
    let word = word.as_ptr() as usize;
    let arguments = [word, libc::FUTEX_WAIT as usize, expected as usize, time, 0, 0];
    // SAFETY: the kernel reads the word, atomically, and the time; both live during the call.
    unsafe { call(libc::SYS_futex, arguments) };
}

/// Nanoseconds that a thread of this process ran; 0 for the calling one.
pub(crate) fn ran(thread: u32) -> u64 {
    const OF_THREAD: usize = 4;
    const AS_SCHEDULED: usize = 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let clock = !(thread as usize) << 3 | OF_THREAD | AS_SCHEDULED;
    // SAFETY: the structure is ours and has the type the call fills.
    unsafe { call(libc::SYS_clock_gettime, [clock, &raw mut time as usize, 0, 0, 0, 0]) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// The time of `CLOCK_MONOTONIC`.
pub(crate) fn monotonic() -> Option<libc::timespec> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let arguments = [libc::CLOCK_MONOTONIC as usize, &raw mut time as usize, 0, 0, 0, 0];
    // SAFETY: the structure is ours and has the type the call fills.
    (unsafe { call(libc::SYS_clock_gettime, arguments) } == 0).then_some(time)
}

/// Wakes who sleeps on a futex that another process may share.
pub(crate) fn futex_wake(word: &AtomicU32) {
    let word = word.as_ptr() as usize;
    let arguments = [word, libc::FUTEX_WAKE as usize, i32::MAX as usize, 0, 0, 0];
    // SAFETY: the word's address is all that the call uses.
    unsafe { call(libc::SYS_futex, arguments) };
}

/// Starts a thread that the C library does not know of, with its own empty thread-local storage.
///
/// A thread made by `pthread_create` would keep a program alive whose `main` ends by
/// `pthread_exit`, for glibc counts its threads. This one is not counted. Its number is written to
/// `number`, and cleared there when it ends.
///
/// # Safety
/// `stack` must be the top of writable memory that stays, `storage` the thread pointer of a block
/// that stays, `number` a word that stays; `body` must not return and not call the C library.
pub(crate) unsafe fn start_thread(
    stack: *mut u8,
    storage: *mut u8,
    body: extern "C" fn() -> !,
    number: *mut u32,
) -> bool {
    let flags = libc::CLONE_VM
        | libc::CLONE_FS
        | libc::CLONE_FILES
        | libc::CLONE_SIGHAND
        | libc::CLONE_THREAD
        | libc::CLONE_SYSVSEM
        | libc::CLONE_SETTLS
        | libc::CLONE_PARENT_SETTID
        | libc::CLONE_CHILD_CLEARTID;
    // SAFETY: the caller vouches for stack, storage, body and number; nothing else is touched.
    unsafe { whyperf_start_thread(flags as usize, stack, storage, body, number) > 0 }
}

// SAFETY: the routine below has this signature.
unsafe extern "C" {
    fn whyperf_start_thread(
        flags: usize,
        stack: *mut u8,
        storage: *mut u8,
        body: extern "C" fn() -> !,
        number: *mut u32,
    ) -> isize;
}

global_asm!(
    ".text",
    ".hidden whyperf_start_thread",
    ".globl whyperf_start_thread",
    ".type whyperf_start_thread,@function",
    "whyperf_start_thread:",
    "mov r9, rcx",
    "mov r10, r8",
    "mov r8, rdx",
    "mov rdx, r10",
    "mov eax, {clone}",
    "syscall",
    "test rax, rax",
    "jnz 2f",
    "xor ebp, ebp",
    "and rsp, -16",
    "call r9",
    "ud2",
    "2: ret",
    ".size whyperf_start_thread, . - whyperf_start_thread",
    clone = const libc::SYS_clone,
);

/// Reads the beginning of a file; answers how many bytes, 0 when it cannot be read.
pub(crate) fn read_file(path: &core::ffi::CStr, into: &mut [u8]) -> usize {
    let Some(descriptor) = open(path, libc::O_RDONLY) else { return 0 };
    let arguments = [descriptor as usize, into.as_mut_ptr() as usize, into.len(), 0, 0, 0];
    // SAFETY: the bytes are ours to write, so many as passed on.
    let length = unsafe { call(libc::SYS_read, arguments) };
    close(descriptor);
    usize::try_from(length).unwrap_or(0)
}

/// Opens a file that is there, for this program alone.
fn open(path: &core::ffi::CStr, flags: i32) -> Option<i32> {
    let flags = (flags | libc::O_CLOEXEC) as usize;
    let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, flags, 0, 0, 0];
    // SAFETY: a string that ends with zero.
    let opened = unsafe { call(libc::SYS_openat, arguments) };
    i32::try_from(opened).ok().filter(|descriptor| *descriptor >= 0)
}

/// Whether this is a directory that its owner alone may use.
pub(crate) fn is_private_directory(path: &core::ffi::CStr) -> bool {
    let mut facts = core::mem::MaybeUninit::<libc::stat>::uninit();
    let arguments =
        [libc::AT_FDCWD as usize, path.as_ptr() as usize, facts.as_mut_ptr() as usize, 0, 0, 0];
    // SAFETY: a string that ends with zero, and room for what the kernel says of the file.
    if unsafe { call(libc::SYS_newfstatat, arguments) } != 0 {
        return false;
    }
    // SAFETY: the kernel filled it.
    let mode = unsafe { facts.assume_init() }.st_mode;
    mode & libc::S_IFMT == libc::S_IFDIR && mode & 0o077 == 0
}

/// Makes a new private file for reading and writing; a negative answer is an error.
pub(crate) fn create_new(path: &core::ffi::CStr) -> isize {
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, flags as usize, 0o600, 0, 0];
    // SAFETY: a string that ends with zero.
    unsafe { call(libc::SYS_openat, arguments) }
}

/// Makes a file with these bytes, if the name is free; what it lacks at the end its reader has to notice.
pub(crate) fn write_new(path: &core::ffi::CStr, bytes: &[u8]) {
    let Ok(descriptor @ 0..) = i32::try_from(create_new(path)) else { return };
    let arguments = [descriptor as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0];
    // SAFETY: so many bytes as passed on, which the call only reads.
    unsafe { call(libc::SYS_write, arguments) };
    close(descriptor);
}

/// Opens a file of this user's for reading and writing, if it is there.
pub(crate) fn open_to_share(path: &core::ffi::CStr) -> Option<i32> {
    open(path, libc::O_RDWR | libc::O_NOFOLLOW)
}

/// Whether a file is there that nobody has locked (`flock`).
pub(crate) fn is_unlocked(path: &core::ffi::CStr) -> bool {
    let Some(descriptor) = open(path, libc::O_RDONLY | libc::O_NOFOLLOW) else { return false };
    let shared = (libc::LOCK_SH | libc::LOCK_NB) as usize;
    // SAFETY: the call takes numbers only.
    let taken = unsafe { call(libc::SYS_flock, [descriptor as usize, shared, 0, 0, 0, 0]) };
    // What was taken goes with the descriptor.
    close(descriptor);
    taken == 0
}

/// Makes a symbolic link, if the name is free.
pub(crate) fn symlink(target: &core::ffi::CStr, path: &core::ffi::CStr) {
    let arguments =
        [target.as_ptr() as usize, libc::AT_FDCWD as usize, path.as_ptr() as usize, 0, 0, 0];
    // SAFETY: strings that end with zero.
    unsafe { call(libc::SYS_symlinkat, arguments) };
}

/// Removes a file of ours.
pub(crate) fn unlink(path: &core::ffi::CStr) {
    let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, 0, 0, 0, 0];
    // SAFETY: a string that ends with zero.
    unsafe { call(libc::SYS_unlinkat, arguments) };
}

/// Sets a file's size; the new part is a hole.
pub(crate) fn truncate(descriptor: i32, size: usize) -> bool {
    // SAFETY: the call takes numbers only. Who maps more than the file has left meets a signal, no
    // other memory.
    unsafe { call(libc::SYS_ftruncate, [descriptor as usize, size, 0, 0, 0, 0]) == 0 }
}

/// Size that a file of this process may have.
pub(crate) fn file_size_limit() -> u64 {
    limit(libc::RLIMIT_FSIZE)
}

/// Bytes of address space that this process may have.
pub(crate) fn address_space_limit() -> u64 {
    limit(libc::RLIMIT_AS)
}

fn limit(resource: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit64 { rlim_cur: u64::MAX, rlim_max: u64::MAX };
    let arguments = [0, resource as usize, 0, &raw mut limit as usize, 0, 0];
    // SAFETY: the structure is ours and has the type the call fills.
    unsafe { call(libc::SYS_prlimit64, arguments) };
    limit.rlim_cur
}

/// Takes a mapping away.
///
/// # Safety
/// So many bytes from `start` on must be a mapping of ours, and nothing may refer to it any more: no
/// reference, no pointer that is read or written later, in no thread and in no signal handler.
pub(crate) unsafe fn unmap(start: *mut u8, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { call(libc::SYS_munmap, [start as usize, size, 0, 0, 0, 0]) };
}

/// Maps the shared file behind `start` once more, from the same place in the file on.
///
/// # Safety
/// `start` must be the beginning of a page of a shared mapping of ours. What is seen through both
/// mappings must be read and written through atomics only.
pub(crate) unsafe fn map_again(start: *mut u8, size: usize) -> Option<*mut u8> {
    let flags = libc::MREMAP_MAYMOVE as usize;
    let arguments = [start as usize, 0, size, flags, 0, 0];
    // SAFETY: an old size of zero leaves the old mapping as it is; the new one replaces none.
    mapped(unsafe { call(libc::SYS_mremap, arguments) })
}

/// Reads a symbolic link; answers how many bytes, 0 when it cannot be read.
pub(crate) fn read_link(path: &core::ffi::CStr, into: &mut [u8]) -> usize {
    let arguments = [
        libc::AT_FDCWD as usize,
        path.as_ptr() as usize,
        into.as_mut_ptr() as usize,
        into.len(),
        0,
        0,
    ];
    // SAFETY: the string ends with zero; the bytes are ours, so many as passed on.
    let length = unsafe { call(libc::SYS_readlinkat, arguments) };
    usize::try_from(length).unwrap_or(0)
}

/// Whether there is such a file or directory.
pub(crate) fn exists(path: &core::ffi::CStr) -> bool {
    let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, 0, 0, 0, 0];
    // SAFETY: a string that ends with zero.
    unsafe { call(libc::SYS_faccessat, arguments) == 0 }
}

/// What is added to the addresses in the program's file to have those in memory.
pub(crate) fn program_base() -> Option<u64> {
    let told = |kind| {
        // SAFETY: it reads what the kernel left at the start.
        unsafe { libc::getauxval(kind) }
    };
    let [table, count, size] = [libc::AT_PHDR, libc::AT_PHNUM, libc::AT_PHENT].map(told);
    if table == 0 || size as usize != size_of::<libc::Elf64_Phdr>() {
        return None;
    }
    let entries = (0..count as usize).map(|nth| {
        // SAFETY: the program's own headers, mapped for as long as it runs.
        unsafe { &*(table as *const libc::Elf64_Phdr).add(nth) }
    });
    let own = { entries }.find(|entry| entry.p_type == libc::PT_PHDR)?;
    Some(table.wrapping_sub(own.p_vaddr))
}

/// Names the calling thread.
pub(crate) fn name_thread(name: &core::ffi::CStr) {
    let arguments = [libc::PR_SET_NAME as usize, name.as_ptr() as usize, 0, 0, 0, 0];
    // SAFETY: a string that ends with zero.
    unsafe { call(libc::SYS_prctl, arguments) };
}

/// Reads a whole file, piece by piece; false when it cannot be opened or read.
#[inline(never)]
pub(crate) fn read_whole(path: &core::ffi::CStr, mut each: impl FnMut(&[u8])) -> bool {
    let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as usize;
    let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, flags, 0, 0, 0];
    // SAFETY: a string that ends with zero.
    let descriptor = unsafe { call(libc::SYS_openat, arguments) };
    if descriptor < 0 {
        return false;
    }
    let mut piece = [0_u8; 1024];
    let whole = loop {
        let arguments = [descriptor as usize, piece.as_mut_ptr() as usize, piece.len(), 0, 0, 0];
        // SAFETY: the bytes are ours to write, so many as passed on.
        let length = unsafe { call(libc::SYS_read, arguments) };
        match piece.get(..length.max(0) as usize) {
            Some([]) | None => break length == 0,
            Some(bytes) => each(bytes),
        }
    };
    close(descriptor as i32);
    whole
}
