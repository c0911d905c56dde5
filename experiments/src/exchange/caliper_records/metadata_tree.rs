//! The tree of a `.cali` file: each node says that an attribute has a value, and what is above it holds, too.

use std::collections::BTreeMap;

/// A record: its fields, each with its values.
pub(super) type Fields = BTreeMap<String, Vec<String>>;

/// Nodes that every file has, without telling: the types 0 to 7 and 11, and the attributes that describe attributes.
const NAME: u64 = 8;
const TYPE: u64 = 9;
const PROPERTIES: u64 = 10;
const TOLD_BEFORE: u64 = 12;
/// Bits of an attribute's properties.
const AS_VALUE: u64 = 1;
const HIDDEN: u64 = 128;
const NESTED: u64 = 256;

/// Attributes whose values are callpaths where none is nested.
const PATHS: [&str; 5] =
    ["source.function#callpath.address", "function", "annotation", "loop", "region"];

#[derive(Debug)]
struct MetadataNode {
    attribute: u64,
    data: String,
    parent: Option<u64>,
}

/// What the nodes told so far say.
#[derive(Debug, Default)]
pub(super) struct MetadataTree {
    nodes: BTreeMap<u64, MetadataNode>,
    /// What holds for the whole run: attributes and values.
    globals: Vec<(u64, String)>,
}

/// An attribute.
#[derive(Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    unit: Option<&'a str>,
    properties: u64,
}

/// A snapshot: where it was taken, and what it tells.
#[derive(Debug)]
pub(super) struct Snapshot {
    /// Attributes of the tree and their values, the outermost first.
    holds: Vec<(u64, String)>,
    /// Values of its own.
    pub(super) values: Vec<(u64, String)>,
}

impl MetadataTree {
    /// Adds a node, whose parent was told before it: so the tree has no circles.
    pub(super) fn add(&mut self, record: &Fields) -> Result<(), &'static str> {
        let id = number(record, "id").ok_or("expected the number of a node")?;
        let attribute = number(record, "attr").ok_or("expected the attribute of a node")?;
        let data = record.get("data").and_then(|data| data.first()).cloned().unwrap_or_default();
        let parent = number(record, "parent").filter(|parent| *parent >= TOLD_BEFORE);
        if parent.is_some_and(|parent| !self.nodes.contains_key(&parent)) {
            return Err("a node below one that was not told before");
        }
        if id < TOLD_BEFORE {
            return Ok(());
        }
        match self.nodes.insert(id, MetadataNode { attribute, data, parent }) {
            None => Ok(()),
            Some(_) => Err("a node that was told before"),
        }
    }

    /// What a node and all above it say, the outermost first.
    fn holds(&self, id: u64) -> Result<Vec<(u64, String)>, &'static str> {
        let (mut holds, mut next) = (Vec::new(), Some(id).filter(|id| *id >= TOLD_BEFORE));
        while let Some(id) = next {
            let node = self.nodes.get(&id).ok_or("a node that was not told before")?;
            holds.push((node.attribute, node.data.clone()));
            next = node.parent;
        }
        holds.reverse();
        Ok(holds)
    }

    pub(super) fn snapshot(&self, record: &Fields) -> Result<Snapshot, &'static str> {
        let mut holds = Vec::new();
        for word in record.get("ref").into_iter().flatten() {
            holds.extend(self.holds(word.parse().map_err(|_| "expected the number of a node")?)?);
        }
        let lists = ["attr", "data"].map(|name| record.get(name).map_or(&[][..], Vec::as_slice));
        if lists[0].len() != lists[1].len() {
            return Err("expected as many values as attributes");
        }
        let values = lists[0].iter().zip(lists[1]).map(|(attribute, value)| {
            let attribute = attribute.parse().map_err(|_| "expected the number of an attribute")?;
            Ok((attribute, value.clone()))
        });
        Ok(Snapshot { holds, values: values.collect::<Result<_, &'static str>>()? })
    }

    pub(super) fn globals(&mut self, record: &Fields) -> Result<(), &'static str> {
        let Snapshot { holds, values } = self.snapshot(record)?;
        self.globals.extend(holds.into_iter().chain(values));
        Ok(())
    }

    /// `None` of a number that is no attribute.
    pub(super) fn attribute(&self, id: u64) -> Option<Attribute<'_>> {
        let node = self.nodes.get(&id).filter(|node| node.attribute == NAME)?;
        let mut attribute = Attribute { name: &node.data, unit: None, properties: 0 };
        let mut next = node.parent;
        while let Some(above) = next.and_then(|id| self.nodes.get(&id)) {
            let is_unit = |id| self.nodes.get(&id).is_some_and(|one| one.data == "attribute.unit");
            match above.attribute {
                PROPERTIES => attribute.properties = above.data.parse().unwrap_or_default(),
                NAME | TYPE => {}
                id if is_unit(id) => attribute.unit = Some(&above.data),
                _ => {}
            }
            next = above.parent;
        }
        Some(attribute)
    }

    /// What is known of the run.
    pub(super) fn facts(&self) -> Vec<(String, String)> {
        let known = self.globals.iter().filter_map(|(id, value)| {
            let attribute = self.attribute(*id)?;
            (!attribute.is_hidden()).then(|| (attribute.name.to_owned(), value.clone()))
        });
        known.collect()
    }

    /// Which Caliper wrote it.
    pub(super) fn version(&self) -> Option<[u32; 2]> {
        let facts = self.facts();
        let (_, version) = facts.iter().find(|(name, _)| name == "cali.caliper.version")?;
        let mut numbers = version.split(['.', '-']).map(str::parse);
        Some([numbers.next()?.ok()?, numbers.next()?.ok()?])
    }
}

impl Attribute<'_> {
    pub(super) const fn is_value(&self) -> bool {
        self.properties & AS_VALUE != 0
    }

    pub(super) const fn is_hidden(&self) -> bool {
        self.properties & HIDDEN != 0
    }

    const fn is_nested(&self) -> bool {
        self.properties & NESTED != 0
    }

    /// Microseconds in its unit; none where the unit is not told, or is none of time.
    pub(super) fn micros(&self) -> Option<f64> {
        match self.unit {
            Some("sec" | "s") => Some(1e6),
            Some("usec" | "us") => Some(1.0),
            Some("nsec" | "ns") => Some(1e-3),
            Some(_) => None,
            None => self.name.ends_with("time.duration.ns").then_some(1e-3),
        }
    }
}

impl Snapshot {
    /// The names of regions, the outermost first.
    pub(super) fn callpath(&self, tree: &MetadataTree) -> Vec<String> {
        let nested = |id: u64| tree.attribute(id).is_some_and(|one| one.is_nested());
        let named = |id: u64| tree.attribute(id).is_some_and(|one| PATHS.contains(&one.name));
        let of = |is_part: &dyn Fn(u64) -> bool| -> Vec<String> {
            let parts = self.holds.iter().filter(|(id, _)| is_part(*id));
            parts.map(|(_, value)| value.clone()).collect()
        };
        let path = of(&nested);
        if path.is_empty() { of(&named) } else { path }
    }

    /// The value of an attribute that is a number.
    pub(super) fn number(&self, tree: &MetadataTree, name: &str) -> Option<u64> {
        let all = self.values.iter().chain(&self.holds);
        let mut found =
            all.filter(|(id, _)| tree.attribute(*id).is_some_and(|one| one.name == name));
        found.next_back().and_then(|(_, value)| value.parse().ok())
    }
}

fn number(record: &Fields, field: &str) -> Option<u64> {
    record.get(field)?.first()?.parse().ok()
}

/// `name=value=value,name=value`; a backslash takes its meaning from a sign, and `\n` is a new line.
pub(super) fn fields(line: &str) -> Option<Fields> {
    let (mut all, mut parts) = (Fields::new(), vec![String::new()]);
    let mut signs = line.trim_end_matches(['\r', '\n']).chars();
    let mut take = |parts: &mut Vec<String>| {
        let mut values = std::mem::replace(parts, vec![String::new()]);
        let name = values.remove(0);
        all.insert(name, values);
    };
    while let Some(sign) = signs.next() {
        let last = parts.last_mut().expect("there is always one");
        match sign {
            '\\' => last.push(match signs.next()? {
                'n' => '\n',
                other => other,
            }),
            '=' => parts.push(String::new()),
            ',' => take(&mut parts),
            other => last.push(other),
        }
    }
    take(&mut parts);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_separate_are_escaped() {
        let record = fields("__rec=node,id=7,data=a\\,b\\=c\\\\\\nd").expect("a record");
        assert_eq!(record["data"], ["a,b=c\\\nd"]);
        let record = fields("__rec=ctx,attr=1=2,data=0.5=").expect("a record");
        assert_eq!(
            (&record["attr"][..], &record["data"][..]),
            (&["1".into(), "2".into()][..], &["0.5".into(), String::new()][..])
        );
        assert!(fields("a=\\").is_none(), "cut within a sign");
    }
}
