//! A random program that knows its own truth: a tree of functions with what each does, and its text in C.
//!
//! ```text
//!   main ─┬─ thread ─┬─ f0 ─┬─ f1 ── f3      each round: own work, then the callees in order, then sleep
//!         └─ thread ─┘      └─ f2            f2 may end in a jump to its last callee, f3 may call itself, ...
//! ```
//! A function takes its own time by the clock of the thread's processor time, outermost call only. One that ends in a jump cannot: its
//! caller takes the time for it.

use super::generator::Generator;

/// What a function does beside computing and calling its callees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Manner {
    Plain,
    /// It sleeps in a call that no event tells of.
    Sleeps,
    /// It calls itself.
    Recurses,
    /// It ends in a jump to its last callee.
    JumpsOn,
    /// The same through a pointer.
    JumpsSomewhere,
    /// Its work is calls of a function of a few nanoseconds.
    CallsTiny,
}

impl Manner {
    pub(super) const ALL: [Self; 6] = [
        Self::Plain,
        Self::Sleeps,
        Self::Recurses,
        Self::JumpsOn,
        Self::JumpsSomewhere,
        Self::CallsTiny,
    ];

    /// What the page calls it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "computes and calls others",
            Self::Sleeps => "sleeps, too",
            Self::Recurses => "calls itself",
            Self::JumpsOn => "ends in a jump to a function",
            Self::JumpsSomewhere => "ends in a jump through a pointer",
            Self::CallsTiny => "calls a function of a few nanoseconds",
        }
    }

    const fn jumps(self) -> bool {
        matches!(self, Self::JumpsOn | Self::JumpsSomewhere)
    }
}

/// A function of the program.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) manner: Manner,
    /// Of its own, milliseconds of processor time a call.
    work: u64,
    callees: Vec<usize>,
}

/// The program.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) functions: Vec<Function>,
    threads: u64,
    rounds: u64,
    /// Whether the first function is entered once and has all rounds inside.
    is_entered_once: bool,
}

impl Program {
    /// One that computes for about so many seconds in each thread.
    pub(super) fn random(random: &mut Generator, seconds: u64) -> Self {
        let count = 4 + usize::try_from(random.below(7)).unwrap_or(0);
        let function = |manner, work| Function { manner, work, callees: Vec::new() };
        let mut functions = vec![function(Manner::Plain, 1 + random.below(4))];
        for at in 1..count {
            let caller = usize::try_from(random.below(at as u64)).unwrap_or(0);
            functions[caller].callees.push(at);
            let work = random.one_of(&[1, 2, 5, 10, 20, 40]);
            functions.push(function(random.one_of(&Manner::ALL), work));
        }
        for at in 1..count {
            let is_jumped_to =
                functions.iter().any(|one| one.manner.jumps() && one.callees.last() == Some(&at));
            let has_nothing_to_jump_to = functions[at].callees.is_empty();
            // Nobody could take the time of one that is jumped to and jumps on.
            if functions[at].manner.jumps() && (is_jumped_to || has_nothing_to_jump_to) {
                functions[at].manner = Manner::Plain;
            }
        }
        let round: u64 = functions.iter().map(|one| one.work).sum();
        let threads = if random.one_in(3) { 2 } else { 1 };
        let rounds = (seconds * 1000).div_ceil(round);
        Self { functions, threads, rounds, is_entered_once: random.one_in(2) }
    }

    /// Its text.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "enum {{ FUNCTIONS = {}, THREADS = {}, ROUNDS = {} }};\n",
            self.functions.len(),
            self.threads,
            self.rounds
        );
        text += PREAMBLE;
        for at in (0..self.functions.len()).rev() {
            self.define(at, &mut text);
        }
        let body = if self.is_entered_once {
            "f0(0);"
        } else {
            "for (long round = 0; round < ROUNDS; round++) f0(round);"
        };
        text + &EPILOGUE.replace("BODY", body)
    }

    fn define(&self, at: usize, text: &mut String) {
        let Function { manner, work, callees } = &self.functions[at];
        let (last, others) = match callees.split_last() {
            Some((last, others)) if manner.jumps() => (Some(*last), others),
            _ => (None, &callees[..]),
        };
        let calls: String = others.iter().map(|callee| self.call(*callee)).collect();
        let spin = format!("SPIN({work});");
        let body = match manner {
            Manner::Sleeps => format!("{spin} {calls} nap({});", 1 + work / 2),
            Manner::Recurses => {
                format!(
                    "if (depth_of({at}) < 4) {{ SPIN({work} / 4.0); r += f{at}(r); }} else {{ SPIN({work} / 4.0); {calls} }}"
                )
            }
            Manner::CallsTiny => {
                let tiny = format!("NOINLINE long tiny{at}(long x) {{ return 3 * x + {at}; }}\n");
                text.push_str(&tiny);
                format!("CALL_FOR({work}, tiny{at}); {calls}")
            }
            Manner::Plain | Manner::JumpsOn | Manner::JumpsSomewhere => format!("{spin} {calls}"),
        };
        let rounds = at == 0 && self.is_entered_once;
        let body =
            if rounds { format!("for (long n = 0; n < ROUNDS; n++) {{ {body} }}") } else { body };
        let definition = match (manner, last) {
            (Manner::JumpsOn, Some(last)) => {
                format!("NOINLINE long f{at}(long r) {{ {body} return f{last}(r + 1); }}\n")
            }
            (Manner::JumpsSomewhere, Some(last)) => format!(
                "static long (*volatile chosen{at})(long) = f{last};\n\
                 NOINLINE long f{at}(long r) {{ {body} return chosen{at}(r + 1); }}\n"
            ),
            _ => format!(
                "NOINLINE long f{at}(long r) {{ enter({at}); {body} leave({at}); return r + 1; }}\n"
            ),
        };
        text.push_str(&definition);
    }

    fn call(&self, callee: usize) -> String {
        let call = format!("r += f{callee}(r); ");
        let is_timed_here = self.functions[callee].manner.jumps();
        if is_timed_here { format!("enter({callee}); {call}leave({callee}); ") } else { call }
    }
}

const PREAMBLE: &str = r#"#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE static __attribute__((noinline))
#else
#define NOINLINE static __attribute__((noipa))
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

INLINE double ran(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }

static volatile double sink;
static __thread struct { double begin, inside; int depth; } own[FUNCTIONS];

INLINE void enter(int f) { if (own[f].depth++ == 0) own[f].begin = ran(); }
INLINE void leave(int f) { if (--own[f].depth == 0) own[f].inside += ran() - own[f].begin; }
INLINE int depth_of(int f) { return own[f].depth; }
INLINE void nap(long ms) { struct timespec t = {0, ms * 1000000}; nanosleep(&t, 0); }

#define SPIN(ms) \
    for (double end = ran() + (ms) * 1e-3; ran() < end;) \
        for (int k = 0; k < 20000; k++) sink += 0.5 * k
#define CALL_FOR(ms, tiny) \
    for (double end = ran() + (ms) * 1e-3; ran() < end;) \
        for (int k = 0; k < 20000; k++) r += tiny(r)

"#;

const EPILOGUE: &str = r#"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double inside[FUNCTIONS], life, delay;

static void add_up(double born)
{
    double delayed = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file || fscanf(file, "%*f %lf", &delayed) != 1) delayed = 0;
    if (file) fclose(file);
    pthread_mutex_lock(&lock);
    for (int f = 0; f < FUNCTIONS; f++) inside[f] += own[f].inside;
    life += seconds(CLOCK_MONOTONIC) - born;
    delay += 1e-9 * delayed;
    pthread_mutex_unlock(&lock);
}

static void *work(void *is_main)
{
    double born = seconds(CLOCK_MONOTONIC);
    BODY
    if (!is_main) add_up(born);
    return 0;
}

int main(void)
{
    double born = seconds(CLOCK_MONOTONIC);
    pthread_t others[THREADS];
    for (int at = 1; at < THREADS; at++) pthread_create(&others[at], 0, work, 0);
    work("main");
    for (int at = 1; at < THREADS; at++) pthread_join(others[at], 0);
    add_up(born);
    for (int f = 0; f < FUNCTIONS; f++) printf("f%d %.6f\n", f, inside[f]);
    printf("life %.6f\ndelay %.6f\n", life, delay);
    return 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_brings_the_same_program() {
        let text = |seed| Program::random(&mut Generator::seeded(seed), 4).text();
        assert_eq!(text(7), text(7));
        assert_ne!(text(7), text(8));
    }

    #[test]
    fn the_time_of_each_function_is_taken_once() {
        for seed in 0..500 {
            let program = Program::random(&mut Generator::seeded(seed), 4);
            let text = program.text();
            for at in 0..program.functions.len() {
                let taken = text.matches(&format!("enter({at})")).count();
                let callers = program.functions.iter().flat_map(|one| &one.callees);
                let called = callers.filter(|callee| **callee == at).count();
                assert_eq!((taken, called), (1, usize::from(at > 0)), "{seed}: f{at}\n{text}");
            }
        }
    }
}
