//! The processed profile of Firefox's profiler: for each thread a stack for each callpath, with the milliseconds in it alone.
//!
//! After version 48 of the format, which later profilers bring up to date themselves: tables of columns, in which frames name functions and
//! stacks name the stack above. A profile says nothing of when, so stacks stand one after the other in the order of the callpaths.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::ExportedRun;
use super::call_tree::{CallNode, CallTree};

const VERSION: u32 = 48;
/// The version of what Firefox itself would have written.
const RAW_VERSION: u32 = 28;

/// Kinds of functions, which the profiler draws in colours of their own.
const CATEGORIES: [(&str, &str); 2] = [("Program", "grey"), ("MPI", "orange")];

impl ExportedRun {
    /// The text of the file.
    #[must_use]
    pub fn firefox(&self) -> String {
        let trees = self.trees();
        let threads: Vec<Value> = trees.iter().map(thread).collect();
        let categories = CATEGORIES.map(
            |(name, color)| json!({ "name": name, "color": color, "subcategories": ["Other"] }),
        );
        let written = json!({
            "meta": {
                "interval": 1,
                "startTime": 0,
                "processType": 0,
                "stackwalk": 1,
                "debug": false,
                "version": RAW_VERSION,
                "preprocessedProfileVersion": VERSION,
                "product": format!("{} {}", self.summary.application, self.summary.id),
                "importedFrom": "whyperf",
                "symbolicated": true,
                "categories": categories,
                "markerSchema": [],
                "usesOnlyOneStackType": true,
            },
            "libs": [],
            "pages": [],
            "threads": threads,
        });
        written.to_string() + "\n"
    }
}

/// What columns of a thread refer to.
#[derive(Default)]
struct Names<'a> {
    strings: Vec<&'a str>,
    known: BTreeMap<&'a str, usize>,
    /// By name and place: the number of the function, which is that of its frame, too.
    functions: BTreeMap<(&'a str, Option<&'a str>), usize>,
    all: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Names<'a> {
    fn string(&mut self, text: &'a str) -> usize {
        *self.known.entry(text).or_insert_with(|| {
            self.strings.push(text);
            self.strings.len() - 1
        })
    }

    fn function(&mut self, node: &CallNode<'a>) -> usize {
        let key = (node.name, node.source);
        *self.functions.entry(key).or_insert_with(|| {
            self.all.push(key);
            self.all.len() - 1
        })
    }
}

fn thread(tree: &CallTree<'_>) -> Value {
    let mut names = Names::default();
    let frames: Vec<usize> = tree.nodes.iter().map(|node| names.function(node)).collect();
    let categories: Vec<usize> = tree.nodes.iter().map(|node| category(node.name)).collect();
    let prefixes: Vec<Option<usize>> = tree.nodes.iter().map(|node| node.parent).collect();
    let (mut stacks, mut times, mut weights, mut now) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (at, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.exclusive > 0) {
        stacks.push(at);
        times.push(now as f64 / 1e6);
        weights.push(node.exclusive as f64 / 1e6);
        now += node.exclusive;
    }
    let (samples, nodes) = (stacks.len(), tree.nodes.len());
    let [frame_table, functions] = function_tables(&mut names);
    json!({
        "name": format!("process {} thread {}", tree.process, tree.thread),
        "processName": format!("process {}", tree.process),
        "processType": "default",
        "isMainThread": tree.thread == 0,
        "pid": tree.process.to_string(),
        "tid": tree.thread,
        "registerTime": 0,
        "unregisterTime": null,
        "processStartupTime": 0,
        "processShutdownTime": null,
        "pausedRanges": [],
        "samples": {
            "stack": stacks,
            "time": times,
            "weight": weights,
            "weightType": "tracing-ms",
            "length": samples,
        },
        "markers": {
            "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [], "length": 0,
        },
        "stackTable": {
            "frame": frames,
            "prefix": prefixes,
            "category": categories,
            "subcategory": vec![0; nodes],
            "length": nodes,
        },
        "frameTable": frame_table,
        "funcTable": functions,
        "resourceTable": { "lib": [], "name": [], "host": [], "type": [], "length": 0 },
        "nativeSymbols": { "libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0 },
        "stringArray": names.strings,
    })
}

/// A frame for each function, and the functions with their files.
fn function_tables(names: &mut Names<'_>) -> [Value; 2] {
    let length = names.all.len();
    let (mut texts, mut files, mut lines, mut kinds) = (vec![], vec![], vec![], vec![]);
    for (name, source) in names.all.clone() {
        let place = source.and_then(|place| place.rsplit_once(':'));
        texts.push(names.string(name));
        files.push(place.map(|(file, _)| names.string(file)));
        lines.push(place.and_then(|(_, line)| line.parse::<u32>().ok()));
        kinds.push(category(name));
    }
    let nothing = vec![Value::Null; length];
    let frames = json!({
        "address": vec![-1; length],
        "inlineDepth": vec![0; length],
        "category": kinds,
        "subcategory": vec![0; length],
        "func": (0..length).collect::<Vec<_>>(),
        "nativeSymbol": nothing,
        "innerWindowID": vec![0; length],
        "implementation": nothing,
        "line": lines,
        "column": nothing,
        "length": length,
    });
    let functions = json!({
        "name": texts,
        "isJS": vec![false; length],
        "relevantForJS": vec![false; length],
        "resource": vec![-1; length],
        "fileName": files,
        "lineNumber": lines,
        "columnNumber": nothing,
        "length": length,
    });
    [frames, functions]
}

/// The number of a function's category.
fn category(name: &str) -> usize {
    usize::from(name.starts_with("MPI_"))
}
