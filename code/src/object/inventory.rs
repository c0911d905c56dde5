//! All functions of an object, put together from its symbols, its unwind table and its stubs.
//!
//! Each entry is one function, however many names it has. Symbols say where functions begin and how long they are; the
//! unwind table knows functions without a symbol, and lengths that symbols lack; linker stubs are recognized by their
//! sections.

use ahash::{AHashMap, AHashSet};

use super::frames::{Frame, Frames};
use super::linkage::{Filling, Linkage};
use super::shape::Shape;
use super::symbols::{Form, NameRef, Strings, Symbol};
use crate::function::{Function, FunctionId, FunctionKind, Name, Scope};

/// Functions with their names.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    pub(crate) functions: Vec<Function>,
    /// For each function the last one before it that reaches beyond its entry.
    enclosing: Vec<u32>,
    /// Where in `names` those of each function begin.
    starts: Vec<u32>,
    names: Vec<NameRef>,
    tables: Vec<Strings>,
    /// Functions and the fragments that were cut from them, sorted.
    fragments: Vec<(FunctionId, FunctionId)>,
}

/// What is put together.
pub(crate) struct Parts<'object> {
    pub(crate) shape: &'object Shape,
    pub(crate) tables: Vec<Strings>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) frames: &'object Frames,
    pub(crate) linkage: &'object Linkage,
}

impl Inventory {
    pub(crate) fn of(parts: Parts<'_>) -> Self {
        let Parts { shape, tables, mut symbols, frames, linkage } = parts;
        // A function before a label, so that labels inside functions are known as such.
        symbols.sort_unstable_by_key(|symbol| {
            (symbol.address, symbol.form == Form::Label, symbol.name.table, symbol.unit)
        });
        let mut drafts = of_symbols(&symbols, &tables, linkage);
        drafts.extend(unnamed(&drafts, frames, linkage));
        drafts.sort_by_key(|draft| (draft.entry, draft.from == From::Frame));
        drafts.dedup_by_key(|draft| draft.entry);
        measure(&mut drafts, shape, frames);
        let mut inventory = Self { tables, ..Self::default() };
        for draft in &drafts {
            inventory.add(draft, &symbols, linkage);
        }
        inventory.starts.push(count(inventory.names.len()));
        inventory.join_fragments(&drafts, &symbols);
        inventory.enclosing = enclosing(&inventory.functions);
        inventory
    }

    /// The function around an address: of several the one that begins last.
    pub(crate) fn around(&self, address: u64) -> Option<FunctionId> {
        let after = self.functions.partition_point(|function| function.entry <= address);
        let mut at = after.checked_sub(1)?;
        for _ in 0..NESTED {
            if address < self.functions[at].end {
                return Some(FunctionId(count(at)));
            }
            at = usize::try_from(self.enclosing[at]).ok().filter(|outer| *outer < at)?;
        }
        None
    }

    /// The function that begins at an address.
    pub(crate) fn beginning(&self, entry: u64) -> Option<FunctionId> {
        let at = self.functions.binary_search_by_key(&entry, |function| function.entry).ok()?;
        Some(FunctionId(count(at)))
    }

    /// All names of a function, each once, the one that suits people best first.
    pub(crate) fn names(&self, function: FunctionId) -> Vec<Name> {
        let mut names: Vec<Name> =
            self.references(function).iter().map(|name| self.name(*name)).collect();
        names.sort_by_cached_key(|name| (rank(name), name.text.len(), name.text.clone()));
        names.dedup_by(|later, first| {
            let same = later.text == first.text;
            if same && first.version.is_none() {
                first.version = later.version.take();
            }
            same
        });
        names.retain(|name| !name.text.is_empty());
        names
    }

    /// The fragments that were cut from a function.
    pub(crate) fn fragments(&self, of: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        let start = self.fragments.partition_point(|(whole, _)| *whole < of);
        let theirs = self.fragments[start..].iter().take_while(move |(whole, _)| *whole == of);
        theirs.map(|(_, fragment)| *fragment)
    }

    pub(crate) fn name(&self, reference: NameRef) -> Name {
        let strings = &self.tables[usize::from(reference.table)];
        let whole = String::from_utf8_lossy(strings.name(reference));
        let (text, version) = match whole.split_once('@') {
            Some((text, version)) if !text.is_empty() => {
                (text, Some(version.trim_start_matches('@').to_owned()))
            }
            _ => (&*whole, strings.version(reference).map(str::to_owned)),
        };
        Name { text: text.to_owned(), version, scope: reference.scope }
    }

    fn references(&self, function: FunctionId) -> &[NameRef] {
        let bound = |at: usize| self.starts.get(at).map_or(0, |start| *start as usize);
        let (start, end) = (bound(function.index()), bound(function.index().saturating_add(1)));
        self.names.get(start..end).unwrap_or_default()
    }

    fn add(&mut self, draft: &Draft, symbols: &[Symbol], linkage: &Linkage) {
        self.starts.push(count(self.names.len()));
        self.functions.push(Function { entry: draft.entry, end: draft.end, kind: draft.kind });
        match draft.kind {
            FunctionKind::PltStub => {
                let slot = linkage.stub(draft.entry).and_then(|stub| stub.slot);
                if let Some(Filling::Import(name)) = slot.and_then(|slot| linkage.filling(slot)) {
                    self.names.push(name);
                }
            }
            _ => self.names.extend(draft.symbols(symbols).iter().map(|symbol| symbol.name)),
        }
    }

    /// Finds the functions that fragments are part of: by name, in the same source file if several
    /// files have a function of that name.
    fn join_fragments(&mut self, drafts: &[Draft], symbols: &[Symbol]) {
        let text = |symbol: &Symbol| self.tables[usize::from(symbol.name.table)].name(symbol.name);
        let mut wanted = Vec::new();
        for (at, draft) in drafts.iter().enumerate() {
            let named =
                draft.symbols(symbols).iter().find_map(|s| Some((whole_of(text(s))?, s.unit)));
            if let (FunctionKind::Fragment { .. }, Some((name, unit))) = (draft.kind, named) {
                wanted.push((at, name, unit));
            }
        }
        let names: AHashSet<&[u8]> = wanted.iter().map(|(_, name, _)| *name).collect();
        let mut candidates: AHashMap<&[u8], Vec<(u32, u32)>> = AHashMap::new();
        for (at, draft) in drafts.iter().enumerate() {
            for symbol in draft.symbols(symbols) {
                if names.contains(text(symbol)) {
                    candidates.entry(text(symbol)).or_default().push((count(at), symbol.unit));
                }
            }
        }
        let joined: Vec<(usize, FunctionId)> = wanted
            .iter()
            .filter_map(|(at, name, unit)| Some((*at, whole(candidates.get(name)?, *unit)?)))
            .collect();
        for (at, of) in joined {
            self.functions[at].kind = FunctionKind::Fragment { of: Some(of) };
            self.fragments.push((of, FunctionId(count(at))));
        }
        self.fragments.sort_unstable();
    }
}

/// A function on its way.
#[derive(Clone, Copy, Debug)]
struct Draft {
    entry: u64,
    end: u64,
    kind: FunctionKind,
    from: From,
    /// Where its symbols begin, and how many there are.
    symbols: (usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Symbol,
    Frame,
    Stub,
}

impl Draft {
    fn symbols<'all>(&self, all: &'all [Symbol]) -> &'all [Symbol] {
        &all[self.symbols.0..self.symbols.0 + self.symbols.1]
    }
}

/// A draft for each address that symbols of functions name.
fn of_symbols(symbols: &[Symbol], tables: &[Strings], linkage: &Linkage) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::with_capacity(symbols.len());
    let (mut covered, mut start) = (0, 0);
    for group in symbols.chunk_by(|a, b| a.address == b.address) {
        let entry = group[0].address;
        let size = group.iter().map(|symbol| symbol.size).max().unwrap_or(0);
        let end = entry.saturating_add(size);
        // A label in the middle of a function is none.
        let is_function = group[0].form != Form::Label || entry >= covered;
        if is_function && !linkage.is_stub(entry) {
            let kind = kind(group, tables);
            let symbols = (start, group.len());
            drafts.push(Draft { entry, end, kind, from: From::Symbol, symbols });
        }
        covered = covered.max(end);
        start += group.len();
    }
    drafts
}

fn kind(symbols: &[Symbol], tables: &[Strings]) -> FunctionKind {
    if symbols.iter().any(|symbol| symbol.form == Form::Ifunc) {
        return FunctionKind::Ifunc;
    }
    let name = |symbol: &Symbol| tables[usize::from(symbol.name.table)].name(symbol.name);
    if symbols.iter().any(|symbol| whole_of(name(symbol)).is_some()) {
        return FunctionKind::Fragment { of: None };
    }
    FunctionKind::Ordinary
}

/// Stubs, and functions that only the unwind table knows.
fn unnamed(named: &[Draft], frames: &Frames, linkage: &Linkage) -> Vec<Draft> {
    let stubs = linkage.stubs.iter().map(|stub| Draft {
        entry: stub.entry,
        end: stub.end,
        kind: FunctionKind::PltStub,
        from: From::Stub,
        symbols: (0, 0),
    });
    let mut found: Vec<Draft> = stubs.collect();
    let mut named = named.iter().peekable();
    let mut covered = 0;
    for frame in frames.iter() {
        while let Some(draft) = named.next_if(|draft| draft.entry <= frame.begin) {
            covered = covered.max(draft.end).max(draft.entry.saturating_add(1));
        }
        // What begins inside a function is a piece of it that is unwound in another way.
        if frame.begin >= covered && !linkage.is_stub(frame.begin) {
            found.push(Draft {
                entry: frame.begin,
                end: frame.end,
                kind: unnamed_kind(frame),
                from: From::Frame,
                symbols: (0, 0),
            });
        }
    }
    found
}

/// A function starts with nothing but its return address on the stack.
const fn unnamed_kind(frame: &Frame) -> FunctionKind {
    if frame.is_midway { FunctionKind::Fragment { of: None } } else { FunctionKind::Ordinary }
}

/// Gives ends to those that have none, and keeps all inside the code.
fn measure(drafts: &mut [Draft], shape: &Shape, frames: &Frames) {
    for at in 0..drafts.len() {
        let Draft { entry, end, .. } = drafts[at];
        let next = drafts.get(at + 1).map_or(u64::MAX, |next| next.entry);
        let end = match frames.around(entry) {
            Some(frame) if end == entry => frame.end.min(next),
            _ => end,
        };
        drafts[at].end = shape.code_at(entry).map_or(entry, |code| end.min(code.end));
    }
}

/// For each function the last one before it that reaches beyond its entry; itself without any.
fn enclosing(functions: &[Function]) -> Vec<u32> {
    let mut open: Vec<usize> = Vec::new();
    let mut found = Vec::with_capacity(functions.len());
    for (at, function) in functions.iter().enumerate() {
        while open.pop_if(|outer| functions[*outer].end <= function.entry).is_some() {}
        found.push(count(open.last().copied().unwrap_or(at)));
        open.push(at);
    }
    found
}

/// The name of the function that a fragment was cut from: `f.cold`, `f.part.0.cold`, `f.cold.7`.
fn whole_of(name: &[u8]) -> Option<&[u8]> {
    let at = name.windows(COLD.len()).rposition(|part| part == COLD)?;
    let number = &name[at + COLD.len()..];
    let is_number = number.is_empty()
        || number.len() > 1 && number[0] == b'.' && number[1..].iter().all(u8::is_ascii_digit);
    (at > 0 && is_number).then(|| &name[..at])
}

/// The function among those of one name that a fragment of a source file belongs to.
fn whole(candidates: &[(u32, u32)], unit: u32) -> Option<FunctionId> {
    let mut of_unit = candidates.iter().filter(|(_, theirs)| *theirs == unit);
    if let (Some((at, _)), None) = (of_unit.next(), of_unit.next()) {
        return Some(FunctionId(*at));
    }
    // Functions that others see belong to no file in the table.
    let mut seen = candidates.iter().filter(|(_, theirs)| *theirs == 0).map(|(at, _)| *at);
    let first = seen.next()?;
    seen.all(|other| other == first).then_some(FunctionId(first))
}

/// Order of names: what a program is written with before what libraries call it among themselves.
fn rank(name: &Name) -> (bool, usize) {
    let underscores = name.text.bytes().take_while(|byte| *byte == b'_').count();
    (name.scope == Scope::Local, if name.text.starts_with("_Z") { 0 } else { underscores })
}

/// Files have at most so many symbols: their places in tables are numbers of 32 bits.
fn count(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

const COLD: &[u8] = b".cold";

/// Functions that lie in each other; more are not made by any compiler.
const NESTED: usize = 64;
