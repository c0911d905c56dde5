//! An earlier run as evidence: the questions of its search, what led to them, and which resources it had.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::NameMaps;
use whyperf_model::{Focus, Hierarchy, Resource};

use super::structure::{CodeStructure, is_function};
use super::tried_dwell_times::TriedDwellTimes;
use crate::error::StoreError;
use crate::record::Record;
use crate::run::{RunId, StoredVerdict};
use crate::store::Store;

/// What a run found out.
#[derive(Clone, Debug)]
pub struct EarlierRun {
    /// Which run.
    pub run: RunId,
    /// When it began, as the store counts time.
    pub(super) started: i64,
    pub(super) questions: BTreeMap<u64, EarlierQuestion>,
    pub(super) resources: Vec<Resource>,
    /// On which machine each process ran, as far as that is known and there is more than one.
    pub(super) placed: BTreeMap<Resource, Resource>,
    /// What it called otherwise: these names are those of another run.
    given: BTreeSet<Resource>,
    /// How its code hangs together, as far as that was [read](Store::read_structure).
    pub(super) structure: CodeStructure,
    /// Processes are called by numbers: so many from zero on are ranks.
    ranks: usize,
    /// Which dwell times were tried, and with what result.
    pub(super) dwell_times: Option<TriedDwellTimes>,
}

/// A question and its answer.
#[derive(Clone, Debug)]
pub(super) struct EarlierQuestion {
    pub(super) hypothesis: String,
    pub(super) focus: Focus,
    pub(super) answer: EarlierVerdict,
    pub(super) value: Option<f64>,
    /// What the value was compared with.
    pub(super) threshold: f64,
    /// The questions that led to it; none for those that are asked whatever comes.
    pub(super) parents: Vec<u64>,
}

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EarlierVerdict {
    True,
    /// True of some processes that do not differ from the others: nothing to learn from.
    Alike,
    False,
    /// Never measured, or without enough evidence.
    Open,
}

impl EarlierRun {
    pub(super) fn short(&self) -> &str {
        self.run.short()
    }

    /// Whether it found anything out.
    #[must_use]
    pub fn was_searched(&self) -> bool {
        self.questions.values().any(|asked| asked.answer != EarlierVerdict::Open)
    }

    /// Whether it met code of the program itself that is not among these functions. Code of libraries is not in a program's file.
    #[must_use]
    pub fn lacks_code_of(&self, functions: &BTreeSet<Resource>) -> bool {
        let own = self.functions().filter(|one| !one.path().contains(".so"));
        !functions.is_empty() && own.into_iter().any(|one| !functions.contains(one))
    }

    /// The functions that it met.
    pub fn functions(&self) -> impl Iterator<Item = &Resource> {
        let met = self.resources.iter();
        met.filter(|one| is_function(one))
    }

    /// How many processes are called by their rank; none in a program without MPI, whose processes may be called by any number.
    pub(super) const fn ranks(&self) -> usize {
        self.ranks
    }

    /// All processes.
    pub(super) fn processes(&self) -> impl Iterator<Item = &Resource> {
        self.resources.iter().filter(|one| is_first(one, Hierarchy::Process))
    }

    /// Whether a process is called by its rank. Process numbers mean nothing to another run.
    pub(super) fn is_rank(&self, process: &Resource) -> bool {
        let rank = process.path().split('/').nth(2).and_then(|rank| rank.parse().ok());
        rank.is_some_and(|rank: usize| rank < self.ranks)
    }

    /// Whether a thing was called so in this run itself.
    pub(super) fn is_own_name(&self, resource: &Resource) -> bool {
        !self.given.contains(resource)
    }

    /// The same run in new names.
    pub(super) fn renamed(mut self, maps: &NameMaps) -> Self {
        let named = self.resources.iter().chain(
            { self.questions.values() }
                .flat_map(|asked| Hierarchy::ALL.map(|one| asked.focus.part(one)))
                .flatten(),
        );
        let given = named.map(|one| (one, maps.renamed(one))).filter(|(old, new)| *old != new);
        self.given.extend(given.map(|(_, new)| new).collect::<BTreeSet<Resource>>());
        for asked in self.questions.values_mut() {
            asked.focus = maps.focus(&asked.focus);
        }
        for resource in &mut self.resources {
            *resource = maps.renamed(resource);
        }
        let placed = std::mem::take(&mut self.placed).into_iter();
        self.placed =
            placed.map(|(one, there)| (maps.renamed(&one), maps.renamed(&there))).collect();
        self
    }
}

impl Store {
    /// What a run found out.
    ///
    /// # Errors
    /// When the store cannot be read or the run is gone.
    pub fn earlier_run(&self, run: &RunId) -> Result<EarlierRun, StoreError> {
        let mut questions: BTreeMap<u64, EarlierQuestion> = self
            .verdicts(run)?
            .into_iter()
            .filter_map(|verdict| Some((verdict.number, asked(verdict)?)))
            .collect();
        for edge in self.edges(run)? {
            if let Some(question) = questions.get_mut(&edge.child) {
                question.parents.push(edge.parent);
            }
        }
        let spans = self.resources(run)?.into_iter();
        let resources: Vec<Resource> = spans.filter_map(|span| span.name.parse().ok()).collect();
        let machines = resources.iter().filter(|one| is_first(one, Hierarchy::Machine)).count();
        let placed = if machines > 1 { self.placed(run)? } else { BTreeMap::new() };
        let query = "SELECT started FROM run WHERE number = $1";
        let started = self.measured(run, query, |row| row.get(0))?.pop().unwrap_or_default();
        Ok(EarlierRun {
            run: run.clone(),
            started,
            questions,
            ranks: ranks(&resources),
            resources,
            placed,
            given: BTreeSet::new(),
            structure: CodeStructure::default(),
            dwell_times: None,
        })
    }
}

impl Store {
    /// Reads how the code of a run hangs together, by which it is known again under other names.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read_structure(&self, of: &mut EarlierRun) -> Result<(), StoreError> {
        let record = self.readable_record(&of.run)?;
        let profile = self.profile(&of.run)?;
        of.structure = CodeStructure::of_run(record.as_ref(), &profile, of.functions());
        Ok(())
    }

    /// The record of a run; none where there is none, or one of a later version.
    fn readable_record(&self, run: &RunId) -> Result<Option<Record>, StoreError> {
        let bytes = self.record_bytes(run)?;
        Ok(bytes.and_then(|(bytes, parts)| Record::parse_with(&bytes, &parts).ok()))
    }

    /// Where the processes of a run ran; nothing where no record says so.
    fn placed(&self, run: &RunId) -> Result<BTreeMap<Resource, Resource>, StoreError> {
        let record = self.readable_record(run)?.unwrap_or_default();
        Ok(record
            .locations
            .into_iter()
            .map(|location| (location.process, location.machine))
            .collect())
    }
}

/// Whether it is a machine, a process or a file of its hierarchy, and no part of one.
pub(super) fn is_first(resource: &Resource, hierarchy: Hierarchy) -> bool {
    resource.hierarchy() == hierarchy && resource.depth() == 1
}

fn ranks(resources: &[Resource]) -> usize {
    let names = resources.iter().filter(|one| is_first(one, Hierarchy::Process));
    let numbers: BTreeSet<&str> = names.map(Resource::name).collect();
    (0..numbers.len()).take_while(|rank| numbers.contains(rank.to_string().as_str())).count()
}

/// None for what a later version may have written and this one cannot read.
fn asked(verdict: StoredVerdict) -> Option<EarlierQuestion> {
    let answer = match verdict.truth.as_str() {
        "true" if verdict.is_alike() => EarlierVerdict::Alike,
        "true" => EarlierVerdict::True,
        "false" if verdict.asked > 0 => EarlierVerdict::False,
        _ => EarlierVerdict::Open,
    };
    Some(EarlierQuestion {
        hypothesis: verdict.hypothesis,
        focus: verdict.focus.parse().ok()?,
        answer,
        value: verdict.value.filter(|value| value.is_finite()),
        threshold: verdict.threshold,
        parents: Vec::new(),
    })
}

#[cfg(test)]
pub(super) mod example {
    //! Runs made of lines: `hypothesis focus answer value parent`.
    use super::*;

    pub(in super::super) fn earlier_run(
        run: &str,
        questions: &[(&str, &str, char, f64, &[u64])],
    ) -> EarlierRun {
        let numbered = (0..).zip(questions);
        let questions = numbered.map(|(number, (hypothesis, focus, answer, value, parents))| {
            let asked = EarlierQuestion {
                hypothesis: (*hypothesis).to_owned(),
                focus: focus.parse().expect("well formed"),
                answer: match answer {
                    't' => EarlierVerdict::True,
                    'a' => EarlierVerdict::Alike,
                    'f' => EarlierVerdict::False,
                    _ => EarlierVerdict::Open,
                },
                value: Some(*value),
                threshold: *value,
                parents: parents.to_vec(),
            };
            (number, asked)
        });
        EarlierRun {
            run: RunId(format!("{run:0<12}")),
            started: 0,
            questions: questions.collect(),
            resources: vec![],
            placed: BTreeMap::new(),
            given: BTreeSet::new(),
            structure: CodeStructure::default(),
            ranks: 0,
            dwell_times: None,
        }
    }

    pub(in super::super) fn with(earlier_run: EarlierRun, resources: &[&str]) -> EarlierRun {
        let resources = resources.iter().map(|name| name.parse().expect("well formed"));
        let resources: Vec<Resource> = resources.collect();
        EarlierRun { ranks: ranks(&resources), resources, ..earlier_run }
    }

    pub(in super::super) fn placed(earlier_run: EarlierRun, pairs: &[(&str, &str)]) -> EarlierRun {
        let name = |name: &str| name.parse().expect("well formed");
        let placed = pairs.iter().map(|(process, machine)| (name(process), name(machine)));
        EarlierRun { placed: placed.collect(), ..earlier_run }
    }
}
