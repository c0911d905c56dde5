//! The operands of a comparison, as a user names them.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use whyperf_experiments::{Access, Operand, RunId, RunPart, Selector, StatedResults, Store};
use whyperf_model::Nanos;

/// What a user wrote.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedOperand {
    text: String,
    source: NamedSource,
    part: RunPart,
}

#[derive(Clone, Debug, PartialEq)]
enum NamedSource {
    Run(Selector),
    Experiment(String),
    File(String),
}

impl FromStr for NamedOperand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("file:") {
            let source = NamedSource::File(path.to_owned());
            return Ok(Self { text: text.to_owned(), source, part: RunPart::Whole });
        }
        let (name, part) = match text.rsplit_once('@') {
            Some((name, part)) => (name, parse_part(part)?),
            None => (text, RunPart::Whole),
        };
        let source = match name.strip_prefix("experiment:") {
            Some("") => return Err("which experiment? as in experiment:NAME".to_owned()),
            Some(experiment) => NamedSource::Experiment(experiment.to_owned()),
            None => NamedSource::Run(name.parse()?),
        };
        Ok(Self { text: text.to_owned(), source, part })
    }
}

fn parse_part(text: &str) -> Result<RunPart, String> {
    if let Some(phase) = text.strip_prefix("phase:").filter(|phase| !phase.is_empty()) {
        return Ok(RunPart::Phase(phase.to_owned()));
    }
    let wrong = || {
        format!("expected a part of a run after @, as phase:2, 25%..50% or 2s..3.5s, not '{text}'")
    };
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let shares = [from, to].map(|share| {
        let percent = share.strip_suffix('%')?.parse::<f64>().ok()?;
        (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
    });
    if let [Some(from), Some(to)] = shares {
        return if from < to { Ok(RunPart::Shares(from, to)) } else { Err(wrong()) };
    }
    let times = [from, to].map(|time| {
        let seconds = time.strip_suffix('s')?.parse::<f64>().ok()?;
        let time = Duration::try_from_secs_f64(seconds).ok()?;
        u64::try_from(time.as_nanos()).ok().map(Nanos)
    });
    match times {
        [Some(from), Some(to)] if from < to => Ok(RunPart::Times(from, to)),
        _ => Err(wrong()),
    }
}

impl NamedOperand {
    /// What it stands for; the store is opened when it is first needed.
    pub(super) fn read(&self, path: &Path, store: &mut Option<Store>) -> Result<Operand> {
        if let NamedSource::File(file) = &self.source {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("reading the results that {file} states"))?;
            let results =
                StatedResults::parse(&text).with_context(|| format!("{file} states no results"))?;
            return Ok(Operand::stated(self.text.clone(), results));
        }
        self.of_store(opened(path, store)?)
    }

    /// The same, of runs.
    pub(super) fn of_store(&self, store: &Store) -> Result<Operand> {
        let runs = self.runs(store)?;
        Ok(Operand::of_runs(store, self.text.clone(), &runs, &self.part)?)
    }

    /// Its runs, where it names whole ones.
    pub(super) fn whole_runs(&self, store: &Store) -> Result<Vec<RunId>> {
        if self.part != RunPart::Whole || matches!(self.source, NamedSource::File(_)) {
            bail!("{} names no whole run, as latest or experiment:NAME do", self.text);
        }
        self.runs(store)
    }

    /// Its first run, where it has any.
    pub(super) fn first_run(&self, store: &Store) -> Result<Option<RunId>> {
        Ok(self.runs(store)?.into_iter().next())
    }

    fn runs(&self, store: &Store) -> Result<Vec<RunId>> {
        match &self.source {
            NamedSource::Run(selector) => Ok(vec![store.find(selector)?]),
            NamedSource::Experiment(name) => Ok(store.trials(name)?),
            NamedSource::File(_) => Ok(Vec::new()),
        }
    }
}

/// Opens the store once, for the first operand that needs it.
fn opened<'a>(path: &Path, store: &'a mut Option<Store>) -> Result<&'a Store> {
    if store.is_none() {
        *store = Some(Store::open(path, Access::Read)?);
    }
    Ok(store.as_ref().expect("it was just opened"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_writes_is_understood() {
        let part = |text: &str| text.parse::<NamedOperand>().map(|one| one.part);
        assert_eq!(part("latest"), Ok(RunPart::Whole));
        assert_eq!(part("latest~2@phase:2"), Ok(RunPart::Phase("2".into())));
        assert_eq!(part("0a1b@25%..50%"), Ok(RunPart::Shares(0.25, 0.5)));
        let times = RunPart::Times(Nanos(2_000_000_000), Nanos(3_500_000_000));
        assert_eq!(part("experiment:old@2s..3.5s"), Ok(times));
        assert_eq!(part("file:a@b"), Ok(RunPart::Whole), "a path may hold any letter");
        for wrong in
            ["", "experiment:", "latest@", "latest@phase:", "a@50%..25%", "a@1..2", "a@0%..101%"]
        {
            assert!(part(wrong).is_err(), "{wrong}");
        }
    }
}
