//! Names of functions that are never switched on, whatever their code looks like.

use std::fmt;

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
        })
    }
}

/// The group a name belongs to, however it is decorated.
#[must_use]
pub fn denied(name: &str) -> Option<Group> {
    let name = name.split('@').next().unwrap_or(name);
    let bare = plain(name);
    let listed = LIST.iter().find(|(_, patterns)| {
        patterns.split_whitespace().any(|pattern| matches(plain(pattern), bare))
    });
    listed.map(|(group, _)| *group)
}

/// A name without what compilers and libraries put around it.
fn plain(name: &str) -> &str {
    let name = name.strip_prefix("__GI_").unwrap_or(name);
    let bare = name.trim_start_matches('_');
    match bare.find('.') {
        Some(dot) if dot > 0 => &bare[..dot],
        _ => bare,
    }
}

/// `*` at either end of a pattern, or at both, stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

/// Leading underscores do not count on either side.
const LIST: [(Group, &str); 10] = [
    (
        Group::ReturnsTwice,
        "setjmp sigsetjmp vfork getcontext swapcontext setcontext makecontext start_context \
         clone clone3 clone_internal* libc_vfork fork libc_fork Fork arch_fork rfork \
         getcontext_internal posix_spawn posix_spawnp spawni* spawnix*",
    ),
    (
        Group::NonLocalExit,
        "longjmp* siglongjmp* libc_longjmp libc_siglongjmp libc_unwind_longjmp longjmp_chk \
         pthread_exit pthread_unwind* nptl_* exit Exit quick_exit abort stack_chk_fail* \
         pthread_cancel do_cancel fortify_fail* chk_fail assert_fail* libc_fatal libc_message* \
         run_exit_handlers thrd_exit",
    ),
    (
        Group::Unwinder,
        "Unwind_* register_frame* deregister_frame* dl_iterate_phdr uw_* unw_* \
         gxx_personality_* rust_eh_personality gcc_personality_v0 cxa_throw* cxa_rethrow* \
         cxa_begin_catch cxa_end_catch cxa_get_exception_ptr cxa_call_unexpected \
         cxa_call_terminate cxa_get_globals* cxa_allocate_exception cxa_free_exception \
         cxa_allocate_dependent_exception cxa_free_dependent_exception cxa_bad_cast \
         cxa_bad_typeid cxa_throw_bad_array_new_length cxa_throw_bad_array_length \
         backtrace backtrace_symbols* libunwind_* dl_find_object* dl_unwind_find_exidx \
         terminate* ZSt9terminatev ZSt10unexpectedv cxa_guard_abort cxa_deleted_virtual \
         cxa_pure_virtual libgcc_s_init gnu_unwind_* rust_start_panic rust_panic",
    ),
    (
        Group::Loader,
        "dl_* rtld_* tls_get_addr* tls_get_addr_slow dlopen* dlmopen* dlsym* dlvsym* dladdr* \
         dlclose* dlerror* dlinfo libc_dlopen* libc_dlsym libc_dlclose r_debug_state \
         dl_debug_state libc_early_init ctype_init",
    ),
    (
        Group::ThreadMemory,
        "calloc libc_calloc libc_setup_tls libc_alloca_cutoff tcache_init tls_init_tp \
         copy_static_tls libpthread_init* pthread_initialize_minimal*",
    ),
    (
        Group::Measuring,
        "clock_gettime* vdso_* gettimeofday time memcpy* memset* memmove* mempcpy* strlen* \
         strnlen* memcmp* memcmpeq* strcmp* bcmp memmove_avx* memcpy_avx* wmemset* syscall write \
         libc_write pwrite pwrite64 mmap mmap64 munmap mprotect futex* lll_lock_* \
         sched_yield membarrier pthread_self pthread_getspecific errno_location",
    ),
    (
        Group::Signals,
        "restore_rt restore kernel_*sigreturn kernel_rt_sigreturn sigreturn rt_sigreturn \
         libc_sigaction sigaction pthread_kill* pthread_kill_internal* tgkill raise gsignal \
         sigprocmask pthread_sigmask libc_signal_* sigcancel_handler nptl_setxid*",
    ),
    (
        Group::StartAndEnd,
        "start libc_start_main* libc_start_call_main start_thread libc_csu_* init fini \
         cxa_finalize* cxa_atexit do_global_dtors_aux frame_dummy register_tm_clones \
         deregister_tm_clones libc_init_first libc_init_secure call_tls_dtors \
         libc_freeres libc_thread_freeres init_first",
    ),
    (
        Group::Hooks,
        "mcount* fentry* cyg_profile_func_* xray_* asan_* tsan_* msan_* ubsan_* hwasan_* \
         sanitizer_* gcov_* llvm_profile_* whyperf_* mcount_internal profil_count \
         libc_mcount moncontrol monstartup mcleanup",
    ),
    (
        Group::StackSwitch,
        "make_fcontext jump_fcontext ontop_fcontext co_switch morestack* splitstack_* \
         *swapcontext* *switch_context* *context_switch* *switch_stack* *stack_switch* \
         ABTD_fcontext* ABTD_ythread_context* coro_transfer abi_switch*",
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
            ("__restore_rt", Group::Signals),
            ("PMIx_switch_stack_to", Group::StackSwitch),
        ];
        for (name, group) in cases {
            assert_eq!(denied(name), Some(group), "{name}");
        }
    }

    #[test]
    fn names_that_only_resemble_are_left() {
        for name in ["main", "exit_code", "memory_pool", "clones", "MPI_Send", "timeout", "", "._x"]
        {
            assert_eq!(denied(name), None, "{name}");
        }
    }
}
