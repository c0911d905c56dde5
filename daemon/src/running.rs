//! Meters the running time of one thread by what the operating system counts: how long it ran, which bounds what it
//! computed, and its run delay.

use std::fs::File;
use std::os::unix::fs::FileExt;

use whyperf_inject::Schedstat;
use whyperf_model::Nanos;

use crate::kept::KeptDescriptor;
use crate::kernel_time::TICK;
use crate::process_rest::ProcessProgress;
use crate::thread_activity::{ThreadActivity, ThreadProgress};

/// The meter of one thread.
#[derive(Debug, Default)]
pub(crate) struct Running {
    file: Option<KeptDescriptor<File>>,
    unreadable: bool,
    /// What the system had counted when it was last read.
    before: Option<Schedstat>,
    /// Told to have run and not seen to yet; and run but not yet seen computing: clocks of the scheduler tick coarsely, so a little of
    /// each is carried over.
    debt: u64,
    credit: u64,
    /// The same as the debt, of a thread that was not blocked meanwhile: it ran, or had no processor. And what of either was found to be run
    /// delay.
    lent: u64,
    overrun: u64,
    /// Time in calls that move data for which nothing was seen to run yet: clocks tick coarsely there, too.
    moved: u64,
    /// What it ran in the kernel and was not told to move data; less than zero where more was told.
    in_kernel: i64,
    /// Run delay that was told before the system told of it: it does when the delay is over.
    ahead: u64,
    /// What was told so and was none, as the system said later: the next run delay is not told instead.
    overdrawn: u64,
    /// Time that was told to be blocked and may have been the beginning of a run delay; and run delay that was found to be of it, to be
    /// told with the next idle time.
    guessed: u64,
    late: u64,
    /// What ran neither in its own code nor to move data, and was not told yet; less than zero where too much was.
    polled: i64,
}

/// A thread's time in an interval.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ThreadInterval {
    /// What it computed, by its events.
    pub(crate) computed: Nanos,
    /// All of it.
    pub(crate) lived: Nanos,
    /// What it may have run in calls that move data, or wait for time or descriptors.
    pub(crate) moved: Nanos,
    /// What it was in calls that wait, and how many bytes they moved.
    pub(crate) waited: Nanos,
    pub(crate) bytes: u64,
    /// The part of its running time for which stack samples find it in calls that events tell of.
    pub(crate) polled: f64,
    /// The part of its running time for which stack samples find it in its own code at least.
    pub(crate) least_own: f64,
    /// What it ran in the kernel since an interval before in which it moved data, if it does so in this one.
    pub(crate) in_kernel: Nanos,
}

/// What became of the time that a thread computed by its events. The first three add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Granted {
    /// It ran.
    pub(crate) ran: Nanos,
    /// It could run and had no processor.
    pub(crate) delayed: Nanos,
    /// It waited in calls that no event tells of.
    pub(crate) blocked: Nanos,
    /// What it ran in all, also in calls that events tell of; and for how long it had no processor in all.
    pub(crate) anywhere: Nanos,
    pub(crate) delayed_anywhere: Nanos,
    /// What it ran in calls that events tell of, and that move no data; and for how long it had no processor there.
    pub(crate) polled: Nanos,
    pub(crate) delayed_in_calls: Nanos,
}

impl Granted {
    fn all_of(computed: Nanos) -> Self {
        Self { ran: computed, ..Self::default() }
    }
}

/// What was counted of a thread until it was read first: of what was before it was measured nothing is known.
fn first(now: Schedstat, lived: u64) -> Schedstat {
    Schedstat { ran: now.ran.min(lived), delayed: now.delayed.min(lived), ..now }
}

/// How much is carried over at most: a few ticks of a slow scheduler clock.
const CARRIED: u64 = 10_000_000;
/// The kernel counts the time in itself by ticks: so much, in nanoseconds, may be chance.
const CHANCE: i64 = 2 * TICK.cast_signed();
/// So little is worth no look.
const LITTLE: u64 = 1_000_000;

impl ThreadInterval {
    /// Of what ran, what ran in calls that poll: at most for as long as the thread was in such calls. Stack samples tell of user code alone.
    fn polling(self, ran: u64) -> u64 {
        self.waited.0.min(Nanos(ran).scaled(self.polled).0)
    }
}

/// Of a run delay, what was no call's that moves data: a thread loses its processor where it runs, and in such calls for no longer than it did
/// not run there. One that polls loses nothing by it, so all the rest may be of computing.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn own_delay(counted: Schedstat, interval: ThreadInterval, moving: u64) -> u64 {
    let in_kernel = interval.in_kernel.min(interval.moved);
    let part = in_kernel.0 as f64 / (counted.ran as f64).max(1.0);
    let part = part.min(1.0 - interval.least_own);
    let room = interval.moved.0.saturating_sub(moving);
    counted.delayed - Nanos(counted.delayed).scaled(part).0.min(room)
}

/// How long a run delay may be that goes on, by those that are over: it is met the rather, the longer it is.
const fn going_on(counted: Schedstat) -> u64 {
    match counted.turns {
        0 => 0,
        turns => counted.delayed / turns * 2,
    }
}

impl Running {
    /// Whether the system was never told of it: a kernel without these statistics.
    pub(crate) const fn is_unknown(&self) -> bool {
        self.unreadable && self.before.is_none()
    }

    /// What became of the time that was computed in the interval just past, in which its process may have rested. `activity` is asked where much of
    /// it is not explained, with what the system has counted by now.
    pub(crate) fn bound(
        &mut self,
        [pid, tid]: [u32; 2],
        process: ProcessProgress,
        interval: ThreadInterval,
        activity: impl FnOnce(Schedstat, ThreadProgress) -> ThreadActivity,
    ) -> Granted {
        let now = match process {
            ProcessProgress::Rested if !self.unreadable => self.before,
            _ => None,
        };
        match now.or_else(|| self.read(pid, tid)) {
            None => Granted::all_of(interval.computed),
            Some(now) => self.bound_by(now, interval, activity),
        }
    }

    /// The same for a given reading of the meter.
    pub(crate) fn bound_by(
        &mut self,
        now: Schedstat,
        interval: ThreadInterval,
        activity: impl FnOnce(Schedstat, ThreadProgress) -> ThreadActivity,
    ) -> Granted {
        let computed = interval.computed.0;
        let counted = match self.before.replace(now) {
            Some(before) => now.since(before),
            None => first(now, interval.lived.0),
        };
        let moving = self.moving(interval, counted.ran);
        let own_delay = own_delay(counted, interval, moving);
        let ran = self.own_ran(interval, counted.ran, moving).min(computed);
        let fresh = own_delay.saturating_sub(self.ahead + self.overdrawn);
        self.account(counted);
        let moved = if counted.turns > 0 || counted.ran > 0 {
            ThreadProgress::Yes
        } else {
            ThreadProgress::No
        };
        let [delayed, surplus] = self.delayed(fresh, computed - ran, moved);
        let in_calls = self.find_overrun(surplus, (interval.lived - interval.computed).0);
        let rest = computed - ran - delayed;
        let [was_delayed, was_blocked] = self.take_back(ran, going_on(counted), moved);
        let [of_ran, of_delay, blocked] = self.settle(rest, moved, || activity(now, moved));
        let ran = ran + of_ran - was_delayed - was_blocked;
        let polled = self.polled(counted.ran - moving, ran);
        Granted {
            ran: Nanos(ran),
            delayed: Nanos(delayed + of_delay + was_delayed),
            blocked: Nanos(blocked + was_blocked),
            anywhere: Nanos(counted.ran),
            delayed_anywhere: Nanos(counted.delayed),
            polled: Nanos(polled),
            delayed_in_calls: Nanos(in_calls),
        }
    }

    /// Takes what the system counted off what was told before. All delays before the last turn are counted.
    fn account(&mut self, counted: Schedstat) {
        let of_ahead = self.ahead.min(counted.delayed);
        self.ahead -= of_ahead;
        self.overdrawn = self.overdrawn.saturating_sub(counted.delayed - of_ahead);
        if counted.turns > 0 {
            self.overdrawn += std::mem::take(&mut self.ahead);
        }
    }

    /// What it was delayed: what the system tells now, and what is owed of before, as far as there is idle time for it. And what is left.
    fn delayed(&mut self, fresh: u64, idle: u64, moved: ThreadProgress) -> [u64; 2] {
        let now = fresh.min(idle);
        let of_before = self.late.min(idle - now);
        // More than there is idle time for: some of what was taken to be blocked since it ran last was run delay.
        let found = (fresh - now).min(self.guessed);
        self.late = self.late - of_before + found;
        let left = self.guessed - found;
        self.guessed = match moved {
            // What is told now may be of before, in place of that which this interval ends with and of which the system tells next time.
            ThreadProgress::Yes => left.min(now),
            ThreadProgress::No => left,
        };
        // What stands for earlier time was not judged by itself.
        self.guessed += of_before;
        [now + of_before, fresh - now - found]
    }

    /// Of run delay for which there was no idle time, what was in calls. Where it cannot have been there, or was told to have run by a thread that
    /// was not blocked, it was no running.
    fn find_overrun(&mut self, surplus: u64, outside: u64) -> u64 {
        let of_lent = surplus.min(self.lent);
        let of_debt = surplus.saturating_sub(of_lent + outside).min(self.debt);
        self.lent -= of_lent;
        self.debt -= of_debt;
        self.overrun += of_lent + of_debt;
        surplus - of_lent - of_debt
    }

    /// Of what ran and moved no data, what was not told to be its own code's. Clocks tick coarsely, so what was told too much is taken off what
    /// comes.
    fn polled(&mut self, ran: u64, own: u64) -> u64 {
        let [ran, own] = [ran, own].map(|time| i64::try_from(time).unwrap_or(i64::MAX));
        let all = self.polled.saturating_add(ran).saturating_sub(own);
        self.polled = all.clamp(-CARRIED.cast_signed(), 0);
        at_least_none(all)
    }

    /// What it ran in its own code, with what it is owed, and pays what it owes.
    fn own_ran(&mut self, interval: ThreadInterval, ran: u64, moving: u64) -> u64 {
        let own = ran - moving.max(interval.polling(ran)) + self.credit;
        let surplus = own.saturating_sub(interval.computed.0);
        let of_lent = surplus.min(self.lent);
        let paid = surplus.min(of_lent + self.debt);
        self.lent -= of_lent;
        self.debt -= paid - of_lent;
        // What ran too long for its computing may have run in calls that events tell of.
        let others = (interval.lived - interval.computed).0;
        self.credit = surplus.saturating_sub(paid + others).min(CARRIED);
        own
    }

    /// Of what ran, what moved data: such calls run in the kernel. In one interval that is what its own code cannot have run, and over many it is
    /// what the kernel counts, whose clock ticks coarsely and by chance, and too often for a thread that loses its processor all the time: never
    /// more than stack samples leave.
    fn moving(&mut self, interval: ThreadInterval, ran: u64) -> u64 {
        let wanted = interval.moved.0 + self.moved;
        let in_kernel = self.in_kernel.saturating_add_unsigned(interval.in_kernel.0.min(ran));
        let [least, most] = [in_kernel - CHANCE, in_kernel + CHANCE].map(at_least_none);
        let surplus = ran.saturating_sub(interval.computed.0);
        let least = least.min(Nanos(ran).scaled(1.0 - interval.least_own).0);
        let moving = surplus.min(most).max(least).min(wanted).min(ran);
        self.moved = (wanted - moving).min(CARRIED);
        // Its own code may run in the kernel, and calls outside.
        self.in_kernel = in_kernel.saturating_sub_unsigned(moving).clamp(-CHANCE, 2 * CHANCE);
        moving
    }

    /// What the rest was, by what the thread does now: it ran, could run, or was blocked. One that ran and can run now was blocked in between, or
    /// lost its processor: if it did that at all, it is taken to wait for another one. One that nobody has looked at is taken to be blocked, as most are
    /// that do not run; so is one that has ended, of which the system has told all. Should it be the other way round, the system tells so later.
    fn settle(
        &mut self,
        rest: u64,
        moved: ThreadProgress,
        activity: impl FnOnce() -> ThreadActivity,
    ) -> [u64; 3] {
        if rest <= LITTLE {
            return self.tell_run(rest);
        }
        match activity() {
            ThreadActivity::NeverBlocked
                if rest + self.overrun <= CARRIED.saturating_sub(self.lent) =>
            {
                self.lent += rest;
                [rest, 0, 0]
            }
            ThreadActivity::NeverBlocked => {
                let [_, delayed, ran] = self.tell_ahead(rest);
                [ran, delayed, 0]
            }
            ThreadActivity::Blocked => {
                self.overdrawn += std::mem::take(&mut self.ahead);
                (self.late, self.guessed) = (0, 0);
                [0, 0, rest]
            }
            _ if moved == ThreadProgress::Yes && rest <= CARRIED - self.debt => self.tell_run(rest),
            ThreadActivity::Runnable if moved == ThreadProgress::No => self.tell_ahead(rest),
            ThreadActivity::Preempted if self.overdrawn <= LITTLE => self.tell_ahead(rest),
            _ => {
                self.guessed += rest;
                [0, 0, rest]
            }
        }
    }

    /// Time that it ran, of which the system tells later.
    fn tell_run(&mut self, ran: u64) -> [u64; 3] {
        self.debt = (self.debt + ran).min(CARRIED);
        [ran, 0, 0]
    }

    /// A run delay of which the system tells later; less what was told too much.
    fn tell_ahead(&mut self, delayed: u64) -> [u64; 3] {
        let back = self.overdrawn.min(delayed);
        self.overdrawn -= back;
        self.ahead += delayed;
        [0, delayed - back, back]
    }

    /// What it was told to have run before and did not, of what it ran now: it had no processor, or was blocked. Only a part, for it ran where it ran,
    /// and not what may be a run delay that goes on.
    fn take_back(&mut self, ran: u64, going_on: u64, moved: ThreadProgress) -> [u64; 2] {
        let most = match moved {
            ThreadProgress::Yes => ran / 4,
            ThreadProgress::No => 0,
        };
        let delayed = self.overrun.min(most);
        let blocked = self.debt.saturating_sub(going_on).min(most - delayed);
        self.overrun -= delayed;
        self.debt -= blocked;
        [delayed, blocked]
    }

    fn read(&mut self, pid: u32, tid: u32) -> Option<Schedstat> {
        if self.unreadable {
            return None;
        }
        let time = match &self.file {
            Some(kept) => counted(kept.get()),
            None => {
                let file = File::open(format!("/proc/{pid}/task/{tid}/schedstat")).ok();
                let time = file.as_ref().and_then(counted);
                self.file = file.and_then(KeptDescriptor::new);
                time
            }
        };
        // A thread that is gone, or a kernel without these statistics: the bound is dropped.
        self.unreadable = time.is_none();
        time
    }
}

/// Less than nothing is nothing.
fn at_least_none(time: i64) -> u64 {
    u64::try_from(time).unwrap_or(0)
}

fn counted(file: &File) -> Option<Schedstat> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    Schedstat::parse(&text[..length])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernel_time::KernelTime;

    const MILLI: u64 = 1_000_000;

    /// A thread that computes nothing but intervals of 50 ms, by its events.
    #[derive(Default)]
    struct Stage {
        running: Running,
        now: Schedstat,
        polled: f64,
        waits: u64,
        sum: [u64; 3],
    }

    impl Stage {
        fn new() -> Self {
            let mut stage = Self::default();
            stage
                .running
                .bound_by(stage.now, ThreadInterval::default(), |_, _| ThreadActivity::Runnable);
            stage
        }

        /// An interval, at the end of which the system has counted so many more milliseconds: what is told of it, in milliseconds.
        fn interval(&mut self, ran: u64, delayed: u64, activity: ThreadActivity) -> [u64; 3] {
            self.now.ran += ran * MILLI;
            self.now.delayed += delayed * MILLI;
            let computed = Nanos::from_millis(50 - self.waits);
            let interval = ThreadInterval {
                computed,
                lived: Nanos::from_millis(50),
                waited: Nanos::from_millis(self.waits),
                polled: self.polled,
                ..ThreadInterval::default()
            };
            let told = self.running.bound_by(self.now, interval, |_, _| activity);
            assert_eq!(told.ran + told.delayed + told.blocked, computed, "without remainder");
            let told = [told.ran, told.delayed, told.blocked].map(|time| time.0 / MILLI);
            (0..3).for_each(|at| self.sum[at] += told[at]);
            told
        }
    }

    #[test]
    fn what_did_not_run_had_no_processor_or_was_blocked() {
        let mut stage = Stage::new();
        assert_eq!(stage.interval(50, 0, ThreadActivity::Runnable), [50, 0, 0]);
        assert_eq!(stage.interval(10, 0, ThreadActivity::Blocked), [10, 0, 40]);
        assert_eq!(stage.interval(0, 0, ThreadActivity::Blocked), [0, 0, 50]);
        assert_eq!(stage.interval(20, 30, ThreadActivity::Runnable), [20, 30, 0]);
    }

    #[test]
    fn a_delay_is_told_before_the_system_tells_of_it_and_only_once() {
        let mut stage = Stage::new();
        for _ in 0..25 {
            stage.interval(30, 0, ThreadActivity::Runnable);
            stage.interval(0, 0, ThreadActivity::Runnable);
            stage.interval(0, 0, ThreadActivity::Runnable);
            stage.interval(0, 170, ThreadActivity::Runnable);
        }
        let [ran, delayed, blocked] = stage.sum;
        assert!((750..=770).contains(&ran), "{ran}");
        assert!((25 * 170 - 20..=25 * 170).contains(&delayed), "{delayed}");
        assert_eq!(blocked, 20, "once, before anything was known of its delays");
    }

    #[test]
    fn who_was_never_looked_at_is_taken_to_be_blocked_until_the_system_says_otherwise() {
        let mut stage = Stage::new();
        assert_eq!(stage.interval(0, 0, ThreadActivity::Unseen), [0, 0, 50]);
        assert_eq!(stage.interval(0, 0, ThreadActivity::Unseen), [0, 0, 50]);
        assert_eq!(stage.interval(10, 120, ThreadActivity::Runnable), [10, 40, 0]);
        assert_eq!(
            stage.interval(0, 0, ThreadActivity::Runnable)[1],
            50,
            "what was run delay before"
        );
    }

    #[test]
    fn a_thread_that_has_ended_did_not_run_where_the_system_does_not_say_so() {
        let mut stage = Stage::new();
        assert_eq!(stage.interval(20, 10, ThreadActivity::Gone), [20, 10, 20]);
    }

    #[test]
    fn a_thread_that_loses_its_processor_again_and_again_is_not_blocked() {
        let mut stage = Stage::new();
        stage.interval(20, 0, ThreadActivity::Preempted);
        for delayed in [40, 15, 45, 20] {
            stage.interval(20, delayed, ThreadActivity::Preempted);
        }
        let [ran, delayed, blocked] = stage.sum;
        assert_eq!((ran, delayed, blocked), (100, 150, 0));
    }

    /// A turn of a thread's life, in microseconds: it runs, moves data in the kernel, waits unseen, and has no processor.
    type Turn = [u64; 4];

    /// What it does at a time. In calls that move data it runs, or loses its processor.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Does {
        Run,
        Lack,
        Block,
        Move,
        LackInCall,
    }

    /// A thread whose calls that events tell of all move data, looked at after passes.
    #[derive(Default)]
    struct RandomLife {
        running: Running,
        counted: Schedstat,
        is_preempted: bool,
        is_blocked: bool,
        kernel_time: KernelTime,
        /// Microseconds of the pass that goes on, of those in calls, and what it moved data for so far.
        passed: u64,
        in_calls: u64,
        moved: u64,
        lived: u64,
        /// Of so many looks one is made.
        looks: u64,
        /// Microseconds that it ran, had no processor and was blocked: so far, up to the last pass, and as told.
        so_far: [u64; 3],
        truth: [u64; 3],
        told: [u64; 3],
    }

    const PASS: u64 = 50_000;

    impl RandomLife {
        fn of(turns: &[Turn], looks: u64) -> Self {
            let mut life = Self { looks, ..Self::default() };
            for [ran, moved, blocked, delayed] in turns {
                life.lasts(Does::Run, *ran);
                life.lasts(Does::Move, *moved);
                life.lasts(Does::Block, *blocked);
                life.is_preempted |= *blocked == 0 && *delayed > 0;
                life.is_blocked |= *blocked > 0;
                let is_in_call = *moved > 0 && *blocked == 0;
                life.lasts(if is_in_call { Does::LackInCall } else { Does::Lack }, *delayed);
            }
            life
        }

        /// It does one thing for so long, of which the system tells in passing if it runs, and else when it is over.
        fn lasts(&mut self, does: Does, micros: u64) {
            let mut left = micros;
            while left > 0 {
                let part = left.min(PASS - self.passed);
                (self.passed, left) = (self.passed + part, left - part);
                let sum = match does {
                    Does::Run => &mut self.so_far[0],
                    Does::Lack => &mut self.so_far[1],
                    Does::Block => &mut self.so_far[2],
                    Does::Move | Does::LackInCall => &mut self.in_calls,
                };
                *sum += part;
                self.moved += if does == Does::Move { part } else { 0 };
                let runs = matches!(does, Does::Run | Does::Move);
                self.counted.ran += if runs { 1000 * part } else { 0 };
                if self.passed == PASS {
                    self.passed = 0;
                    self.pass(does);
                }
            }
            let lacks = matches!(does, Does::Lack | Does::LackInCall);
            self.counted.delayed += if lacks { 1000 * micros } else { 0 };
            self.counted.turns += u64::from(lacks);
        }

        fn pass(&mut self, does: Does) {
            let moved = Nanos(1000 * std::mem::take(&mut self.in_calls));
            let in_kernel = match moved {
                Nanos::ZERO => Nanos::ZERO,
                _ => self.kernel_time.take(self.moved * 1000 / TICK),
            };
            let lived = Nanos(1000 * PASS);
            let computed = lived - moved;
            let interval =
                ThreadInterval { computed, lived, moved, in_kernel, ..ThreadInterval::default() };
            let seen = match does {
                Does::Block => ThreadActivity::Blocked,
                _ if !self.is_blocked => ThreadActivity::NeverBlocked,
                _ if self.is_preempted => ThreadActivity::Preempted,
                _ => ThreadActivity::Runnable,
            };
            let since_look = [&mut self.is_preempted, &mut self.is_blocked];
            let is_unseen = !(self.lived / PASS).is_multiple_of(self.looks);
            let told = self.running.bound_by(self.counted, interval, |_, _| {
                if is_unseen {
                    return ThreadActivity::Unseen;
                }
                if seen != ThreadActivity::Blocked {
                    since_look.into_iter().for_each(|it_was| *it_was = false);
                }
                seen
            });
            let told = [told.ran, told.delayed, told.blocked];
            self.told.iter_mut().zip(told).for_each(|(sum, time)| *sum += time.0 / 1000);
            self.truth = self.so_far;
            self.lived += PASS;
        }

        /// Whether each part is told to so many points, or to a pass in a short life.
        fn is_told(&self, points: u64) -> bool {
            let allowed = PASS + self.lived * points / 100;
            self.told.iter().zip(self.truth).all(|(told, truth)| told.abs_diff(truth) <= allowed)
        }
    }

    /// Lives in which the last three parts of a turn may be there.
    fn turns(parts: [bool; 3]) -> impl Strategy<Value = Vec<Turn>> {
        let most = [1..30_000_u64, 1..40_000, 1..40_000, 1..40_000];
        (most, [1..5_u64, 1..5, 1..5]).prop_flat_map(move |([ran, longest @ ..], rarely)| {
            let [moved, blocked, delayed] = [0, 1, 2].map(|at| {
                let [sides, longest] = [rarely[at], longest[at]];
                let part = (0..sides, 1..=longest);
                part.prop_map(move |(dice, micros)| if dice > 0 && parts[at] { micros } else { 0 })
            });
            prop::collection::vec(
                (1..=ran, moved, blocked, delayed).prop_map(<[u64; 4]>::from),
                400,
            )
        })
    }

    /// Of a thread that is never blocked and has no processor for long.
    fn starving_turns() -> impl Strategy<Value = Vec<Turn>> {
        [1..8_000_u64, 10_000..400_000].prop_flat_map(|[ran, longest]| {
            let delayed = longest / 4..=longest;
            let turn = (1..=ran, delayed).prop_map(|(ran, delayed)| [ran, 0, 0, delayed]);
            prop::collection::vec(turn, 400)
        })
    }

    proptest! {
        #[test]
        fn what_waits_unseen_and_lacks_processors_is_told_of_both(
            turns in turns([false, true, true]),
            looks in 1..40_u64,
        ) {
            let life = RandomLife::of(&turns, looks);
            prop_assert!(life.is_told(5), "{:?} of {:?}", life.told, life.truth);
        }

        #[test]
        fn who_has_no_processor_for_long_is_not_blocked_however_rarely_it_is_looked_at(
            turns in starving_turns(),
            looks in 1..40_u64,
        ) {
            let life = RandomLife::of(&turns, looks);
            prop_assert!(life.is_told(3), "{:?} of {:?}", life.told, life.truth);
        }

        #[test]
        fn who_is_never_blocked_is_not_told_so(turns in turns([false, false, true]), looks in 1..4_u64) {
            let life = RandomLife::of(&turns, looks);
            prop_assert!(life.is_told(1), "{:?} of {:?}", life.told, life.truth);
        }

        #[test]
        fn what_moves_data_and_waits_unseen_is_told_what_its_own_code_ran(turns in turns([true, true, false])) {
            let life = RandomLife::of(&turns, 1);
            prop_assert!(life.is_told(7), "{:?} of {:?}", life.told, life.truth);
        }
    }

    #[test]
    fn coarse_clocks_even_out() {
        let mut stage = Stage::new();
        for ran in [46, 54, 48, 56, 46, 50] {
            stage.interval(ran, 0, ThreadActivity::Runnable);
        }
        assert_eq!(stage.sum, [300, 0, 0]);
    }

    #[test]
    fn what_ran_in_a_call_that_polls_was_no_computing() {
        let mut stage = Stage { polled: 0.5, waits: 20, ..Stage::new() };
        for _ in 0..20 {
            stage.interval(30, 20, ThreadActivity::Runnable);
        }
        let [ran, delayed, blocked] = stage.sum;
        assert_eq!(
            (ran, delayed, blocked),
            (20 * 15, 20 * 15, 0),
            "without its own figure: all 30 ran"
        );
    }

    #[test]
    fn what_ran_and_is_not_its_own_code_s_was_polling() {
        let mut running = Running::default();
        let mut told = |milli: u64, computed: u64| {
            let now = Schedstat { ran: milli * MILLI, delayed: 0, turns: 1 };
            let interval = ThreadInterval {
                computed: Nanos::from_millis(computed),
                lived: Nanos::from_millis(50),
                ..ThreadInterval::default()
            };
            running.bound_by(now, interval, |_, _| ThreadActivity::Runnable).polled.0 / MILLI
        };
        told(0, 0);
        assert_eq!(told(25, 10), 15);
        assert_eq!(told(50, 0), 25);
        // Four more by a coarse clock, and four less: what was told too much is taken off.
        assert_eq!([told(79, 25), told(100, 25), told(129, 25)], [4, 0, 0]);
    }

    #[test]
    fn at_first_it_ran_no_more_than_in_its_life() {
        let told = |now: Schedstat| {
            let computed = Nanos::from_millis(50);
            let interval =
                ThreadInterval { computed, lived: computed, ..ThreadInterval::default() };
            let told = Running::default().bound_by(now, interval, |_, _| ThreadActivity::Runnable);
            [told.ran, told.delayed, told.blocked].map(|time| time.0 / MILLI)
        };
        let counted =
            |ran, delayed| Schedstat { ran: ran * MILLI, delayed: delayed * MILLI, turns: 1 };
        assert_eq!(told(counted(10, 25)), [10, 25, 15]);
        assert_eq!(told(counted(1000, 1000)), [50, 0, 0]);
    }

    #[test]
    fn own_thread_has_a_meter_where_the_kernel_keeps_one() {
        let id = std::process::id();
        let mut running = Running::default();
        let computed = Nanos::from_millis(5);
        let interval = ThreadInterval { computed, lived: computed, ..ThreadInterval::default() };
        if running.read(id, id).is_some() {
            let progress = ProcessProgress::Moved;
            let told = running.bound([id; 2], progress, interval, |_, _| ThreadActivity::Runnable);
            assert!(told.ran <= computed);
        }
        assert!(!running.is_unknown());
    }
}
