//! What `anchor.xml` says: metrics, callpaths, ranks and threads. Entities of a document's own are refused, so none can grow.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use crate::exchange::callpath_sums::ThreadPlace;

/// All of it, as far as a profile needs it.
#[derive(Debug, Default)]
pub(super) struct Description {
    pub(super) metrics: Vec<CubeMetric>,
    /// Metrics that are derived, or whose values are no sums.
    pub(super) left_out: usize,
    /// In the order in which one goes down into the tree.
    pub(super) callpaths: Vec<CubeCallpath>,
    /// Columns of the values.
    pub(super) locations: Vec<CubeLocation>,
}

/// A metric that has values.
#[derive(Debug)]
pub(super) struct CubeMetric {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) kind: MetricKind,
    pub(super) value: ValueType,
}

/// Whether a callpath's value has what is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetricKind {
    Exclusive,
    Inclusive,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueType {
    Double,
    Signed(usize),
    Unsigned(usize),
}

/// A node of the call tree.
#[derive(Debug)]
pub(super) struct CubeCallpath {
    pub(super) parent: Option<usize>,
    pub(super) name: String,
}

/// A thread.
#[derive(Debug)]
pub(super) struct CubeLocation {
    pub(super) place: ThreadPlace,
    pub(super) host: String,
}

/// Callpaths deeper than this are no program's.
const DEEPEST: usize = 4096;
/// Machines have hardly ten levels from the whole to a thread.
const DEEPEST_SYSTEM: usize = 64;

impl Description {
    /// Reads the text.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let document = Document::parse(text).map_err(|_| "an anchor.xml that is no XML")?;
        let root = document.root_element();
        if root.tag_name().name() != "cube" {
            return Err("an anchor.xml of something else");
        }
        let mut description = Self::default();
        for node in root.descendants().filter(|node| node.has_tag_name("metric")) {
            match metric(node) {
                Some(metric) => description.metrics.push(metric),
                None => description.left_out += 1,
            }
        }
        let regions: BTreeMap<&str, String> = { root.descendants() }
            .filter(|node| node.has_tag_name("region"))
            .filter_map(|node| Some((node.attribute("id")?, region(node)?)))
            .collect();
        let program = root.children().find(|node| node.has_tag_name("program"));
        for node in program.ok_or("no call tree")?.children() {
            description.take_callpaths(node, &regions)?;
        }
        let system = root.children().find(|node| node.has_tag_name("system"));
        for node in system.ok_or("no ranks and threads")?.children() {
            description.take_system(node, "unknown", 0)?;
        }
        Ok(description)
    }

    /// A callpath and all below it. It takes no stack: a file may say that a program recursed as deep as it likes.
    fn take_callpaths(
        &mut self,
        root: Node<'_, '_>,
        regions: &BTreeMap<&str, String>,
    ) -> Result<(), &'static str> {
        let mut open = vec![(root, None, 0)];
        while let Some((node, parent, depth)) = open.pop() {
            if !node.has_tag_name("cnode") {
                continue;
            }
            if depth > DEEPEST {
                return Err("a call tree that is too deep");
            }
            let callee = node.attribute("calleeId").and_then(|id| regions.get(id));
            let name = callee.ok_or("a callpath of a region that is not there")?.clone();
            let own = self.callpaths.len();
            self.callpaths.push(CubeCallpath { parent, name });
            // The first child is the next to be looked at.
            open.extend(node.children().rev().map(|child| (child, Some(own), depth + 1)));
        }
        Ok(())
    }

    /// Nodes of the system hold nodes, and at last groups of threads: ranks.
    fn take_system(
        &mut self,
        node: Node<'_, '_>,
        host: &str,
        depth: usize,
    ) -> Result<(), &'static str> {
        if depth > DEEPEST_SYSTEM {
            return Err("a system that is too deep");
        }
        if node.has_tag_name("locationgroup") {
            let rank = number(node, "rank").unwrap_or_default();
            let threads = node.children().filter(|child| child.has_tag_name("location"));
            for thread in threads {
                let thread = number(thread, "rank").unwrap_or_default();
                self.locations
                    .push(CubeLocation { place: (rank, 0, thread), host: host.to_owned() });
            }
        } else if node.has_tag_name("systemtreenode") {
            let is_host = text(node, "class") == Some("node");
            let own = text(node, "name").filter(|_| is_host).unwrap_or(host);
            let own = own.strip_prefix("node ").unwrap_or(own);
            for child in node.children() {
                self.take_system(child, own, depth + 1)?;
            }
        }
        Ok(())
    }

    /// The names on the way to a callpath, the outermost first.
    pub(super) fn path(&self, at: usize) -> Vec<String> {
        let mut names = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next {
            names.push(self.callpaths[at].name.clone());
            next = self.callpaths[at].parent;
        }
        names.reverse();
        names
    }

    /// Callpaths as an inclusive metric numbers them: all children of one, and then those below each.
    pub(super) fn children_first(&self) -> Vec<usize> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.callpaths.len()];
        let mut roots = Vec::new();
        for (at, callpath) in self.callpaths.iter().enumerate() {
            callpath.parent.map_or(&mut roots, |parent| &mut children[parent]).push(at);
        }
        let mut order = Vec::new();
        for root in roots {
            order.push(root);
            let mut open = vec![root];
            while let Some(node) = open.pop() {
                order.extend(&children[node]);
                open.extend(children[node].iter().rev());
            }
        }
        order
    }
}

fn text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name(name))?.text().map(str::trim)
}

fn number(node: Node<'_, '_>, name: &str) -> Option<u32> {
    text(node, name)?.parse().ok()
}

/// Its name, and where in the source it begins; a call of MPI has no place.
fn region(node: Node<'_, '_>) -> Option<String> {
    let name = text(node, "name")?;
    let file = node.attribute("mod").filter(|file| file.contains('.') || file.contains('/'));
    let line = node.attribute("begin").and_then(|line| line.parse::<u32>().ok());
    Some(match (file, line) {
        (Some(file), Some(line)) => format!("{name} [{{{file}}} {{{line},0}}]"),
        (Some(file), None) => format!("{name} [{{{file}}}]"),
        _ => name.to_owned(),
    })
}

/// `None` of one that has no values of its own, or whose values are no sums.
fn metric(node: Node<'_, '_>) -> Option<CubeMetric> {
    let kind = match node.attribute("type")? {
        "EXCLUSIVE" => MetricKind::Exclusive,
        "INCLUSIVE" => MetricKind::Inclusive,
        _ => return None,
    };
    let value = match text(node, "dtype")? {
        "DOUBLE" | "FLOAT" => ValueType::Double,
        "INT64" | "INTEGER" | "SIGNED INTEGER" => ValueType::Signed(8),
        "INT32" | "INT" | "SIGNED INT" => ValueType::Signed(4),
        "UINT64" | "UNSIGNED INTEGER" => ValueType::Unsigned(8),
        "UINT32" | "UNSIGNED INT" => ValueType::Unsigned(4),
        _ => return None,
    };
    let own = |name| text(node, name).map(str::to_owned);
    let id = node.attribute("id")?.to_owned();
    Some(CubeMetric {
        id,
        name: own("uniq_name")?,
        unit: own("uom").unwrap_or_default(),
        kind,
        value,
    })
}
