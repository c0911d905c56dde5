//! The callpaths of one thread as a tree in which no part of a path is missing.

use std::collections::BTreeMap;

use crate::run::StoredProfileRow;

/// A node: a callpath.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallNode<'a> {
    /// Its last name.
    pub(super) name: &'a str,
    /// Where it is called, as far as that is known.
    pub(super) source: Option<&'a str>,
    /// The node above; none of an outermost.
    pub(super) parent: Option<usize>,
    /// Calls that ended.
    pub(super) calls: u64,
    /// Nanoseconds in it alone.
    pub(super) exclusive: u64,
    /// Nanoseconds in it and below: what was measured, or else the sum of what is below.
    pub(super) inclusive: u64,
}

/// The callpaths of a thread.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallTree<'a> {
    pub(super) process: u32,
    pub(super) thread: u32,
    /// Each node after its parent.
    pub(super) nodes: Vec<CallNode<'a>>,
}

impl<'a> CallTree<'a> {
    /// Of the rows of one thread.
    pub(super) fn of(rows: &'a [StoredProfileRow]) -> Self {
        let mut tree = Self {
            process: rows.first().map_or(0, |row| row.process),
            thread: rows.first().map_or(0, |row| row.thread),
            nodes: Vec::new(),
        };
        let mut known: BTreeMap<&[String], usize> = BTreeMap::new();
        for row in rows {
            let mut parent = None;
            for depth in 1..=row.path.len() {
                let path = &row.path[..depth];
                parent = Some(*known.entry(path).or_insert_with(|| {
                    let name = path[depth - 1].as_str();
                    let node = CallNode {
                        name,
                        source: None,
                        parent,
                        calls: 0,
                        exclusive: 0,
                        inclusive: 0,
                    };
                    tree.nodes.push(node);
                    tree.nodes.len() - 1
                }));
            }
            if let Some(node) = parent.and_then(|at| tree.nodes.get_mut(at)) {
                node.source = row.source.as_deref();
                node.calls += row.calls;
                node.exclusive += row.exclusive.0;
                node.inclusive += row.inclusive.0;
            }
        }
        tree.fill();
        tree
    }

    /// A node that was not measured itself has what is below it.
    fn fill(&mut self) {
        let mut below = vec![0u64; self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[at];
            node.inclusive = node.inclusive.max(node.exclusive.saturating_add(below[at]));
            let inclusive = node.inclusive;
            if let Some(parent) = node.parent {
                below[parent] = below[parent].saturating_add(inclusive);
            }
        }
    }

    /// The nodes on the way to one, the outermost first.
    pub(super) fn way(&self, at: usize) -> Vec<usize> {
        let mut way = vec![at];
        while let Some(parent) = way.last().and_then(|last| self.nodes[*last].parent) {
            way.push(parent);
        }
        way.reverse();
        way
    }

    /// By node: how often others were called from it.
    pub(super) fn subcalls(&self) -> Vec<u64> {
        let mut subcalls = vec![0; self.nodes.len()];
        for node in &self.nodes {
            if let Some(parent) = node.parent {
                subcalls[parent] += node.calls;
            }
        }
        subcalls
    }
}

#[cfg(test)]
pub(super) mod example {
    use super::*;
    use whyperf_model::Nanos;

    pub(in super::super) fn row(path: &[&str], calls: u64, times: [u64; 2]) -> StoredProfileRow {
        StoredProfileRow {
            process: 0,
            thread: 0,
            path: path.iter().map(ToString::to_string).collect(),
            calls,
            inclusive: Nanos(times[0]),
            exclusive: Nanos(times[1]),
            sent: 0,
            received: 0,
            source: Some("a.c:7".into()),
            coverage: Some(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::example::row;
    use super::*;

    #[test]
    fn what_is_missing_of_a_path_is_filled_in() {
        let rows =
            [row(&["main", "f", "MPI_Recv"], 4, [150, 150]), row(&["main", "g"], 1, [30, 30])];
        let tree = CallTree::of(&rows);
        let names: Vec<&str> = tree.nodes.iter().map(|node| node.name).collect();
        assert_eq!(names, ["main", "f", "MPI_Recv", "g"]);
        assert_eq!(tree.nodes[0].inclusive, 180, "what is below");
        assert_eq!((tree.nodes[1].exclusive, tree.nodes[1].inclusive), (0, 150));
        assert_eq!(tree.way(2), [0, 1, 2]);
        assert_eq!(tree.subcalls(), [1, 4, 0, 0]);
    }
}
