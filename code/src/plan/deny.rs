//! Names of functions that are never switched on, whatever their code looks like.
//!
//! The search does not ask about these either, nor about what is called through them alone: a user reads
//! the reason only where a function is named with `--measure`. A reason that users are to see without asking
//! is a [`Refusal`](super::Refusal).

use std::fmt;

use crate::object::Object;

/// What the functions of one part of the list have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// They return twice, or keep the address and stack they were called from.
    ReturnsTwice,
    /// They leave by another way than returning.
    NonLocalExit,
    /// They walk the stack while an exception passes.
    Unwinder,
    /// They load objects, by calling rules of their own.
    Loader,
    /// They may run before a thread's memory is there.
    ThreadMemory,
    /// Measuring itself uses them.
    Measuring,
    /// Signals are delivered through them.
    Signals,
    /// They start or end a program or a thread.
    StartAndEnd,
    /// They are hooks of another tool.
    Hooks,
    /// They switch stacks.
    StackSwitch,
    /// They have no name by which the list could tell, in an object that has functions of the list.
    Nameless,
}

impl fmt::Display for Group {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::ReturnsTwice => "it returns twice or keeps where it was called from",
            Self::NonLocalExit => "it leaves by another way than returning",
            Self::Unwinder => "it is part of the handling of exceptions",
            Self::Loader => "it is part of the loader of objects",
            Self::ThreadMemory => "it may run before a thread's memory is there",
            Self::Measuring => "measuring itself uses it",
            Self::Signals => "signals are delivered through it",
            Self::StartAndEnd => "it starts or ends the program or a thread",
            Self::Hooks => "it is a hook of another tool",
            Self::StackSwitch => "it switches stacks",
            Self::Nameless => "it has no name, and its library has functions to be left alone",
        })
    }
}

/// The group a name belongs to, however it is decorated.
#[must_use]
pub fn denied(name: &str) -> Option<Group> {
    let name = name.split('@').next().unwrap_or(name);
    let name = name.strip_prefix("__GI_").unwrap_or(name);
    let bare = plain(name);
    let is_listed = |pattern: &str| match pattern.strip_prefix('=') {
        Some(exact) => matches(exact, name),
        None => matches(pattern, bare),
    };
    let listed = LIST.iter().find(|(_, patterns)| patterns.split_whitespace().any(is_listed));
    listed.map(|(group, _)| *group)
}

/// The group all functions of an object belong to, or those of them that have no name.
pub(crate) fn denied_object(object: &Object, is_nameless: bool) -> Option<Group> {
    let name = shared_name(object)?;
    let starts = |(prefix, group): &(&str, Group)| name.starts_with(prefix).then_some(*group);
    let whole = OBJECTS.iter().find_map(starts);
    whole.or_else(|| {
        let is_partly = is_nameless && PARTLY.iter().any(|prefix| name.starts_with(prefix));
        is_partly.then_some(Group::Nameless)
    })
}

/// The name by which other objects ask for this one.
fn shared_name(object: &Object) -> Option<&str> {
    let (_, entries) = object.section(".dynamic")?;
    let (_, names) = object.section(".dynstr")?;
    let (entries, _) = entries.as_chunks::<16>();
    let word = |entry: &[u8; 16], half: usize| {
        u64::from_le_bytes(std::array::from_fn(|at| entry[half * 8 + at]))
    };
    let entry = entries.iter().find(|entry| word(entry, 0) == DT_SONAME)?;
    let name = names.get(usize::try_from(word(entry, 1)).ok()?..)?;
    let end = name.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&name[..end]).ok()
}

/// Objects that are left alone as a whole, by how their names start.
const OBJECTS: [(&str, Group); 11] = [
    ("ld-linux", Group::Loader),
    ("ld-musl", Group::Loader),
    ("linux-vdso", Group::Measuring),
    ("libwhyperf", Group::Measuring),
    ("libgcc_s", Group::Unwinder),
    ("libunwind", Group::Unwinder),
    ("libasan", Group::Hooks),
    ("libtsan", Group::Hooks),
    ("liblsan", Group::Hooks),
    ("libubsan", Group::Hooks),
    ("libdl.so", Group::Loader),
];
/// Objects whose functions have to be told apart by name.
const PARTLY: [&str; 2] = ["libc.so", "libpthread"];
/// Tag of an object's own name.
const DT_SONAME: u64 = 14;

/// A name without what compilers and libraries put around it.
fn plain(name: &str) -> &str {
    let bare = name.trim_start_matches('_');
    let ends = VARIANTS.iter().filter_map(|variant| bare.find(variant)).filter(|at| *at > 0);
    &bare[..ends.min().unwrap_or(bare.len())]
}

/// What follows a name where there are several of it: pieces, checked ones, one for each processor.
const VARIANTS: [&str; 7] = [".", "_chk", "_sse", "_ssse3", "_avx", "_evex", "_erms"];

/// `*` at either end of a pattern, or at both, stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

/// Leading underscores do not count, but behind `=`, where the name has to be just so.
const LIST: [(Group, &str); 10] = [
    (
        Group::ReturnsTwice,
        "setjmp sigsetjmp vfork getcontext swapcontext setcontext makecontext start_context \
         clone clone3 clone_internal* libc_vfork fork libc_fork Fork arch_fork rfork \
         posix_spawn posix_spawnp spawni spawni_child spawnix",
    ),
    (
        Group::NonLocalExit,
        "longjmp longjmp_unwind longjmp_cancel siglongjmp libc_longjmp libc_siglongjmp \
         libc_unwind_longjmp pthread_exit pthread_unwind* =__nptl_* exit Exit quick_exit abort \
         stack_chk_fail* pthread_cancel do_cancel fortify_fail* =__chk_fail assert_fail* \
         libc_fatal =__libc_message* run_exit_handlers thrd_exit assert_perror_fail",
    ),
    (
        Group::Unwinder,
        "=_Unwind_* register_frame* deregister_frame* dl_iterate_phdr =uw_* =unw_* =_ULx86_64_* \
         gxx_personality_* rust_eh_personality gcc_personality_v0 cxa_throw* cxa_rethrow* \
         cxa_begin_catch cxa_end_catch cxa_get_exception_ptr cxa_call_unexpected \
         cxa_call_terminate cxa_get_globals* cxa_allocate_exception cxa_free_exception \
         cxa_allocate_dependent_exception cxa_free_dependent_exception cxa_bad_cast \
         cxa_bad_typeid cxa_guard_abort cxa_deleted_virtual cxa_pure_virtual \
         =_ZSt9terminatev =_ZSt10unexpectedv =_ZN10__cxxabiv111__terminate* \
         =_ZN10__cxxabiv112__unexpected* backtrace backtrace_symbols backtrace_symbols_fd \
         =_dl_find_object* rust_start_panic rust_panic",
    ),
    (
        Group::Loader,
        "=_dl_* =__dl_* =_rtld_* tls_get_addr* dlopen dlopen_doit dlmopen dlmopen_doit dlsym \
         dlsym_doit dlvsym dlvsym_doit dladdr dladdr1 dlclose dlclose_doit dlerror dlerror_run \
         dlinfo dlinfo_doit libc_dlopen* libc_dlsym libc_dlvsym libc_dlclose \
         libc_early_init ctype_init libc_register_dl_open_hook",
    ),
    (
        Group::ThreadMemory,
        "calloc libc_calloc libc_setup_tls libc_alloca_cutoff tcache_init tls_init_tp \
         copy_static_tls pthread_initialize_minimal* libpthread_init*",
    ),
    (
        Group::Measuring,
        "clock_gettime clock_gettime64 =__vdso_* gettimeofday time memcpy memset memmove mempcpy \
         mempcpy_small strlen strnlen memcmp memcmpeq strcmp bcmp wmemset syscall write libc_write \
         pwrite pwrite64 libc_pwrite libc_pwrite64 mmap mmap64 munmap mprotect =__futex_* \
         =__lll_lock_* =__lll_unlock_* sched_yield membarrier pthread_self getauxval pthread_getspecific \
         errno_location",
    ),
    (
        Group::Signals,
        "=__restore_rt =__restore kernel_rt_sigreturn kernel_sigreturn sigreturn rt_sigreturn \
         libc_sigaction sigaction pthread_kill pthread_kill_internal \
         pthread_kill_implementation pthread_kill_other_threads_np tgkill raise gsignal \
         sigprocmask pthread_sigmask =__libc_signal_* sigcancel_handler",
    ),
    (
        Group::StartAndEnd,
        "=_start =_init =_fini libc_start_main* libc_start_call_main start_thread \
         =__libc_csu_* cxa_finalize cxa_atexit cxa_thread_atexit_impl do_global_dtors_aux \
         frame_dummy register_tm_clones deregister_tm_clones libc_init_first libc_init_secure \
         call_tls_dtors libc_freeres libc_thread_freeres =_init_first",
    ),
    (
        Group::Hooks,
        "mcount mcount_internal fentry fentry__ =__cyg_profile_func_* =__xray_* =__asan_* =__tsan_* \
         =__msan_* =__ubsan_* =__hwasan_* =__sanitizer_* =__gcov_* =__llvm_profile_* \
         =whyperf_* profil_count moncontrol monstartup mcleanup",
    ),
    (
        Group::StackSwitch,
        "make_fcontext jump_fcontext ontop_fcontext co_switch morestack* splitstack_* \
         *swapcontext* *switch_context* *context_switch* *switch_stack* *stack_switch* \
         ABTD_fcontext* ABTD_ythread_context* coro_transfer",
    ),
];

#[cfg(test)]
mod tests {
    use super::{Group, denied};

    #[test]
    fn decorated_names_are_found() {
        let cases = [
            ("__GI___sigsetjmp", Group::ReturnsTwice),
            ("setjmp@GLIBC_2.2.5", Group::ReturnsTwice),
            ("____longjmp_chk", Group::NonLocalExit),
            ("_Unwind_RaiseException", Group::Unwinder),
            ("___tls_get_addr", Group::Loader),
            ("__memmove_avx_unaligned_erms", Group::Measuring),
            ("__clock_gettime@@GLIBC_PRIVATE", Group::Measuring),
            ("abort.cold", Group::NonLocalExit),
            ("_start", Group::StartAndEnd),
            ("__fentry__@GLIBC_2.13", Group::Hooks),
            ("__restore_rt", Group::Signals),
            ("PMIx_switch_stack_to", Group::StackSwitch),
        ];
        for (name, group) in cases {
            assert_eq!(denied(name), Some(group), "{name}");
        }
    }

    #[test]
    fn names_that_only_resemble_are_left() {
        let names = [
            "main",
            "exit_code",
            "memory_pool",
            "clones",
            "MPI_Send",
            "timeout",
            "",
            "._x",
            "start",
            "memcpy_rows",
            "terminate_job",
            "dl_read",
            "time_step",
            "init",
            "restore",
        ];
        for name in names {
            assert_eq!(denied(name), None, "{name}");
        }
    }
}
