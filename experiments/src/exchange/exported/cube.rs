//! A Cube 4 report: an archive with a description in XML, and for each metric an index and its values.
//!
//! Visits and seconds are exclusive metrics: a row for each callpath, numbered as one goes down into the tree, a column for each thread.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::ExportedRun;
use crate::exchange::markup::markup_escaped;

/// A callpath of all threads.
struct CubeNode<'a> {
    name: &'a str,
    children: Vec<usize>,
    /// By thread: calls, and seconds in it alone.
    values: BTreeMap<usize, (u64, f64)>,
}

impl ExportedRun {
    /// The bytes of the archive.
    #[must_use]
    pub fn cube(&self) -> Vec<u8> {
        let trees = self.trees();
        let (mut nodes, mut roots): (Vec<CubeNode<'_>>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut numbers: BTreeMap<(Option<usize>, &str), usize> = BTreeMap::new();
        for (thread, tree) in trees.iter().enumerate() {
            let mut of_tree: Vec<usize> = Vec::with_capacity(tree.nodes.len());
            for node in &tree.nodes {
                let parent = node.parent.map(|parent| of_tree[parent]);
                let known = numbers.get(&(parent, node.name)).copied();
                let number = known.unwrap_or_else(|| {
                    let number = nodes.len();
                    nodes.push(CubeNode {
                        name: node.name,
                        children: Vec::new(),
                        values: BTreeMap::new(),
                    });
                    parent.map_or(&mut roots, |parent| &mut nodes[parent].children).push(number);
                    numbers.insert((parent, node.name), number);
                    number
                });
                of_tree.push(number);
                let value = nodes[number].values.entry(thread).or_default();
                value.0 += node.calls;
                value.1 += node.exclusive as f64 / 1e9;
            }
        }
        if roots.len() != 1 {
            // Readers want one outermost callpath: Score-P calls it by the program, too.
            let name: &str = &self.summary.application;
            let children = std::mem::take(&mut roots);
            roots.push(nodes.len());
            nodes.push(CubeNode { name, children, values: BTreeMap::new() });
        }
        let places: Vec<(u32, u32)> =
            trees.iter().map(|tree| (tree.process, tree.thread)).collect();
        let order = deep(&nodes, &roots);
        let anchor = self.anchor(&nodes, &roots, &places);
        let values = |read: fn((u64, f64)) -> [u8; 8]| {
            let mut bytes = b"CUBEX.DATA".to_vec();
            for node in &order {
                for thread in 0..places.len() {
                    let value = nodes[*node].values.get(&thread).copied().unwrap_or_default();
                    bytes.extend(read(value));
                }
            }
            bytes
        };
        archived(&[
            ("0.index", index(order.len())),
            ("0.data", values(|(calls, _)| calls.to_le_bytes())),
            ("1.index", index(order.len())),
            ("1.data", values(|(_, seconds)| seconds.to_le_bytes())),
            ("anchor.xml", anchor.into_bytes()),
        ])
    }

    fn anchor(&self, nodes: &[CubeNode<'_>], roots: &[usize], places: &[(u32, u32)]) -> String {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for node in nodes {
            let next = names.len();
            names.entry(node.name).or_insert(next);
        }
        let mut text = HEAD.to_owned();
        for (name, id) in &names {
            let name = markup_escaped(name);
            let _ = writeln!(
                text,
                "<region id=\"{id}\" mod=\"\" begin=\"-1\" end=\"-1\"><name>{name}</name><mangled_name>{name}</mangled_name>\
                 <paradigm>user</paradigm><role>function</role><url></url><descr></descr></region>"
            );
        }
        let mut next = 0;
        roots.iter().for_each(|root| callpath(&mut text, nodes, *root, &names, &mut next));
        text += "</program>\n<system>\n<systemtreenode Id=\"0\"><name>machine</name><class>machine</class>\n\
                 <systemtreenode Id=\"1\"><name>node</name><class>node</class>\n";
        let mut location = 0;
        let ranks = places.chunk_by(|one, other| one.0 == other.0);
        for (group, threads) in ranks.enumerate() {
            let rank = threads[0].0;
            let _ = writeln!(
                text,
                "<locationgroup Id=\"{group}\"><name>Process {rank}</name><rank>{rank}</rank><type>process</type>"
            );
            for (_, thread) in threads {
                let _ = writeln!(
                    text,
                    "<location Id=\"{location}\"><name>Thread {thread}</name><rank>{thread}</rank><type>thread</type></location>"
                );
                location += 1;
            }
            text += "</locationgroup>\n";
        }
        text + "</systemtreenode></systemtreenode>\n</system>\n</cube>\n"
    }
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n\
<attr key=\"Creator\" value=\"whyperf\"/>\n<doc></doc>\n<metrics>\n\
<metric id=\"0\" type=\"EXCLUSIVE\"><disp_name>Visits</disp_name><uniq_name>visits</uniq_name><dtype>UINT64</dtype><uom>occ</uom>\
<url></url><descr>Calls that ended</descr></metric>\n\
<metric id=\"1\" type=\"EXCLUSIVE\"><disp_name>Time</disp_name><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom>\
<url></url><descr>Time in a callpath alone</descr></metric>\n</metrics>\n<program>\n";

/// A callpath and all below it, numbered as they are written.
fn callpath(
    text: &mut String,
    nodes: &[CubeNode<'_>],
    at: usize,
    names: &BTreeMap<&str, usize>,
    next: &mut usize,
) {
    let callee = names.get(nodes[at].name).copied().unwrap_or_default();
    let _ = writeln!(text, "<cnode id=\"{next}\" calleeId=\"{callee}\">");
    *next += 1;
    nodes[at].children.iter().for_each(|child| callpath(text, nodes, *child, names, next));
    text.push_str("</cnode>\n");
}

/// The callpaths in the order in which one goes down into the tree.
fn deep(nodes: &[CubeNode<'_>], roots: &[usize]) -> Vec<usize> {
    let (mut order, mut open): (Vec<usize>, Vec<usize>) =
        (Vec::new(), roots.iter().rev().copied().collect());
    while let Some(at) = open.pop() {
        order.push(at);
        open.extend(nodes[at].children.iter().rev());
    }
    order
}

/// All callpaths have values: their numbers one after the other.
fn index(count: usize) -> Vec<u8> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let mut bytes = b"CUBEX.INDEX".to_vec();
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend([0, 0, 1]);
    bytes.extend(count.to_le_bytes());
    bytes.extend((0..count).flat_map(u32::to_le_bytes));
    bytes
}

/// An archive (`tar`): before each file a head with its name, length and the sum of the head's bytes.
fn archived(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in files {
        let mut head = [0_u8; BLOCK];
        let mut put =
            |at: usize, text: &str| head[at..at + text.len()].copy_from_slice(text.as_bytes());
        put(0, name);
        put(100, "0000644");
        put(108, "0000000");
        put(116, "0000000");
        put(124, &format!("{:011o}", content.len()));
        put(136, "00000000000");
        put(148, "        ");
        put(156, "0");
        put(257, "ustar");
        put(263, "00");
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend(head);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    }
    bytes.extend([0; 2 * BLOCK]);
    bytes
}

/// The unit of heads and files.
const BLOCK: usize = 512;
