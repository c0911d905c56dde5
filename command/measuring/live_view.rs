//! The live view of a run: what is new goes to the page in a browser while the program runs, and commands come back.
//!
//! ```text
//!   watch ── what is new, twice a second; series each second ──► channel of one ──► run that is shown ──► page
//!         ◄── commands ─────────────────────────────────────────────────────────── server ◄─────────────┘
//! ```
//! While a page reads, what is new waits here and goes with the next: no browser holds up a sample.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::Value;
use whyperf_consultant::{Directive, Searches, Step};
use whyperf_daemon::{Daemon, Live, PairId, SamplingPass, View};
use whyperf_experiments::{NewRun, ResourceSpan, RunId, StepRow};
use whyperf_model::{Focus, Hierarchy, Histogram, Metric, Nanos, Pair, Resource, Time};
use whyperf_viewer::{
    CommandRequest, CommandSender, DIVISION, HypothesisRow, RunChange, RunHead, RunState,
    SeriesPart, ViewedRun,
};

use crate::measuring::event::WatchEvent;
use crate::measuring::real_time::RealTime;
use crate::measuring::recording::profile_row;
use crate::measuring::stream_feeders::StreamFeeders;
use crate::measuring::told_questions::ToldQuestions;

/// Feeds a run that is shown.
#[derive(Debug)]
pub(crate) struct LiveView {
    run: Arc<ViewedRun>,
    sender: SyncSender<RunChange>,
    commands: Receiver<CommandRequest>,
    /// What is new and was not handed over yet.
    news: RunChange,
    told: ToldQuestions,
    /// The thresholds as they were handed over.
    thresholds: Vec<f64>,
    /// How far each series was handed over, by its part.
    series: BTreeMap<u32, ToldSeries>,
    /// Pairs that are measured for the page alone, over the whole run.
    own: Vec<PairId>,
    /// Streams beside it, which end with it.
    feeders: Option<StreamFeeders>,
    begin: Instant,
    next: Instant,
    next_series: Instant,
    next_bulk: Instant,
}

/// How far a series was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ToldSeries {
    width: Nanos,
    bins: usize,
}

/// Between two changes, and between two of series.
const INTERVAL: Duration = Duration::from_millis(500);
const SERIES_INTERVAL: Duration = Duration::from_secs(1);
/// Between two profiles: this part of the run's time so far, within bounds.
const BULK_PART: u32 = 20;
const BULK_BOUNDS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(30)];
/// Of so many processes each is shown over time from the beginning on; of others when they are asked for.
const MOST_PROCESSES: usize = 64;
/// Pairs that are measured for the page alone: more than these nobody looks at.
const MOST_OWN: usize = 1024;

impl LiveView {
    /// Begins; answers with the run that is shown, and the way on which commands come.
    pub(crate) fn begin(
        run: &NewRun,
        searches: &Searches,
        daemon: &mut Daemon,
        events: Sender<WatchEvent>,
    ) -> Result<(Self, Arc<ViewedRun>, CommandSender)> {
        let started = humantime::format_rfc3339_seconds(run.started).to_string();
        let head = RunHead::of(run, started, searches.global().hypotheses());
        let run = Arc::new(ViewedRun::live(head));
        let (sender, changes) = mpsc::sync_channel(1);
        let (asked, commands) = mpsc::channel();
        let shown = Arc::clone(&run);
        let apply = move || changes.into_iter().for_each(|change| shown.apply(change));
        thread::Builder::new()
            .name("whyperf-changes".into())
            .spawn(apply)
            .context("starting the thread that shows changes")?;
        let send =
            move |request| asked.send(request).is_ok() && events.send(WatchEvent::Asked).is_ok();
        let begin = Instant::now();
        let mut view = Self {
            run: Arc::clone(&run),
            sender,
            commands,
            news: RunChange::new(RunState::Searching, Duration::ZERO),
            told: ToldQuestions::default(),
            thresholds: thresholds(searches),
            series: BTreeMap::new(),
            own: Vec::new(),
            feeders: None,
            begin,
            next: begin,
            next_series: begin,
            next_bulk: begin + BULK_BOUNDS[0],
        };
        let whole = Focus::whole_program();
        view.own.push(daemon.start(Metric::ObservedCost, &whole));
        view.measure_division(&whole, daemon);
        Ok((view, run, CommandSender::new(send)))
    }

    /// Takes note of what a sampling pass brought.
    pub(crate) fn note(&mut self, pass: &SamplingPass, daemon: &mut Daemon) {
        let end = pass.interval.end;
        let span =
            |of: &Resource, retired| ResourceSpan { name: of.to_string(), appeared: end, retired };
        self.news.resources.extend(pass.appeared.iter().map(|new| span(new, None)));
        self.news.resources.extend(pass.retired.iter().map(|gone| span(gone, Some(end))));
        let is_process =
            |one: &&Resource| one.hierarchy() == Hierarchy::Process && one.depth() == 1;
        for process in pass.appeared.iter().filter(is_process) {
            if self.own.len() < DIVISION.len() * (MOST_PROCESSES + 1) {
                let focus = Focus::whole_program().with(Hierarchy::Process, process.clone());
                self.measure_division(&focus, daemon);
            }
        }
    }

    fn measure_division(&mut self, focus: &Focus, daemon: &mut Daemon) {
        self.own.extend(DIVISION.map(|metric| daemon.start(metric, focus)));
    }

    /// Measures a pair for the page, from now on.
    pub(crate) fn measure(&mut self, pair: &Pair, daemon: &mut Daemon) -> Result<(), String> {
        if self.own.iter().any(|own| daemon.pair(*own) == Some(pair)) {
            return Ok(());
        }
        if self.own.len() >= MOST_OWN {
            return Err(format!("{MOST_OWN} pairs are measured for the page already"));
        }
        self.own.push(daemon.start_by_name(pair.metric, &pair.focus));
        Ok(())
    }

    /// Takes note of a step of the search.
    pub(crate) fn step(&mut self, step: &Step) {
        self.note_moment(step.time, &step.happening.to_string());
    }

    /// Takes note of something that is no step of the search.
    pub(crate) fn note_moment(&mut self, time: Time, what: &str) {
        self.news.steps.push(StepRow { time, text: what.to_owned() });
    }

    /// Shows streams of other sources beside it.
    pub(crate) fn show_beside(&mut self, feeders: StreamFeeders) {
        self.feeders = Some(feeders);
    }

    /// Takes note of a directive that was given.
    pub(crate) fn note_directive(&mut self, directive: &Directive) {
        let told = directive.to_string();
        self.news.directives.push(told.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    /// The next command that was asked for.
    pub(crate) fn next_command(&self) -> Option<CommandRequest> {
        self.commands.try_recv().ok()
    }

    /// Whether the report as it stands should be offered, which takes a moment to make.
    pub(crate) fn wants_report(&self) -> bool {
        Instant::now() >= self.next_bulk
    }

    /// Takes the report as it stands, and with it the profile.
    pub(crate) fn offer(&mut self, report: Value, daemon: &Daemon) {
        let [least, most] = BULK_BOUNDS;
        self.next_bulk = Instant::now() + (self.begin.elapsed() / BULK_PART).clamp(least, most);
        self.take_profile(daemon);
        self.news.report = Some(report);
    }

    /// Hands over what is new, if it is time.
    pub(crate) fn tell_if_due(&mut self, searches: &Searches, live: &Live<Daemon, RealTime>) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + INTERVAL;
        self.take_small(searches, live.daemon());
        if now >= self.next_series {
            self.next_series = now + SERIES_INTERVAL;
            self.take_series(live);
        }
        let empty = RunChange::new(self.news.state, self.news.elapsed);
        let news = std::mem::replace(&mut self.news, empty);
        // Still busy with the last: it goes with the next.
        if let Err(TrySendError::Full(news)) = self.sender.try_send(news) {
            self.news = news;
        }
    }

    /// Hands over all that is left. What was kept of the run is read in its store from now on.
    pub(crate) fn finish(
        mut self,
        searches: &Searches,
        live: &Live<Daemon, RealTime>,
        (report, exit_status): (Value, Option<i32>),
        kept: Option<(PathBuf, RunId)>,
    ) {
        self.take_small(searches, live.daemon());
        self.take_series(live);
        self.take_profile(live.daemon());
        self.feeders = None;
        self.news.state = RunState::Over;
        self.news.exit_status = exit_status;
        self.news.report = Some(report);
        if let Some((store, run)) = kept {
            self.run.keep_in(&store, &run);
            self.news.run = Some(run.to_string());
        }
        let _ = self.sender.send(self.news);
    }

    fn take_small(&mut self, searches: &Searches, daemon: &Daemon) {
        let status = searches.global().status();
        let news = &mut self.news;
        news.state = if searches.is_paused() { RunState::Paused } else { RunState::Searching };
        news.elapsed = Duration::from_nanos(daemon.now().0.0);
        news.counts = [status.measured, status.waiting];
        news.cost = daemon.cost().now;
        let thresholds = thresholds(searches);
        if thresholds != self.thresholds {
            news.hypotheses = Some(HypothesisRow::all(searches.global().hypotheses()));
            self.thresholds = thresholds;
        }
        let (whole, phases) = self.told.changes(searches);
        whole.hand_over(0, news);
        for (phase, of_phase) in phases {
            of_phase.hand_over(phase.number, news);
            news.phases.push(phase);
        }
    }

    fn take_series(&mut self, live: &Live<Daemon, RealTime>) {
        let daemon = live.daemon();
        let until = daemon.now();
        let own = self.own.iter().filter_map(|pair| {
            Some((SeriesPart::WHOLE_RUN - pair.0, daemon.pair(*pair)?, daemon.histogram(*pair)?))
        });
        let searched = live.measured().map(|(id, pair, histogram)| (id.0, pair, histogram));
        for (part, pair, histogram) in own.chain(searched) {
            let told = self.series.get(&part).copied();
            if let Some(grown) = grown(part, pair, histogram, told, until) {
                let bins = grown.from + grown.bins.len();
                self.series.insert(part, ToldSeries { width: grown.width, bins });
                self.news.series.push(grown);
            }
        }
    }

    fn take_profile(&mut self, daemon: &Daemon) {
        let rows = daemon.profile(View::Full).into_iter().map(profile_row).collect();
        self.news.profile = Some((rows, Some(daemon.messages())));
    }
}

fn thresholds(searches: &Searches) -> Vec<f64> {
    let table = searches.global().hypotheses();
    table.ids().map(|id| table.row(id).threshold).collect()
}

/// The bins of a series that are complete by now and were not handed over. Whoever was told of the others folds them by itself.
fn grown(
    part: u32,
    pair: &Pair,
    histogram: &Histogram,
    told: Option<ToldSeries>,
    until: Time,
) -> Option<SeriesPart> {
    let width = histogram.width();
    // What became a bin together with one that is new is handed over again.
    let as_wide = |told: ToldSeries| usize::try_from(width.0 / told.width.0.max(1)).unwrap_or(0);
    let from = told.map_or(0, |told| told.bins.checked_div(as_wide(told)).unwrap_or(0));
    let complete = until.0.0.min(histogram.known_until().0.0) / width.0;
    let complete = usize::try_from(complete).unwrap_or(usize::MAX);
    let bins = histogram.bins().get(from..complete.min(histogram.bins().len()))?;
    (!bins.is_empty()).then(|| SeriesPart {
        pair: pair.clone(),
        part,
        width,
        from,
        bins: bins.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use whyperf_model::Interval;

    use super::*;

    #[test]
    fn only_new_bins_are_told_after_a_fold_too() {
        let pair = Pair::new(Metric::Wall, Focus::whole_program());
        let mut histogram = Histogram::new(20, Nanos::from_millis(50));
        let mut told = None;
        let mut add = |from: u64, to: u64| {
            let [begin, end] = [from, to].map(Time::from_millis);
            histogram.add(Interval::new(begin, end), 1);
            let part = grown(1, &pair, &histogram, told, end)?;
            told = Some(ToldSeries { width: part.width, bins: part.from + part.bins.len() });
            Some((part.from, part.bins.len(), part.width))
        };
        let narrow = Nanos::from_millis(50);
        assert_eq!(add(0, 120), Some((0, 2, narrow)));
        assert_eq!(add(120, 140), None, "no further bin is complete");
        assert_eq!(add(140, 300), Some((2, 4, narrow)));
        assert_eq!(add(300, 350), Some((6, 1, narrow)));
        assert_eq!(add(350, 1500), Some((3, 12, Nanos::from_millis(100))));
    }
}
