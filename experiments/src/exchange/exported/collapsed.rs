//! Collapsed stacks: a line for each callpath with its names and the microseconds spent in it alone.

use super::ExportedRun;

impl ExportedRun {
    /// Lines `process 0;main;f 1500`, with what would end a name left out.
    #[must_use]
    pub fn collapsed(&self) -> String {
        let mut text = String::new();
        for tree in self.trees() {
            for (at, node) in tree.nodes.iter().enumerate() {
                let micros = (node.exclusive + 500) / 1000;
                if micros == 0 {
                    continue;
                }
                let names = tree.way(at).into_iter().map(|at| frame(tree.nodes[at].name));
                let names: Vec<String> = names.collect();
                let (process, thread) = (tree.process, tree.thread);
                let names = names.join(";");
                text += &format!("process {process};thread {thread};{names} {micros}\n");
            }
        }
        text
    }
}

/// A name without what separates names and lines.
fn frame(name: &str) -> String {
    name.chars().map(|one| if one == ';' || one.is_control() { '_' } else { one }).collect()
}
