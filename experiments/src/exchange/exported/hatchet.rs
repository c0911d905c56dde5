//! Hatchet's JSON: one graph of all callpaths, and a row for each of them and each thread.
//!
//! After `hatchet/readers/json_reader.py`. Times are seconds, as Hatchet's own readers give them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::ExportedRun;

impl ExportedRun {
    /// What `hatchet.GraphFrame.from_json` reads.
    #[must_use]
    pub fn hatchet(&self) -> String {
        let mut numbers: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        let mut children: Vec<Vec<usize>> = Vec::new();
        let mut frames: Vec<Value> = Vec::new();
        let mut rows: BTreeMap<(usize, u32, u32), Value> = BTreeMap::new();
        let trees = self.trees();
        for tree in &trees {
            for (at, node) in tree.nodes.iter().enumerate() {
                let path: Vec<&str> = tree.way(at).iter().map(|at| tree.nodes[*at].name).collect();
                let above = numbers.get(&path[..path.len() - 1]).copied();
                let number = *numbers.entry(path).or_insert_with(|| {
                    children.push(Vec::new());
                    frames.push(json!({ "name": node.name, "type": "function" }));
                    frames.len() - 1
                });
                if let Some(above) = above.filter(|above| !children[*above].contains(&number)) {
                    children[above].push(number);
                }
                let row = json!({
                    "node": number,
                    "rank": tree.process,
                    "thread": tree.thread,
                    "name": node.name,
                    "nid": number,
                    "calls": node.calls,
                    "time": node.exclusive as f64 / 1e9,
                    "time (inc)": node.inclusive as f64 / 1e9,
                });
                rows.insert((number, tree.process, tree.thread), row);
            }
        }
        complete(&mut rows, &frames, &trees);
        let graph: Map<String, Value> = (0..frames.len())
            .map(|at| (at.to_string(), json!({ "data": frames[at], "children": children[at] })))
            .collect();
        let written = json!({
            "graph": [graph],
            "dataframe": rows.into_values().collect::<Vec<_>>(),
            "dataframe_indices": ["node", "rank", "thread"],
            "exclusive_metrics": ["time"],
            "inclusive_metrics": ["time (inc)"],
        });
        written.to_string() + "\n"
    }
}

/// Hatchet wants each node of each thread: what a thread did not call took it no time.
fn complete(
    rows: &mut BTreeMap<(usize, u32, u32), Value>,
    frames: &[Value],
    trees: &[super::CallTree<'_>],
) {
    for (number, frame) in frames.iter().enumerate() {
        for tree in trees {
            rows.entry((number, tree.process, tree.thread)).or_insert_with(|| {
                json!({
                    "node": number,
                    "rank": tree.process,
                    "thread": tree.thread,
                    "name": frame["name"],
                    "nid": number,
                    "calls": 0,
                    "time": 0.0,
                    "time (inc)": 0.0,
                })
            });
        }
    }
}
