//! Random profiles, as TAU's files and back.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use whyperf_experiments::{
    ExchangeError, ForeignFormat, ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue,
    UserEvent, packed_profile, tau_files,
};

/// A folder of its own, removed with it.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("whyperf-tau-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Names as programs have them, odd ones included; runs of blanks are one by TAU's rule.
fn name() -> impl Strategy<Value = String> {
    let words = prop_oneof![
        "[a-z]{1,6}",
        Just("operator\"\"_s".to_owned()),
        Just("f(int, char const*)".to_owned()),
        Just("f [{/src/a b.c} {20,1}]".to_owned()),
        Just("GROUP=\"x\"".to_owned()),
        Just("größe<T>&".to_owned()),
        Just("main => MPI_Recv()".to_owned()),
    ];
    words
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), (0..1_000_000u32).prop_map(f64::from), 0.0..1e12, Just(0.1)]
}

fn thread(metrics: usize) -> impl Strategy<Value = ForeignThread> {
    let value =
        (number(), number()).prop_map(|(exclusive, inclusive)| TimerValue { exclusive, inclusive });
    let groups = prop_oneof![
        Just(vec![]),
        Just(vec!["MPI".to_owned()]),
        Just(vec!["TAU_CALLPATH".to_owned(), "TAU_USER".to_owned()]),
    ];
    let timer = (groups, number(), number(), vec(value, metrics));
    let event = (number(), number(), number(), number(), number());
    let metadata = btree_map("[A-Za-z ]{1,8}", "[ -~]{0,12}", 0..3);
    (btree_map(name(), timer, 0..6), btree_map(name(), event, 0..3), metadata).prop_map(
        |(timers, events, metadata)| ForeignThread {
            timers: timers
                .into_iter()
                .map(|(name, (groups, calls, subcalls, values))| Timer {
                    name,
                    groups,
                    calls,
                    subcalls,
                    values,
                })
                .collect(),
            events: events
                .into_iter()
                .map(|(name, (count, most, least, mean, squares))| UserEvent {
                    name,
                    count,
                    most,
                    least,
                    mean,
                    squares,
                })
                .collect(),
            metadata: metadata.into_iter().collect(),
            ..ForeignThread::default()
        },
    )
}

fn profile() -> impl Strategy<Value = ForeignProfile> {
    (1..4usize, 1..4usize).prop_flat_map(|(metrics, threads)| {
        vec(thread(metrics), threads).prop_map(move |mut threads| {
            for (at, thread) in (0..).zip(&mut threads) {
                (thread.node, thread.thread) = (at / 2, at % 2);
            }
            let names = ["TIME", "PAPI_TOT_CYC", "A:B <c>"];
            let metrics =
                names[..metrics].iter().map(|name| ForeignMetric { name: (*name).to_owned() });
            ForeignProfile { metrics: metrics.collect(), threads, notes: Vec::new() }
        })
    })
}

/// The same, whatever order metrics have: folders of metrics are read by name.
fn in_order(mut profile: ForeignProfile) -> ForeignProfile {
    let mut order: Vec<usize> = (0..profile.metrics.len()).collect();
    order.sort_by_key(|at| profile.metrics[*at].name.clone());
    profile.metrics = order.iter().map(|at| profile.metrics[*at].clone()).collect();
    for thread in &mut profile.threads {
        // The name of the metric stands among the metadata of each file.
        thread.metadata.retain(|(name, _)| name != "Metric Name");
        for timer in &mut thread.timers {
            timer.values = order.iter().map(|at| timer.values[*at]).collect();
        }
    }
    profile
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_again(profile in profile()) {
        let folder = Folder::new();
        profile.write_tau(&folder.0).expect("writable");
        let read = tau_files(&folder.0, |_, _| {}).expect("just written");
        prop_assert_eq!(in_order(read), in_order(profile));
    }

    #[test]
    fn what_is_packed_is_unpacked_again(profile in profile()) {
        let folder = Folder::new();
        let path = folder.0.join("run.ppk");
        let mut profile = profile;
        // It counts user events by whole numbers.
        let events = profile.threads.iter_mut().flat_map(|thread| &mut thread.events);
        events.for_each(|event| event.count = event.count.min(4e9).floor());
        profile.write_packed(&path).expect("writable");
        prop_assert_eq!(ForeignFormat::of(&path).ok(), Some(ForeignFormat::Packed));
        prop_assert_eq!(packed_profile(&path).expect("just written"), profile);
    }

    #[test]
    fn a_packed_profile_that_was_cut_or_changed_is_read_or_refused(profile in profile(), at in any::<u16>(), to in any::<u8>()) {
        let folder = Folder::new();
        let path = folder.0.join("run.ppk");
        profile.write_packed(&path).expect("writable");
        let mut words = Vec::new();
        GzDecoder::new(std::fs::File::open(&path).expect("written")).read_to_end(&mut words).expect("packed");
        let at = usize::from(at) % words.len();
        let mut changed = words.clone();
        changed[at] = to;
        for words in [&words[..at], &changed] {
            let mut packer = GzEncoder::new(std::fs::File::create(&path).expect("writable"), Compression::fast());
            packer.write_all(words).expect("writable");
            packer.finish().expect("writable");
            if let Err(error) = packed_profile(&path) {
                prop_assert!(matches!(error, ExchangeError::Nothing { .. }), "{}", error);
            }
        }
    }

    #[test]
    fn whatever_is_in_a_file_is_read_or_refused(text in "[ -~\n\"]{0,200}") {
        let folder = Folder::new();
        std::fs::write(folder.0.join("profile.0.0.0"), text).expect("writable");
        if let Err(error) = tau_files(&folder.0, |_, _| {}) {
            let is_named = matches!(error, ExchangeError::Line { .. });
            prop_assert!(is_named, "{}", error);
        }
    }
}

#[test]
fn what_is_no_folder_of_profiles_is_named() {
    let folder = Folder::new();
    let refused = |path: &std::path::Path| {
        tau_files(path, |_, _| {}).expect_err("nothing is there").to_string()
    };
    assert!(refused(&folder.0).contains("no file profile.NODE.CONTEXT.THREAD"));
    // A serial program that never said its node has this file, which TAU's own readers refuse, too.
    std::fs::write(folder.0.join("profile.-1.0.0"), "").expect("writable");
    assert!(refused(&folder.0).contains("no file profile"));
    assert!(refused(&folder.0.join("nowhere")).contains("cannot read"));
}

#[test]
fn a_thread_that_lacks_a_metric_is_told() {
    let folder = Folder::new();
    let text = |metric: &str, name: &str| {
        format!(
            "1 templated_functions_MULTI_{metric}\n# Name\n\"{name}\" 1 0 5 5 0 GROUP=\"A\" \n0 aggregates\n"
        )
    };
    for (metric, name) in [("TIME", "f"), ("PAPI_TOT_CYC", "g")] {
        let of_metric = folder.0.join(format!("MULTI__{metric}"));
        std::fs::create_dir(&of_metric).expect("writable");
        std::fs::write(of_metric.join("profile.0.0.0"), text(metric, name)).expect("writable");
    }
    let read = tau_files(&folder.0, |_, _| {}).expect("well formed");
    assert_eq!(read.metrics.len(), 2);
    assert_eq!(read.threads[0].timers.len(), 2);
    assert!(read.notes[0].contains("lack metrics"), "{:?}", read.notes);
}
