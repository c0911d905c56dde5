//! The part of a thread's running time that it spent in the kernel, by the system's own count: in calls that move data it is what they ran.

use whyperf_inject::Stat;

/// What the system counted of a thread, in its ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KernelTicks {
    user: u64,
    kernel: u64,
}

/// The part of a thread's running time in the kernel, lately.
#[derive(Debug, Default)]
pub(crate) struct KernelShare {
    before: KernelTicks,
    share: f64,
}

impl KernelShare {
    /// Now, or as it was last where the thread is gone.
    pub(crate) fn read(&mut self, pid: u32, tid: u32) -> f64 {
        if let Some(stat) = Stat::of_thread(pid, tid) {
            self.take(KernelTicks { user: stat.user, kernel: stat.kernel });
        }
        self.share
    }

    /// A few ticks say nothing of a share.
    fn take(&mut self, now: KernelTicks) {
        let user = now.user.saturating_sub(self.before.user);
        let kernel = now.kernel.saturating_sub(self.before.kernel);
        if user + kernel >= ENOUGH {
            self.before = now;
            #[expect(clippy::cast_precision_loss, reason = "ticks of some seconds")]
            let share = kernel as f64 / (user + kernel) as f64;
            self.share = share;
        }
    }
}

/// Ticks after which the share is taken anew.
const ENOUGH: u64 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_of_what_passed_since_it_was_taken() {
        let mut share = KernelShare::default();
        let shares = [(3, 3), (2, 8), (11, 9), (2, 8 + 90)].map(|(user, kernel)| {
            share.take(KernelTicks { user, kernel });
            share.share
        });
        assert!((shares[0]).abs() < 1e-9, "too little");
        assert!((shares[1] - 0.8).abs() < 1e-9);
        assert!((shares[2] - 0.1).abs() < 1e-9);
        assert!((shares[3] - 1.0).abs() < 1e-2, "{shares:?}");
    }
}
