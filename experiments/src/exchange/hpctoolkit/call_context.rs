//! What `experiment.xml` says: metrics, and the statements with the frames, inlined functions and loops around them.

use std::collections::BTreeMap;
use std::rc::Rc;

use roxmltree::{Document, Node};

/// Callpaths deeper than this are no program's.
const DEEPEST: usize = 10_000;

/// All of it, as far as a profile needs it.
#[derive(Debug, Default)]
pub(super) struct CallContext {
    /// Exclusive metrics of the files of threads.
    pub(super) thread_metrics: Vec<ContextMetric>,
    /// Exclusive metrics whose sums the tree itself has.
    pub(super) summed_metrics: Vec<ContextMetric>,
    pub(super) statements: Vec<Statement>,
    /// The largest number of a node.
    pub(super) most: usize,
}

/// An exclusive metric.
#[derive(Debug)]
pub(super) struct ContextMetric {
    pub(super) number: u32,
    pub(super) name: String,
    /// Microseconds in its unit; none of what is no time.
    pub(super) micros: Option<f64>,
}

/// A node that has values of its own.
#[derive(Debug)]
pub(super) struct Statement {
    /// Its number in the files of threads, the first being 1.
    pub(super) node: usize,
    /// Functions and loops around it, the outermost first.
    pub(super) path: Vec<String>,
    /// By metric: what the tree itself says.
    pub(super) sums: BTreeMap<u32, f64>,
}

/// A function or loop, and what is around it.
#[derive(Debug)]
pub(super) struct Around {
    name: String,
    file: Option<String>,
    outer: Option<Rc<Self>>,
    pub(super) depth: usize,
}

impl Around {
    /// One with a file and a line in it, as far as they are known.
    pub(super) fn new(
        name: String,
        place: Option<(String, Option<u32>)>,
        outer: Option<Rc<Self>>,
    ) -> Rc<Self> {
        let (file, line) = place.map_or((None, None), |(file, line)| (Some(file), line));
        let name = match (&file, line) {
            (Some(file), Some(line)) => format!("{name} [{{{file}}} {{{line},0}}]"),
            (Some(file), None) => format!("{name} [{{{file}}}]"),
            (None, _) => name,
        };
        let depth = outer.as_ref().map_or(0, |outer| outer.depth) + 1;
        Rc::new(Self { name, file, outer, depth })
    }
}

/// Names by their numbers.
#[derive(Default)]
struct NameTables<'a> {
    procedures: BTreeMap<&'a str, &'a str>,
    files: BTreeMap<&'a str, &'a str>,
}

impl CallContext {
    /// Reads a text.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = without_declarations(text)?;
        let document = Document::parse(&text).map_err(|_| "no XML")?;
        let root = document.root_element();
        if root.tag_name().name() != "HPCToolkitExperiment" {
            return Err("an experiment.xml of something else");
        }
        let mut names = NameTables::default();
        let mut context = Self::default();
        for node in root.descendants() {
            let pair = || node.attribute("i").zip(node.attribute("n"));
            match node.tag_name().name() {
                "Procedure" => names.procedures.extend(pair()),
                "File" => names.files.extend(pair()),
                "MetricDB" => context.thread_metrics.extend(metric(node, "db-id")),
                "Metric" => context.summed_metrics.extend(metric(node, "i")),
                _ => {}
            }
        }
        let tree = root.descendants().find(|node| node.has_tag_name("SecCallPathProfileData"));
        context.take(tree.ok_or("no call tree of HPCToolkit")?, &names)?;
        Ok(context)
    }

    /// All nodes below the tree. It takes no stack: a file may be as deep as it likes.
    fn take(&mut self, tree: Node<'_, '_>, names: &NameTables<'_>) -> Result<(), &'static str> {
        let mut open: Vec<(Node<'_, '_>, Option<Rc<Around>>)> =
            tree.children().rev().map(|node| (node, None)).collect();
        while let Some((node, outer)) = open.pop() {
            let number = node.attribute("i").and_then(|number| number.parse().ok());
            self.most = self.most.max(number.unwrap_or_default());
            let around = match node.tag_name().name() {
                "PF" | "Pr" | "L" => names.around(node, outer)?,
                "C" => outer,
                "S" => {
                    let path = path(outer.as_deref());
                    let node_number = number.ok_or("a statement without a number")?;
                    if !path.is_empty() {
                        let sums = sums(node);
                        self.statements.push(Statement { node: node_number, path, sums });
                    }
                    continue;
                }
                _ => continue,
            };
            if around.as_ref().is_some_and(|around| around.depth > DEEPEST) {
                return Err("a call tree that is too deep");
            }
            open.extend(node.children().rev().map(|child| (child, around.clone())));
        }
        Ok(())
    }
}

impl NameTables<'_> {
    fn around(
        &self,
        node: Node<'_, '_>,
        outer: Option<Rc<Around>>,
    ) -> Result<Option<Rc<Around>>, &'static str> {
        let file = match node.attribute("f") {
            // `<unknown file>` is what it says.
            Some(file) => Some(self.files.get(file).copied().unwrap_or(file))
                .filter(|file| !file.starts_with('<'))
                .map(str::to_owned),
            None => outer.as_ref().and_then(|outer| outer.file.clone()),
        };
        let line = node.attribute("l").and_then(|line| line.split('-').next()?.parse::<u32>().ok());
        let line = line.filter(|line| *line > 0);
        let is_loop = node.has_tag_name("L");
        let name = match node.attribute("n") {
            _ if is_loop => format!("loop at line {}", line.unwrap_or_default()),
            Some(name) => self.procedures.get(name).copied().unwrap_or(name).to_owned(),
            None => return Err("a frame without a name"),
        };
        if name.is_empty() {
            return Ok(outer);
        }
        Ok(Some(Around::new(name, file.map(|file| (file, line)), outer)))
    }
}

impl Drop for Around {
    /// One after the other: to drop a deep one at once takes as much stack.
    fn drop(&mut self) {
        let mut next = self.outer.take();
        while let Some(mut around) = next.and_then(Rc::into_inner) {
            next = around.outer.take();
        }
    }
}

/// The names from the outside in.
pub(super) fn path(innermost: Option<&Around>) -> Vec<String> {
    let (mut names, mut next) = (Vec::new(), innermost);
    while let Some(around) = next {
        names.push(around.name.clone());
        next = around.outer.as_deref();
    }
    names.reverse();
    names
}

fn sums(statement: Node<'_, '_>) -> BTreeMap<u32, f64> {
    let values = statement.children().filter(|child| child.has_tag_name("M"));
    let pair = |value: Node<'_, '_>| {
        Some((value.attribute("n")?.parse().ok()?, value.attribute("v")?.parse().ok()?))
    };
    values.filter_map(pair).collect()
}

/// `None` of one that is inclusive: that follows from the others.
fn metric(node: Node<'_, '_>, number: &str) -> Option<ContextMetric> {
    if node.attribute("t") == Some("inclusive") {
        return None;
    }
    let name = node.attribute("n")?;
    let number = node.attribute(number)?.parse().ok()?;
    let own = name.trim_end_matches(" (E)").to_owned();
    Some(ContextMetric { number, name: own, micros: metric_unit(name) })
}

/// Microseconds in the unit of a metric, which its name tells; none of what is no time.
pub(super) fn metric_unit(name: &str) -> Option<f64> {
    let units = [("(usec)", 1.0), ("(sec)", 1e6), ("(nsec)", 1e-3)];
    let is_time = ["CPUTIME", "REALTIME", "WALLCLOCK"].iter().any(|word| name.starts_with(word));
    let unit = units.iter().find(|(unit, _)| name.contains(unit));
    unit.filter(|_| is_time).map(|(_, micros)| *micros)
}

/// The document without what it declares: HPCToolkit's declares elements, and one that declares entities is refused, so none can grow.
fn without_declarations(text: &str) -> Result<String, &'static str> {
    let Some((before, rest)) = text.split_once("<!DOCTYPE") else { return Ok(text.to_owned()) };
    let end = match (rest.find('['), rest.find('>')) {
        (Some(open), Some(close)) if open < close => rest.find("]>").map(|at| at + 2),
        (_, close) => close.map(|at| at + 1),
    };
    let end = end.ok_or("no XML")?;
    if rest[..end].contains("<!ENTITY") {
        return Err("entities of its own, which whyperf does not expand");
    }
    Ok(format!("{before}{}", &rest[end..]))
}
