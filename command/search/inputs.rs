//! The inputs of a search: directives from files, and directives learned from earlier runs of the same application.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use whyperf_consultant::{
    Directive, DirectiveError, DirectiveLine, Directives, DirectivesInForce, Hypotheses, NameMaps,
};
use whyperf_experiments::{
    Access, CodeStructure, EarlierRun, History, Mapped, NextRun, Store, Wanted, aligned, extract,
    renamed_for_program,
};
use whyperf_instrument::{Called, ProgramCode};
use whyperf_model::{CodeFilter, Resource};

use crate::output::terminal;
use crate::search::directive_file::DirectiveFile;
use crate::search::dwell_time::DwellTime;
use crate::search::evaluation::{EvaluationOptions, VerdictMethod};
use crate::search::storage::StorageOptions;

/// Directives, and what they mean to the search.
#[derive(Debug)]
pub(crate) struct SearchInputs {
    pub(crate) directives: Directives,
    pub(crate) in_force: DirectivesInForce,
    pub(crate) dwell_time: DwellTime,
    /// What a user should hear of it.
    pub(crate) said: Option<String>,
    /// Why nothing could be learned.
    pub(crate) complaint: Option<String>,
}

/// Runs that are learned from: more of them only repeat each other.
const MOST_RUNS: u32 = 10;
/// So many times as many are looked at: those without a search teach nothing.
const LISTED: u32 = 10;

impl SearchInputs {
    /// What these options tell a search. Files were checked before; what cannot be learned is left out and said.
    pub(crate) fn of(
        storage: &StorageOptions,
        evaluation: &EvaluationOptions,
        hypotheses: &Hypotheses,
    ) -> Self {
        let in_force = DirectivesInForce::default();
        let mut inputs = Self {
            directives: read(&storage.directives, hypotheses).unwrap_or_default(),
            dwell_time: DwellTime::of(evaluation, &in_force),
            in_force,
            said: None,
            complaint: None,
        };
        if storage.learn {
            // A sequential verdict has no dwell time, and one that the user gave need not be learned.
            let tries_dwell_times =
                evaluation.verdict == VerdictMethod::Classic && evaluation.hold.is_none();
            inputs.learn(storage, tries_dwell_times, hypotheses);
        }
        match DirectivesInForce::new(&inputs.directives, hypotheses) {
            Ok(in_force) => inputs.in_force = in_force,
            Err(mistakes) => inputs.complaint = Some(lines(&mistakes)),
        }
        inputs.dwell_time = DwellTime::of(evaluation, &inputs.in_force);
        inputs
    }

    /// Lets nothing be asked about functions that a filter leaves out.
    pub(crate) fn leave_out(&mut self, filter: &Arc<CodeFilter>) {
        self.in_force = std::mem::take(&mut self.in_force).with_filter(filter.clone());
    }

    fn learn(
        &mut self,
        storage: &StorageOptions,
        tries_dwell_times: bool,
        hypotheses: &Hypotheses,
    ) {
        let application = storage.application.as_deref().unwrap_or_default();
        match learned(storage, application, tries_dwell_times, hypotheses) {
            Ok(LearnedDirectives { runs: 0, others, .. }) => {
                let why = if others { ": none was both searched and seen to its end" } else { "" };
                self.said = Some(format!("no earlier run of {application} to learn from{why}"));
            }
            Ok(learned) => {
                let given = self.directives.entries.len();
                let all = joined(std::mem::take(&mut self.directives), &learned, hypotheses);
                self.said = Some(summary(&learned, application, &all.entries[given..]));
                self.directives = all;
            }
            Err(error) => self.complaint = Some(format!("nothing learned: {error:#}")),
        }
    }
}

/// Says what is wrong with files; the status for it.
pub(crate) fn refuse(mistakes: &str) -> Result<ExitCode> {
    for mistake in mistakes.lines() {
        terminal::complain(mistake);
    }
    Ok(ExitCode::from(2))
}

/// What all files say.
pub(crate) fn read(files: &[DirectiveFile], hypotheses: &Hypotheses) -> Result<Directives, String> {
    let mut all = Directives::default();
    for DirectiveFile { name, text } in files {
        let text = text.as_ref().map_err(String::clone)?;
        all.append(Directives::parse(name, text, hypotheses).map_err(|mistakes| lines(&mistakes))?);
    }
    DirectivesInForce::new(&all, hypotheses).map_err(|mistakes| lines(&mistakes))?;
    Ok(all)
}

/// All mistakes, one a line.
pub(crate) fn lines(mistakes: &[DirectiveError]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What earlier runs teach.
#[derive(Default)]
struct LearnedDirectives {
    /// How many they were.
    runs: usize,
    /// Whether there are runs that teach nothing.
    others: bool,
    /// Which of their names are other ones now.
    maps: Vec<Mapped>,
    directives: Directives,
}

fn learned(
    storage: &StorageOptions,
    application: &str,
    tries_dwell_times: bool,
    hypotheses: &Hypotheses,
) -> Result<LearnedDirectives> {
    if !storage.store.exists() {
        return Ok(LearnedDirectives::default());
    }
    let store = Store::open(&storage.store, Access::Read)?;
    let application = Some(application.to_owned());
    let most = Some(MOST_RUNS * LISTED);
    let history = |complete| History { application: application.clone(), most, complete };
    let mut pasts = Vec::new();
    for run in store.runs(&history(true))? {
        let mut past = store.earlier_run(&run.id)?;
        if !past.was_searched() {
            continue;
        }
        if tries_dwell_times {
            store.try_dwell_times(&mut past, hypotheses)?;
        }
        pasts.push(past);
        if pasts.len() == MOST_RUNS as usize {
            break;
        }
    }
    let others = pasts.is_empty() && !store.runs(&history(false))?.is_empty();
    let program = storage.program.as_deref().and_then(ProgramCode::of);
    let functions = program.as_ref().map(ProgramCode::functions);
    read_structures(&store, &mut pasts, functions.as_ref())?;
    // The next run is likeliest to be like the latest: what others called differently is called as there.
    let (pasts, maps) = aligned(pasts);
    let mut directives = extract(&pasts, Wanted::UNASKED, hypotheses);
    let mut renamed = Vec::new();
    if let Some(latest) = pasts.first() {
        let functions = functions.unwrap_or_default();
        let lacks = latest.lacks_code_of(&functions);
        let structure = program.filter(|_| lacks).map(|program| structure(&program));
        let next = NextRun {
            functions: &functions,
            structure: &structure.unwrap_or_default(),
            ranks: storage.ranks,
        };
        (directives, renamed) = renamed_for_program(&directives, latest, &next);
    }
    let maps = maps.into_iter().chain(renamed).collect();
    Ok(LearnedDirectives { runs: pasts.len(), others, maps, directives })
}

/// How code hangs together is read where names differ alone.
fn read_structures(
    store: &Store,
    pasts: &mut [EarlierRun],
    functions: Option<&BTreeSet<Resource>>,
) -> Result<()> {
    let Some((latest, older)) = pasts.split_first_mut() else { return Ok(()) };
    let mut is_needed = functions.is_some_and(|functions| latest.lacks_code_of(functions));
    let there: BTreeSet<Resource> = latest.functions().cloned().collect();
    for past in older.iter_mut().filter(|past| past.lacks_code_of(&there)) {
        store.read_structure(past)?;
        is_needed = true;
    }
    if is_needed {
        store.read_structure(latest)?;
    }
    Ok(())
}

fn structure(program: &ProgramCode) -> CodeStructure {
    let mut structure = CodeStructure::default();
    for (caller, called) in program.calls() {
        match called {
            Called::Function(callee) => structure.add_call(&caller, &callee),
            Called::Imported(name) => structure.add_wrapped(&caller, &name),
        }
    }
    structure
}

/// What a person wrote, and of the lesson what does not contradict it.
fn joined(given: Directives, learned: &LearnedDirectives, hypotheses: &Hypotheses) -> Directives {
    let maps = NameMaps::of(&given).unwrap_or_default();
    let asked = DirectivesInForce::new(&given, hypotheses).unwrap_or_default();
    let subject = |directive: &Directive| maps.directive(directive).subject();
    let mut known: BTreeSet<String> =
        given.entries.iter().map(|entry| subject(&entry.directive)).collect();
    let mut all = given;
    for entry in &learned.directives.entries {
        let one = Directives { entries: vec![entry.clone()], ..Directives::default() };
        let is_prune = matches!(entry.directive, Directive::Prune { .. });
        let takes_away = is_prune
            && DirectivesInForce::new(&one, hypotheses)
                .is_ok_and(|prune| asked.is_pruned_by(&prune));
        if !takes_away && known.insert(subject(&entry.directive)) {
            all.push(entry.directive.clone(), entry.comment.clone());
        }
    }
    all
}

fn summary(learned: &LearnedDirectives, application: &str, used: &[DirectiveLine]) -> String {
    let count =
        |is: fn(&Directive) -> bool| used.iter().filter(|entry| is(&entry.directive)).count();
    let LearnedDirectives { runs, maps, directives, .. } = learned;
    let dropped = match directives.dropped.len() {
        0 => String::new(),
        dropped => format!(", {dropped} dropped that a later run contradicts"),
    };
    let runs = if *runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
    let dwell_time = used.iter().find_map(|entry| match &entry.directive {
        Directive::DwellTime(_) => Some(format!(", {}", entry.directive)),
        _ => None,
    });
    format!(
        "learned from {runs} of {application}: {} priorities, {} prunes{dropped}, {}{}",
        count(|one| matches!(one, Directive::Priority { .. })),
        count(|one| matches!(one, Directive::Prune { .. })),
        told(maps),
        dwell_time
            .map(|dwell_time| dwell_time.split_whitespace().collect::<Vec<_>>().join(" "))
            .unwrap_or_default(),
    )
}

/// How many names are other ones now, and the surest of them by name.
fn told(maps: &[Mapped]) -> String {
    let likely = maps.iter().filter(|one| !one.is_sure()).count();
    let likely = match likely {
        0 => String::new(),
        likely => format!("{likely} likely, "),
    };
    let surest = maps.iter().max_by(|one, other| one.confidence.total_cmp(&other.confidence));
    let Some(surest) = surest else { return "0 maps".to_owned() };
    let number = if maps.len() == 1 { "1 map".to_owned() } else { format!("{} maps", maps.len()) };
    let Mapped { from, to, .. } = surest;
    format!("{number} for the order of questions ({likely}such as {from} to {to})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wrote_wins_over_what_was_learned() {
        let hypotheses = Hypotheses::built_in();
        let read = |lines: &str| {
            let text = format!("whyperf directives 1\n{lines}\n");
            Directives::parse("file", &text, &hypotheses).expect("well formed")
        };
        let given = "map /Code/a.c /Code/b.c\npriority low CPUbound </Code/b.c/f>\n\
                     priority high CPUbound </Code/b.c/g>";
        let learned = "priority high CPUbound </Code/a.c/f>\nprune CPUbound /Code/b.c/g\n\
                       prune CPUbound /Code/b.c/h";
        let learned =
            LearnedDirectives { directives: read(learned), ..LearnedDirectives::default() };
        let all = joined(read(given), &learned, &hypotheses);
        let added: Vec<String> =
            all.entries[3..].iter().map(|entry| entry.directive.to_string()).collect();
        assert_eq!(added, ["prune     CPUbound  /Code/b.c/h"]);
        DirectivesInForce::new(&all, &hypotheses).expect("they agree");
    }
}
