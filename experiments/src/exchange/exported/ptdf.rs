//! PerfTrack's text, PTdf: resources of a run, and results at sets of them.
//!
//! A callpath's result stands at its process and thread, at the function that it ends in, and at a resource for the path itself, as PTdf has no
//! other way to say in which order functions called each other.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::ExportedRun;
use crate::run::StoredProfileRow;

/// Types of resources, each after the one above it.
const TYPES: [&str; 11] = [
    "application",
    "execution",
    "execution|process",
    "execution|process|thread",
    "build",
    "build|module",
    "build|module|function",
    "callpath",
    "callpath|path",
    "metric",
    "performanceTool",
];

/// What callpaths have, and its unit.
const METRICS: [(&str, &str); 5] = [
    ("calls", "calls"),
    ("exclusive time", "seconds"),
    ("inclusive time", "seconds"),
    ("bytes sent", "bytes"),
    ("bytes received", "bytes"),
];

const TOOL: &str = "whyperf";
/// The module of functions whose place is not known.
const UNKNOWN_MODULE: &str = "unknown";

/// The lines so far, and which resources they have told of.
#[derive(Default)]
struct Lines {
    text: String,
    known: BTreeSet<String>,
}

impl ExportedRun {
    /// The text of the file. Signs that PerfTrack's names cannot have become `_`.
    #[must_use]
    pub fn ptdf(&self) -> String {
        let run = name(self.summary.id.as_str());
        let application = name(&self.summary.application);
        let mut lines = Lines::default();
        for kind in TYPES {
            lines.line("ResourceType", &[kind]);
        }
        lines.line("Application", &[&application]);
        lines.line("Execution", &[&run, &application]);
        lines.line("Resource", &[TOOL, "performanceTool"]);
        for (metric, _) in METRICS {
            lines.line("Resource", &[metric, "metric"]);
        }
        let elapsed = self.summary.elapsed_s.to_string();
        let named =
            [("experiment", &*self.summary.experiment), ("trial", self.summary.trial.as_str())];
        let known =
            [("started", self.summary.started.as_str()), ("elapsed seconds", elapsed.as_str())];
        let facts = self.facts.iter().map(|fact| (fact.name.as_str(), fact.value.as_str()));
        for (attribute, value) in named.into_iter().chain(known).chain(facts) {
            if !attribute.is_empty() && !value.is_empty() {
                lines.line("ResourceAttribute", &[&run, attribute, value, "string"]);
            }
        }
        for row in &self.rows {
            lines.row(&run, &application, row);
        }
        lines.text
    }
}

impl ExportedRun {
    /// What PTdf cannot say of the run.
    #[must_use]
    pub fn ptdf_notes(&self) -> Vec<String> {
        let names: BTreeSet<&String> = self.rows.iter().flat_map(|row| &row.path).collect();
        let changed = names.into_iter().filter(|one| name(one) != **one).count();
        let note = format!(
            "{changed} names of functions have signs that PerfTrack's cannot have: each is a _"
        );
        if changed > 0 { vec![note] } else { Vec::new() }
    }
}

impl Lines {
    fn line(&mut self, word: &str, values: &[&str]) {
        self.text += word;
        for value in values {
            let _ = write!(self.text, " {}", quoted(value));
        }
        self.text.push('\n');
    }

    /// Tells of a resource of the run once.
    fn resource(&mut self, run: &str, resource: &str, kind: &str) {
        if self.known.insert(resource.to_owned()) {
            self.line("Resource", &[resource, kind, run]);
        }
    }

    fn row(&mut self, run: &str, application: &str, row: &StoredProfileRow) {
        let process = format!("{run}|process {}", row.process);
        let thread = format!("{process}|thread {}", row.thread);
        let build = format!("{application} build");
        let file = row.source.as_deref().and_then(|place| place.rsplit_once(':'));
        let module = format!("{build}|{}", name(file.map_or(UNKNOWN_MODULE, |(file, _)| file)));
        let function = format!("{module}|{}", name(row.path.last().map_or("", String::as_str)));
        let names: Vec<String> = row.path.iter().map(|one| name(one)).collect();
        let paths = format!("{run} callpaths");
        let path = format!("{paths}|{}", names.join(" => "));
        for (resource, kind) in [
            (&process, "execution|process"),
            (&thread, "execution|process|thread"),
            (&build, "build"),
            (&module, "build|module"),
            (&function, "build|module|function"),
            (&paths, "callpath"),
            (&path, "callpath|path"),
        ] {
            self.resource(run, resource, kind);
        }
        let focus = [application, &thread, &function, &path].join(",");
        let seconds = [row.exclusive, row.inclusive].map(|time| time.as_secs_f64().to_string());
        let [exclusive, inclusive] = seconds;
        let counts = [row.calls, row.sent, row.received].map(|count| count.to_string());
        let [calls, sent, received] = counts;
        let values = [calls, exclusive, inclusive, sent, received];
        for ((metric, unit), value) in METRICS.iter().zip(&values) {
            // Over the whole run: of when nothing is known.
            let words = [run, &focus, TOOL, metric, value, unit, "noValue", "noValue"];
            self.line("PerfResult", &words);
        }
    }
}

/// A name without what separates names, levels and sets.
fn name(text: &str) -> String {
    let text = text.replace("::", "__");
    let safe = text.chars().map(|one| match one {
        ',' | '(' | ')' | '|' | '#' => '_',
        one if one.is_control() => '_',
        one => one,
    });
    safe.collect()
}

/// In quotation marks, so that it is no word of the language.
fn quoted(text: &str) -> String {
    let line = text.replace(|one: char| one.is_control(), " ");
    format!("\"{}\"", line.replace('\\', "\\\\").replace('"', "\\\""))
}
