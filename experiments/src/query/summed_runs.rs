//! Answers by what the threads of a run came to together, which a store keeps beside the record: nothing else of a run is read.
//!
//! Runs of one program mostly have the same shape, and what a question means in it is found out once.

use std::collections::HashMap;

use whyperf_model::{Focus, Hierarchy, Pair};

use super::grammar::Query;
use super::run_answer::{RunAnswer, values_of};
use crate::comparison::RunPart;
use crate::database::{Parameter, params};
use crate::error::StoreError;
use crate::record::{KindSums, RunShape};
use crate::run::{RunId, Summary};
use crate::run_results::RunResults;
use crate::store::Store;

/// What answers a question in runs of which such sums are kept.
pub(super) struct SumAnswers<'a> {
    query: &'a Query,
    /// Whether sums of all threads over all of a run may answer it.
    is_for_sums: bool,
    /// By digest.
    shapes: HashMap<Vec<u8>, Option<AskedShape>>,
}

/// A run as its sums are kept.
pub(super) struct SummedRun {
    ranks: u32,
    digest: Vec<u8>,
    sums: Vec<u8>,
    /// Whether it has a report, which may tell of stack samples.
    is_reported: bool,
}

/// What a question means in runs of one shape.
struct AskedShape {
    results: RunResults,
    /// None where they have nothing that the focus names.
    focus: Option<Focus>,
}

impl<'a> SumAnswers<'a> {
    /// So many runs are read at once: a server is waited for once for all of them.
    pub(super) const AT_ONCE: usize = 64;

    /// More shapes than this are not remembered.
    const SHAPES: usize = 16;

    pub(super) fn new(query: &'a Query) -> Self {
        let threads = [Hierarchy::Process, Hierarchy::Machine];
        let is_of_all = threads.into_iter().all(|one| query.focus.is_root(one));
        let is_for_sums = is_of_all && query.part == RunPart::Whole;
        Self { query, is_for_sums, shapes: HashMap::new() }
    }

    /// Those of some runs, at most [`Self::AT_ONCE`], whose sums may answer, and what is not known of their shapes yet.
    pub(super) fn read(
        &mut self,
        store: &Store,
        runs: &[Summary],
    ) -> Result<HashMap<RunId, SummedRun>, StoreError> {
        let runs: Vec<&RunId> = runs.iter().map(|summary| &summary.id).collect();
        if !self.is_for_sums {
            return Ok(HashMap::new());
        }
        let found = store.summed_runs(&runs)?;
        if self.shapes.len() > Self::SHAPES {
            self.shapes.clear();
        }
        for (run, summed) in &found {
            if !self.shapes.contains_key(&summed.digest) {
                let shape = store.shape(run)?.map(|shape| AskedShape::new(shape, self.query));
                self.shapes.insert(summed.digest.clone(), shape);
            }
        }
        Ok(found)
    }

    /// What a run answers; none where its sums do not tell.
    pub(super) fn tell(&mut self, run: &SummedRun) -> Option<RunAnswer> {
        // Functions that samples tell of are told by the report alone.
        if run.is_reported && !self.query.focus.is_root(Hierarchy::Code) {
            return None;
        }
        let AskedShape { results, focus } = self.shapes.get_mut(&run.digest)?.as_mut()?;
        let ranks = run.ranks;
        let Some(focus) = focus else { return Some(RunAnswer { ranks, values: None }) };
        let mut pairs = self.query.metrics.iter().map(|metric| Pair::new(*metric, focus.clone()));
        if !pairs.all(|pair| results.is_told_by_sums(&pair)) {
            return None;
        }
        results.set_sums(&KindSums::parse(&run.sums)?);
        let values = values_of(self.query, results, focus);
        Some(RunAnswer { ranks, values: Some(values) })
    }
}

impl AskedShape {
    fn new(shape: RunShape, query: &Query) -> Self {
        let focus = query.focus.of(&shape.event);
        Self { results: RunResults::of_shape(shape), focus }
    }
}

impl Store {
    fn summed_runs(&self, runs: &[&RunId]) -> Result<HashMap<RunId, SummedRun>, StoreError> {
        let places: Vec<String> =
            (1..=SumAnswers::AT_ONCE).map(|number| format!("${number}")).collect();
        let query = format!(
            "SELECT run.id, run.processes, run_sums.digest, run_sums.sums, \
             CASE WHEN EXISTS (SELECT 1 FROM report WHERE report.run = run.number) THEN 1 ELSE 0 END \
             FROM run JOIN run_sums ON run_sums.run = run.number \
             WHERE run.source IS NULL AND run.id IN ({})",
            places.join(", ")
        );
        let Some(last) = runs.last() else { return Ok(HashMap::new()) };
        // One statement for however many runs: places that are left over name the last run again.
        let named = (0..SumAnswers::AT_ONCE).map(|at| runs.get(at).unwrap_or(last));
        let parameters: Vec<&dyn Parameter> = named.map(|run| &run.0 as &dyn Parameter).collect();
        let found = self.rows("reading sums of runs", &query, &parameters, |row| {
            let (digest, sums) = (row.get(2)?, row.get(3)?);
            let (ranks, is_reported) = (row.get(1)?, row.get(4)?);
            Ok((RunId(row.get(0)?), SummedRun { ranks, digest, sums, is_reported }))
        })?;
        Ok(found.into_iter().collect())
    }

    /// The shape of a run; none where it makes no sense to this whyperf.
    fn shape(&self, run: &RunId) -> Result<Option<RunShape>, StoreError> {
        let query = "SELECT run_sums.shape FROM run_sums JOIN run ON run.number = run_sums.run WHERE run.id = $1";
        let bytes: Option<Vec<u8>> =
            self.rows("reading the shape of a run", query, params![run.0], |row| row.get(0))?.pop();
        Ok(bytes.and_then(|bytes| RunShape::parse(&bytes)))
    }
}
