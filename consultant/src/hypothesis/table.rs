//! Hypotheses as text: the table that is shipped, and what a user adds to it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use toml::Spanned;
use whyperf_model::{Hierarchy, Metric};

use super::{
    Hypotheses, Hypothesis, HypothesisId, Normalizer, Operator, Refinement, ThresholdFault,
    ValueUnit,
};
use crate::text_position::TextPosition;

/// A mistake in a table of hypotheses, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct HypothesisError {
    /// Where.
    pub place: TextPosition,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with hypotheses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// It is no TOML, or has keys that it should not have; in the reader's words.
    Text(String),
    /// The name is empty, or cannot stand in a directive.
    Name(String),
    /// A hypothesis of this name is there already.
    Duplicate(String),
    /// No hypothesis is called as the parent is.
    Parent(String),
    /// Its parents lead back to it.
    Cycle(String),
    /// Not two metrics with a stroke between them, nor the name of such a ratio.
    Ratio(String),
    /// No name that a ratio can have.
    MetricName(String),
    /// No metric is called so.
    Metric(String),
    /// One word that is none of these.
    Choice(String, &'static str),
    /// Not a value in the unit of the metrics, or none that values can pass.
    Threshold(ThresholdFault),
    /// What some processes have more than others is no whole to have a share of.
    Compared(String),
    /// Not a number of this unit, or in a row that is true above its threshold.
    Rate(ThresholdFault),
}

impl Hypotheses {
    /// The table that is shipped, as text.
    pub const SHIPPED: &'static str = include_str!("shipped.toml");

    /// Adds the rows of a file.
    ///
    /// # Errors
    /// All mistakes of the file; then nothing of it is added.
    pub fn extend(&mut self, file: &str, text: &str) -> Result<(), Vec<HypothesisError>> {
        let mut reader = TableReader { file, text, ratios: BTreeMap::new() };
        let table: HypothesisTable = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            vec![reader.error(start, Fault::Text(error.message().to_owned()))]
        })?;
        let mut faults: Vec<_> =
            table.metric.iter().filter_map(|row| reader.define(row).err()).collect();
        let mut extended = self.clone();
        for row in &table.hypothesis {
            match reader.hypothesis(row) {
                Ok(hypothesis) if extended.named(&hypothesis.name).is_some() => {
                    let fault = Fault::Duplicate(hypothesis.name.into_owned());
                    faults.push(reader.error(row.name.span().start, fault));
                }
                Ok(hypothesis) => extended.rows.push(hypothesis),
                Err(fault) => faults.push(fault),
            }
        }
        faults.extend(reader.adopt(&table, &mut extended));
        if faults.is_empty() {
            *self = extended;
            Ok(())
        } else {
            Err(faults)
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HypothesisTable {
    #[serde(default)]
    metric: Vec<MetricRow>,
    #[serde(default)]
    hypothesis: Vec<TableRow>,
}

/// A ratio with a name, for the hypotheses of its file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricRow {
    name: Spanned<String>,
    ratio: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableRow {
    name: Spanned<String>,
    parent: Option<Spanned<String>>,
    metric: Spanned<String>,
    normalization: Option<Spanned<String>>,
    operator: Spanned<String>,
    threshold: Spanned<Threshold>,
    least: Option<f64>,
    rate: Option<Spanned<String>>,
    hierarchies: Option<Vec<Spanned<String>>>,
    policy: Option<Spanned<String>>,
    rank: Option<u8>,
    meaning: String,
    advice: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Threshold {
    Number(f64),
    Text(String),
}

/// A file while it is read.
struct TableReader<'text> {
    file: &'text str,
    text: &'text str,
    /// The ratios that the file has given names to.
    ratios: BTreeMap<String, (Metric, Metric)>,
}

impl TableReader<'_> {
    fn hypothesis(&self, row: &TableRow) -> Result<Hypothesis, HypothesisError> {
        let (numerator, denominator) = self.ratio(&row.metric)?;
        let operator = self.choice(&row.operator, "'>' and '<'", |word| match word {
            ">" => Some(Operator::Above),
            "<" => Some(Operator::Below),
            _ => None,
        })?;
        let name = row.name.get_ref();
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || "*!#".contains(c)) {
            return Err(self.error(row.name.span().start, Fault::Name(name.clone())));
        }
        Ok(Hypothesis {
            name: Cow::Owned(name.clone()),
            parent: None,
            numerator,
            denominator,
            normalizer: self.normalizer(row)?,
            operator,
            threshold: self.threshold(row, ValueUnit::of(numerator, denominator))?,
            least: row.least.unwrap_or_default().max(0.0),
            rate: self.rate(row, denominator)?,
            pruned: Cow::Owned(self.pruned(row)?),
            refinement: self.refinement(row)?,
            rank: row.rank.unwrap_or(u8::MAX),
            meaning: Cow::Owned(row.meaning.clone()),
            advice: Cow::Owned(row.advice.clone()),
        })
    }

    /// A name must not be one of a metric, nor look like a ratio.
    fn define(&mut self, row: &MetricRow) -> Result<(), HypothesisError> {
        let ratio = self.ratio(&row.ratio)?;
        let name = row.name.get_ref();
        let is_odd = name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '/');
        if is_odd || name.parse::<Metric>().is_ok() || self.ratios.contains_key(name) {
            return Err(self.error(row.name.span().start, Fault::MetricName(name.clone())));
        }
        self.ratios.insert(name.clone(), ratio);
        Ok(())
    }

    fn ratio(&self, text: &Spanned<String>) -> Result<(Metric, Metric), HypothesisError> {
        if let Some(ratio) = self.ratios.get(text.get_ref()) {
            return Ok(*ratio);
        }
        let start = text.span().start;
        let Some((above, below)) = text.get_ref().split_once('/') else {
            return Err(self.error(start, Fault::Ratio(text.get_ref().clone())));
        };
        let metric = |name: &str| {
            let name = name.trim();
            name.parse::<Metric>().map_err(|_| self.error(start, Fault::Metric(name.to_owned())))
        };
        let (above, below) = (metric(above)?, metric(below)?);
        if below.definition().aggregation.compares() {
            return Err(self.error(start, Fault::Compared(below.to_string())));
        }
        Ok((above, below))
    }

    fn normalizer(&self, row: &TableRow) -> Result<Normalizer, HypothesisError> {
        let Some(word) = &row.normalization else { return Ok(Normalizer::Processes) };
        self.choice(word, "'processes' and 'focus'", |word| match word {
            "processes" => Some(Normalizer::Processes),
            "focus" => Some(Normalizer::SameFocus),
            _ => None,
        })
    }

    fn refinement(&self, row: &TableRow) -> Result<Refinement, HypothesisError> {
        let Some(word) = &row.policy else { return Ok(Refinement::WhyAndWhere) };
        let all = "why-and-where, where-and-why, why-only, where-only, why-before-where and where-before-why";
        self.choice(word, all, |word| match word {
            "why-and-where" => Some(Refinement::WhyAndWhere),
            "where-and-why" => Some(Refinement::WhereAndWhy),
            "why-only" => Some(Refinement::WhyOnly),
            "where-only" => Some(Refinement::WhereOnly),
            "why-before-where" => Some(Refinement::WhyBeforeWhere),
            "where-before-why" => Some(Refinement::WhereBeforeWhy),
            _ => None,
        })
    }

    /// All hierarchies but those that are named.
    fn pruned(&self, row: &TableRow) -> Result<Vec<Hierarchy>, HypothesisError> {
        let Some(words) = &row.hierarchies else { return Ok(Vec::new()) };
        let mut named = BTreeSet::new();
        for word in words {
            named.insert(self.choice(
                word,
                "Code, Machine, Process, SyncObject, File and UserEvent",
                |word| Hierarchy::ALL.into_iter().find(|hierarchy| hierarchy.name() == word),
            )?);
        }
        Ok(Hierarchy::ALL.into_iter().filter(|hierarchy| !named.contains(hierarchy)).collect())
    }

    /// Shares are numbers or percentages; other values carry the unit of their metrics, so that the row says what it compares.
    fn threshold(&self, row: &TableRow, unit: ValueUnit) -> Result<f64, HypothesisError> {
        let text = match row.threshold.get_ref() {
            Threshold::Number(value) => value.to_string(),
            Threshold::Text(text) => text.clone(),
        };
        let fault = |fault| self.error(row.threshold.span().start, Fault::Threshold(fault));
        with_unit(unit, &text).map_err(fault)
    }

    /// Of the divisor, per second and process.
    fn rate(&self, row: &TableRow, of: Metric) -> Result<f64, HypothesisError> {
        let Some(text) = &row.rate else { return Ok(0.0) };
        let fault = |fault| self.error(text.span().start, Fault::Rate(fault));
        with_unit(Hypothesis::rate_unit(of), text.get_ref()).map_err(fault)
    }

    fn choice<T>(
        &self,
        word: &Spanned<String>,
        all: &'static str,
        find: impl Fn(&str) -> Option<T>,
    ) -> Result<T, HypothesisError> {
        let fault = || Fault::Choice(word.get_ref().clone(), all);
        find(word.get_ref()).ok_or_else(|| self.error(word.span().start, fault()))
    }

    /// Finds the parents of new rows, once all names are known.
    fn adopt(&self, table: &HypothesisTable, extended: &mut Hypotheses) -> Vec<HypothesisError> {
        let mut faults = Vec::new();
        for row in &table.hypothesis {
            let (Some(parent), Some(id)) = (&row.parent, extended.named(row.name.get_ref())) else {
                continue;
            };
            match extended.named(parent.get_ref()) {
                Some(found) => extended.rows[id.0].parent = Some(found),
                None => {
                    let fault = Fault::Parent(parent.get_ref().clone());
                    faults.push(self.error(parent.span().start, fault));
                }
            }
        }
        for row in &table.hypothesis {
            let name = row.name.get_ref();
            if extended.named(name).is_some_and(|id| is_circular(extended, id)) {
                let fault = Fault::Cycle(name.clone());
                faults.push(self.error(row.name.span().start, fault));
            }
        }
        faults
    }

    fn error(&self, at: usize, fault: Fault) -> HypothesisError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        HypothesisError { place: TextPosition { file: self.file.into(), line, column }, fault }
    }
}

/// Going up takes at most as many steps as there are rows.
fn is_circular(table: &Hypotheses, id: HypothesisId) -> bool {
    let up = std::iter::successors(Some(id), |id| table.row(*id).parent);
    up.take(table.rows.len() + 1).count() > table.rows.len()
}

impl fmt::Display for HypothesisError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.fault)
    }
}

impl std::error::Error for HypothesisError {}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(message) => write!(out, "{message}"),
            Self::Name(name) => {
                write!(out, "{name:?} is no name: it must be one word without '*', '!' and '#'")
            }
            Self::Duplicate(name) => write!(out, "there is a hypothesis '{name}' already"),
            Self::Parent(name) => {
                write!(
                    out,
                    "there is no hypothesis '{name}' to be below; `whyperf hypotheses` prints all"
                )
            }
            Self::Cycle(name) => write!(out, "the parents of '{name}' lead back to it"),
            Self::Ratio(text) => {
                write!(out, "'{text}' is no ratio of two metrics such as 'sync_wait / wall'")
            }
            Self::MetricName(name) => write!(
                out,
                "a metric cannot be named {name:?}: it must be one word without '/' that names no other metric"
            ),
            Self::Metric(name) => {
                let all = Metric::ALL.map(|metric| metric.definition().name).join(", ");
                write!(out, "there is no metric '{name}'; there are {all}")
            }
            Self::Choice(word, all) => write!(out, "'{word}' is none of {all}"),
            Self::Threshold(fault) => write!(out, "the threshold: {}", fault.told(in_toml)),
            Self::Compared(name) => write!(
                out,
                "'{name}' is what some processes have more than others; divide by what all of them have"
            ),
            Self::Rate(fault) => write!(out, "the rate: {}", fault.told(in_toml)),
        }
    }
}

/// A value that values of a unit can pass; what is no share carries its unit.
fn with_unit(unit: ValueUnit, text: &str) -> Result<f64, ThresholdFault> {
    let has_no_unit = matches!(unit, ValueUnit::Per(..)) && text.trim().parse::<f64>().is_ok();
    if has_no_unit {
        return Err(ThresholdFault::Unreadable(text.to_owned(), unit));
    }
    unit.read_passable(text)
}

/// A value as it is written in a table: a text, unless it is a number.
fn in_toml(value: &str) -> String {
    if value.parse::<f64>().is_ok() { value.to_owned() } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "[[hypothesis]]\nname = \"Chatty\"\nparent = \"ExcessiveSyncWaitingTime\"\n\
        metric = \"msg_bytes_sent / msgs\"\noperator = \"<\"\nthreshold = \"512 B/ops\"\n\
        policy = \"why-only\"\nmeaning = \"small messages\"\nadvice = \"send fewer\"\n";

    fn faults(text: &str) -> Vec<String> {
        let mut table = Hypotheses::built_in();
        let before = table.clone();
        let faults = table.extend("h.toml", text).expect_err("wrong");
        assert_eq!(table, before, "half of it was added");
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_row_is_added_below_a_shipped_one() {
        let mut table = Hypotheses::built_in();
        table.extend("h.toml", ROW).expect("right");
        let row = table.row(table.named("Chatty").expect("added"));
        assert_eq!(row.parent, table.named("ExcessiveSyncWaitingTime"));
        assert_eq!((row.threshold, row.operator), (512.0, Operator::Below));
        assert_eq!((row.refinement, row.rank), (Refinement::WhyOnly, u8::MAX));
    }

    #[test]
    fn each_fault_is_told_with_its_place() {
        let with = |old: &str, new: &str| faults(&ROW.replace(old, new));
        let told = with("msgs", "message");
        let [told] = told.as_slice() else { panic!("{told:?}") };
        assert!(
            told.starts_with("h.toml:4:10: there is no metric 'message'; there are wall, cpu, ")
        );
        assert_eq!(
            with(" / msgs", ""),
            ["h.toml:4:10: 'msg_bytes_sent' is no ratio of two metrics such as 'sync_wait / wall'"]
        );
        let wanted = |given: &str| {
            [format!(
                "h.toml:6:13: the threshold: '{given}' is no number in B/ops; write \"512 B/ops\""
            )]
        };
        assert_eq!(with("512 B/ops", "512 ns"), wanted("512 ns"));
        assert_eq!(with("\"512 B/ops\"", "512"), wanted("512"));
        let wanted = "h.toml:6:13: the threshold: '-1 B/ops' is a value that nothing passes: it must be above 0; write \"512 B/ops\"";
        assert_eq!(with("512 B/ops", "-1 B/ops"), [wanted]);
        assert_eq!(
            with("why-only", "why"),
            [
                "h.toml:7:10: 'why' is none of why-and-where, where-and-why, why-only, where-only, why-before-where and where-before-why"
            ]
        );
        assert_eq!(
            with("ExcessiveSync", "Sync"),
            [
                "h.toml:3:10: there is no hypothesis 'SyncWaitingTime' to be below; `whyperf hypotheses` prints all"
            ]
        );
        assert_eq!(
            with("Chatty", "CPUbound"),
            ["h.toml:2:8: there is a hypothesis 'CPUbound' already"]
        );
        assert_eq!(
            with("ExcessiveSyncWaitingTime", "Chatty"),
            ["h.toml:2:8: the parents of 'Chatty' lead back to it"]
        );
        let no_number = "is no number in ops/s";
        let nothing_passes = "is a value that nothing passes: it must be above 0";
        for (rate, wanted) in [
            ("1000", no_number),
            ("1000 B/s", no_number),
            ("-1 ops/s", nothing_passes),
            ("inf ops/s", nothing_passes),
        ] {
            let rated = format!("policy\"\nrate = \"{rate}\"\npolicy");
            let rated = with("policy", rated.trim_start_matches("policy\"\n"));
            let wanted = format!("h.toml:7:8: the rate: '{rate}' {wanted}; write \"512 ops/s\"");
            assert_eq!(rated, [wanted]);
        }
        assert_eq!(
            with("msg_bytes_sent / msgs", "sync_wait / late_wait"),
            [
                "h.toml:4:10: 'late_wait' is what some processes have more than others; divide by what all of them have"
            ]
        );
        assert!(with("operator", "operatr")[0].starts_with("h.toml:5:1: unknown field"));
        assert!(with("name = \"Chatty\"", "name = ")[0].starts_with("h.toml:2:"));
    }

    #[test]
    fn a_ratio_is_named_once_and_used_by_the_rows_of_its_file() {
        let named = |name: &str| {
            let row = ROW.replace("msg_bytes_sent / msgs", name);
            format!("[[metric]]\nname = \"{name}\"\nratio = \"msg_bytes_sent / msgs\"\n{row}")
        };
        let (mut table, mut plain) = (Hypotheses::built_in(), Hypotheses::built_in());
        table.extend("h.toml", &named("message_size")).expect("right");
        plain.extend("h.toml", ROW).expect("right");
        assert_eq!(table, plain);
        for name in ["wall", "a/b", "two words", ""] {
            assert!(faults(&named(name))[0].starts_with("h.toml:2:8: a metric cannot"), "{name}");
        }
        let twice = "[[metric]]\nname = \"m\"\nratio = \"cpu / wall\"\n".repeat(2);
        assert!(faults(&twice)[0].starts_with("h.toml:5:8: a metric cannot be named \"m\""));
        let odd = "[[metric]]\nname = \"m\"\nratio = \"cpu\"\n";
        assert!(faults(odd)[0].starts_with("h.toml:3:9: 'cpu' is no ratio"));
    }

    #[test]
    fn shares_are_numbers_or_percentages() {
        let share = |threshold: &str| {
            let text = ROW.replace("msg_bytes_sent / msgs", "sync_wait / wall");
            let text = text.replace("\"<\"", "\">\"").replace("\"512 B/ops\"", threshold);
            let mut table = Hypotheses::built_in();
            let added = table.extend("h.toml", &text);
            added.map(|()| table.row(table.named("Chatty").expect("added")).threshold)
        };
        assert_eq!(share("0.25"), Ok(0.25));
        assert_eq!(share("\"25 %\""), Ok(0.25));
        assert!(share("\"25 ns\"").is_err() && share("0").is_err());
        let told = share("25").expect_err("no share is")[0].to_string();
        let wanted = "h.toml:6:13: the threshold: 2500 % is more than the whole, which no value is; write \"25%\" or 0.25";
        assert_eq!(told, wanted);
    }

    #[test]
    fn a_rate_can_be_too_high() {
        let text = ROW.replace("msg_bytes_sent / msgs", "io_ops / wall").replace("\"<\"", "\">\"");
        let mut table = Hypotheses::built_in();
        table.extend("h.toml", &text.replace("512 B/ops", "100 ops/s")).expect("right");
        let row = table.row(table.named("Chatty").expect("added"));
        assert_eq!((row.threshold, row.operator), (100.0, Operator::Above));
    }
}
