//! Caliper's `json-split`: a row for each callpath of each thread, and a tree of the callpaths' names.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::ExportedRun;

impl ExportedRun {
    /// The text of the file.
    #[must_use]
    pub fn caliper(&self) -> String {
        let (mut nodes, mut rows): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
        let mut numbers: BTreeMap<(Option<usize>, &str), usize> = BTreeMap::new();
        let trees = self.trees();
        for tree in &trees {
            let mut of_tree: Vec<usize> = Vec::with_capacity(tree.nodes.len());
            for node in &tree.nodes {
                let parent = node.parent.map(|parent| of_tree[parent]);
                let number = *numbers.entry((parent, node.name)).or_insert_with(|| {
                    nodes.push(match parent {
                        Some(parent) => {
                            json!({ "column": "path", "label": node.name, "parent": parent })
                        }
                        None => json!({ "column": "path", "label": node.name }),
                    });
                    nodes.len() - 1
                });
                of_tree.push(number);
                let micros = |nanos: u64| nanos as f64 / 1e3;
                rows.push(json!([
                    number,
                    tree.process,
                    tree.thread,
                    node.calls,
                    micros(node.exclusive),
                    micros(node.inclusive),
                ]));
            }
        }
        let columns = [
            "path",
            "mpi.rank",
            "thread",
            "count",
            "sum#time.duration",
            "inclusive#sum#time.duration",
        ];
        let about = columns.map(|column| json!({ "is_value": column != "path" }));
        let written = json!({
            "data": rows,
            "columns": columns,
            "column_metadata": about,
            "nodes": nodes,
        });
        written.to_string() + "\n"
    }
}
