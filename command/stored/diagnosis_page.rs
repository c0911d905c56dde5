//! The page of a diagnosis: it shows the search while that goes through a run that is over, and stays until Ctrl-C.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;
use whyperf_consultant::{Directives, Searches};
use whyperf_experiments::{StepRow, Store, Summary};
use whyperf_viewer::{
    HypothesisRow, RunChange, RunHead, RunState, Shown, ViewAddress, ViewServer, ViewedRun,
};

use crate::measuring::told_questions::ToldQuestions;
use crate::output::page_server::{self, Interruption, PageOptions};
use crate::output::terminal::Screen;
use crate::stored::messages::StoredMessages;

/// Feeds the page of a diagnosis.
pub(crate) struct DiagnosisPage {
    run: Arc<ViewedRun>,
    server: ViewServer,
    told: ToldQuestions,
    /// How many steps were handed over.
    steps: usize,
    /// How long the run took that is gone through.
    elapsed: Duration,
    next: Instant,
}

/// Between two changes.
const INTERVAL: Duration = Duration::from_millis(200);

impl DiagnosisPage {
    /// Serves the page of a diagnosis of this run, of which nothing is found yet.
    pub(crate) fn serve(
        (store, source): (&Store, &Summary),
        searches: &Searches,
        directives: &Directives,
        (address, options): (&ViewAddress, &PageOptions),
    ) -> Result<Self> {
        let head = head(store, source, searches, directives)?;
        let run = Arc::new(ViewedRun::live(head));
        run.keep_in(store.place(), &source.id);
        let elapsed = Duration::try_from_secs_f64(source.elapsed_s).unwrap_or_default();
        // What was there is known from the beginning on.
        run.apply(RunChange {
            resources: store.resources(&source.id)?,
            profile: Some((
                store.profile(&source.id)?,
                StoredMessages::of(store, &source.id)?.table(),
            )),
            ..RunChange::new(RunState::Searching, elapsed)
        });
        let shown = Shown { runs: vec![Arc::clone(&run)], commands: None };
        let server = page_server::serve(shown, address, options)?;
        let (told, next) = (ToldQuestions::default(), Instant::now());
        Ok(Self { run, server, told, steps: 0, elapsed, next })
    }

    /// Says where it is.
    pub(crate) fn tell(&self, options: &PageOptions, screen: &mut Screen) {
        page_server::tell(&self.server, options, screen);
    }

    /// Hands over what is new, if it is time.
    pub(crate) fn tell_if_due(&mut self, searches: &Searches, steps: &[StepRow]) {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + INTERVAL;
            let change = self.change(RunState::Searching, searches, steps);
            self.run.apply(change);
        }
    }

    /// Hands over the rest with the report, and stays until the user has seen enough.
    pub(crate) fn stay(
        mut self,
        searches: &Searches,
        steps: &[StepRow],
        (report, kept): (Value, Option<String>),
        screen: &mut Screen,
    ) -> Result<()> {
        let mut change = self.change(RunState::Over, searches, steps);
        change.report = Some(report);
        change.run = kept;
        self.run.apply(change);
        let interruption = Interruption::listen()?;
        let url = self.server.url();
        screen.say(&format!(
            "whyperf  the diagnosis is made; its page stays at {url} until Ctrl-C\n"
        ));
        interruption.wait();
        Ok(())
    }

    fn change(&mut self, state: RunState, searches: &Searches, steps: &[StepRow]) -> RunChange {
        let mut change = RunChange::new(state, self.elapsed);
        let status = searches.global().status();
        change.counts = [status.measured, status.waiting];
        let (whole, phases) = self.told.changes(searches);
        whole.hand_over(0, &mut change);
        for (phase, of_phase) in phases {
            of_phase.hand_over(phase.number, &mut change);
            change.phases.push(phase);
        }
        change.steps = steps[self.steps.min(steps.len())..].to_vec();
        self.steps = steps.len();
        change
    }
}

/// What is known of a diagnosis before it is made.
fn head(
    store: &Store,
    source: &Summary,
    searches: &Searches,
    directives: &Directives,
) -> Result<RunHead> {
    let names = [&*source.application, &*source.experiment, &*source.trial];
    Ok(RunHead {
        diagnosis_of: Some(source.id.to_string()),
        names: names.map(str::to_owned),
        started: source.started.clone(),
        command: source.command.to_vec(),
        tags: source.tags.clone(),
        facts: store.facts(&source.id)?,
        objects: store.objects(&source.id)?,
        directives: directives.to_string().lines().skip(1).map(str::to_owned).collect(),
        hypotheses: HypothesisRow::all(searches.global().hypotheses()),
        ..RunHead::default()
    })
}
