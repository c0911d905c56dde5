//! `whyperf compare`: how and by how much the performance changed from one run to another, and why.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use serde::Serialize;
use whyperf_consultant::{Directives, NameMaps};
use whyperf_experiments::{
    Comparison, ComparisonSettings, JointStructure, Mapped, Operand, OperandOutline, Store,
    compare as compared, map,
};

use crate::experiments::failure_rules::FailureRules;
use crate::experiments::operand::NamedOperand;
use crate::experiments::read_options::ReadOptions;
use crate::experiments::{markdown, text};
use crate::output::delivery::{self, status};
use crate::output::whole_file;
use crate::search::directive_file::DirectiveFile;
use crate::search::inputs;
use crate::search::values::percent;

/// What is compared, and what is called a failure.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Runs, experiments, parts of runs or files of stated results, the reference first; each other is compared with it
    #[arg(value_name = "RUN", num_args = 2.., required = true)]
    pub(crate) operands: Vec<NamedOperand>,
    /// Write the comparison to FILE as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Print Markdown, for a discussion
    #[arg(long)]
    pub(crate) markdown: bool,
    #[command(flatten)]
    pub(crate) rules: FailureRules,
    /// Call things of the first by the names that these directives map them to; may be repeated
    #[arg(long, value_name = "FILE", value_delimiter = ':', value_parser = DirectiveFile::parser())]
    pub(crate) maps: Vec<DirectiveFile>,
    /// Match what is called otherwise by what is known of both, as far as that is sure (see `directives map`)
    #[arg(long)]
    pub(crate) match_renamed: bool,
    /// How sure a difference must be that repeated trials tell, in percent
    #[arg(long, value_name = "PERCENT", default_value = "99", value_parser = percent)]
    pub(crate) confidence: f64,
    /// The smallest difference that matters, in percent, where trials tell their spread
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = percent)]
    pub(crate) least: f64,
    /// The same where there is but one trial on a side
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
    pub(crate) least_of_single: f64,
    /// Into how many parts runs without phases in common are divided
    #[arg(long, value_name = "COUNT", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) parts: u32,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

/// Compares what the request names.
pub(crate) fn compare(request: &Compare) -> Result<ExitCode> {
    let settings = ComparisonSettings {
        confidence: request.confidence,
        least: request.least,
        least_of_single: request.least_of_single,
        parts: request.parts,
    };
    let mut store = None;
    let mut first = request.operands[0].read(&request.reading.store, &mut store)?;
    if let Some(maps) = written_maps(request)? {
        first = first.renamed(&maps);
    }
    let (mut all, mut outcomes) = (Vec::new(), Vec::new());
    let mut others = Vec::new();
    for operand in &request.operands[1..] {
        let mut other = operand.read(&request.reading.store, &mut store)?;
        if request.match_renamed {
            let renamed = matched(store.as_ref(), &request.operands[0], operand)?;
            first = renamed.unwrap_or(first);
        }
        let comparison = compared(&mut first, &mut other, &settings);
        outcomes.extend(request.rules.outcomes(&comparison, &mut first, &mut other));
        all.push(comparison);
        others.push(OperandOutline::of(&other));
    }
    let joint = joint_structure(OperandOutline::of(&first), others);
    if let Some(path) = &request.json {
        write_json(path, &all, joint.as_ref())?;
    }
    let (mut shown, of_all): (Vec<String>, Option<String>) = if request.markdown {
        (all.iter().map(markdown::render).collect(), joint.as_ref().map(markdown::structure_of_all))
    } else {
        let style = request.reading.style();
        let of_all = joint.as_ref().map(|joint| text::structure_of_all(joint, style));
        (all.iter().map(|comparison| text::render(comparison, style)).collect(), of_all)
    };
    shown.extend(of_all.filter(|text| !text.is_empty()));
    let is_printed = delivery::print(&shown.join("\n"));
    Ok(FailureRules::complain(&outcomes).unwrap_or_else(|| status(is_printed)))
}

/// ⊕ of all operands, where they are more than two.
fn joint_structure(first: OperandOutline, others: Vec<OperandOutline>) -> Option<JointStructure> {
    let all: Vec<OperandOutline> = std::iter::once(first).chain(others).collect();
    if all.len() < 3 { None } else { JointStructure::of(&all) }
}

/// The maps of the files of the request.
fn written_maps(request: &Compare) -> Result<Option<NameMaps>> {
    if request.maps.is_empty() {
        return Ok(None);
    }
    let hypotheses = whyperf_consultant::Hypotheses::built_in();
    let directives = inputs::read(&request.maps, &hypotheses)
        .map_err(|mistakes| anyhow::anyhow!("{mistakes}"))?;
    name_maps(&directives).map(Some)
}

fn name_maps(directives: &Directives) -> Result<NameMaps> {
    NameMaps::of(directives).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        anyhow::anyhow!("the maps contradict each other: {}", all.join("; "))
    })
}

/// The first operand anew, in the names that its things have in the other, as far as that is sure.
fn matched(
    store: Option<&Store>,
    first: &NamedOperand,
    other: &NamedOperand,
) -> Result<Option<Operand>> {
    let Some(store) = store else { return Ok(None) };
    let (Some(one), Some(two)) = (first.first_run(store)?, other.first_run(store)?) else {
        return Ok(None);
    };
    let mut earlier = [store.earlier_run(&one)?, store.earlier_run(&two)?];
    earlier.iter_mut().try_for_each(|run| store.read_structure(run))?;
    let pairs = map(&earlier[0], &earlier[1]);
    let maps = name_maps(&Mapped::directives(&pairs, Mapped::SURE))?;
    Ok(Some(first.of_store(store)?.renamed(&maps)))
}

/// One comparison as an object; of several the first is the object, with the others in `more`, and in `all` which operands had what.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    first: &'a Comparison,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    more: &'a [Comparison],
    #[serde(rename = "all", skip_serializing_if = "Option::is_none")]
    joint: Option<&'a JointStructure>,
}

fn write_json(
    path: &std::path::Path,
    all: &[Comparison],
    joint: Option<&JointStructure>,
) -> Result<()> {
    let Some((first, more)) = all.split_first() else { return Ok(()) };
    let text =
        serde_json::to_string_pretty(&Written { first, more, joint }).context("writing JSON")?;
    whole_file::replace(path, &(text + "\n"))
        .with_context(|| format!("writing the comparison to {}", path.display()))
}

/// What `whyperf compare --help` ends with.
pub(crate) const NOTES: &str = "\
An operand is a run (an id, the beginning of one, a tag, latest, latest~1), the trials of an experiment
(experiment:NAME), or results that somebody stated (file:PATH); of runs a part: RUN@phase:2, RUN@phase:NAME,
RUN@25%..50%, RUN@2s..3.5s.

Exit status: 0, or 3 where --fail-if or --fail-on hold, or 125 where the comparison cannot be made.

Examples:
  whyperf compare latest~1 latest                        what changed since the run before
  whyperf compare experiment:old experiment:new          with the spread of the trials of each
  whyperf compare latest@0%..50% latest@50%..100%        two halves of a run
  whyperf compare --fail-if 'wall > +5%' --fail-on new-bottleneck baseline latest";
