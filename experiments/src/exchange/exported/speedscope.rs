//! The file format of speedscope: a profile for each thread, with a stack and its nanoseconds for each callpath.
//!
//! After `file-format-spec.ts`. A profile says nothing of when, so stacks stand in the order of the callpaths.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::ExportedRun;

impl ExportedRun {
    /// The text of the file.
    #[must_use]
    pub fn speedscope(&self) -> String {
        let mut frames: Vec<Value> = Vec::new();
        let mut numbers: BTreeMap<(&str, Option<&str>), usize> = BTreeMap::new();
        let mut profiles: Vec<Value> = Vec::new();
        let trees = self.trees();
        for tree in &trees {
            let (mut samples, mut weights) = (Vec::new(), Vec::new());
            for (at, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.exclusive > 0) {
                let stack = tree.way(at).into_iter().map(|at| {
                    let key = (tree.nodes[at].name, tree.nodes[at].source);
                    *numbers.entry(key).or_insert_with(|| {
                        frames.push(frame(key.0, key.1));
                        frames.len() - 1
                    })
                });
                samples.push(stack.collect::<Vec<_>>());
                weights.push(node.exclusive);
            }
            let all: u64 = weights.iter().sum();
            profiles.push(json!({
                "type": "sampled",
                "name": format!("process {} thread {}", tree.process, tree.thread),
                "unit": "nanoseconds",
                "startValue": 0,
                "endValue": all,
                "samples": samples,
                "weights": weights,
            }));
        }
        let written = json!({
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "exporter": "whyperf",
            "name": format!("{} {}", self.summary.application, self.summary.id),
            "activeProfileIndex": 0,
            "shared": { "frames": frames },
            "profiles": profiles,
        });
        written.to_string() + "\n"
    }
}

fn frame(name: &str, source: Option<&str>) -> Value {
    let place = source.and_then(|place| place.rsplit_once(':'));
    match place.and_then(|(file, line)| Some((file, line.parse::<u64>().ok()?))) {
        Some((file, line)) => json!({ "name": name, "file": file, "line": line }),
        None => json!({ "name": name }),
    }
}
