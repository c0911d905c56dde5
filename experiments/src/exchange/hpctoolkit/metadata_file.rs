//! What `meta.db` says: metrics, kinds of identifiers, and the tree of contexts with functions, loops, lines and instructions.
//!
//! After HPCToolkit's description of its formats, version 4.0. Instructions with values of their own may be missing from the tree; so values are those of the
//! scope `function`: a context has those of all below it up to where they are no longer handed on, as from a call. What a context hands on is
//! part of what the one around it has, and counts there less.

use std::collections::HashMap;
use std::rc::Rc;

use super::call_context::{Around, ContextMetric, metric_unit};
use super::little_words::LittleWords;

/// Callpaths deeper than this are no program's.
const DEEPEST: usize = 10_000;
/// Sections of the file.
const NAMES: u64 = 1;
const METRICS: u64 = 2;
const CONTEXT: u64 = 3;
/// Kinds of scopes and of contexts.
const SCOPE: &str = "function";
const FUNCTION: u8 = 0;
const LOOP: u8 = 1;
/// What a context has beside.
const HAS_FUNCTION: u8 = 1;
const HAS_PLACE: u8 = 2;
/// Numbers of metrics have 16 bits.
const MOST_METRICS: u32 = 1 << 17;
/// The length of a context without that.
const CONTEXT_SIZE: u64 = 32;

/// All of it, as far as a profile needs it.
#[derive(Debug, Default)]
pub(super) struct MetadataFile {
    pub(super) metrics: Vec<ContextMetric>,
    /// Which bit of a context says that it hands values of that scope on.
    bit: u8,
    /// Metrics that have no values of functions.
    pub(super) left_out: usize,
    /// Names of the kinds of identifiers.
    pub(super) kinds: Vec<String>,
    /// By number: functions, loops and entry points, and what else hands nothing on.
    pub(super) contexts: HashMap<u32, SummedContext>,
}

/// A context with values that count.
#[derive(Debug)]
pub(super) struct SummedContext {
    /// The function or loop that it is or is in.
    pub(super) around: Rc<Around>,
    /// Whether its values are in those of what is around that, too.
    pub(super) is_within: bool,
}

/// Contexts that are to be read: where they are, how long they are, what is around them.
struct Siblings {
    at: u64,
    end: u64,
    around: Rc<Around>,
}

impl MetadataFile {
    /// Reads the bytes of the file; `None` where they make no sense.
    pub(super) fn parse(words: LittleWords<'_>) -> Option<Self> {
        let mut file = Self::default();
        let names = words.section(NAMES)?;
        for kind in 0..u64::from(words.byte(names + 8)?) {
            let name = words.element(words.place(names)?, kind, 8)?;
            file.kinds.push(words.text(words.place(name)?)?);
        }
        file.read_metrics(words)?;
        file.read_contexts(words)?;
        Some(file)
    }

    fn read_metrics(&mut self, words: LittleWords<'_>) -> Option<()> {
        let section = words.section(METRICS)?;
        let (list, count) = (words.place(section)?, words.int(section + 8)?);
        let sizes = [12, 13].map(|at| words.byte(section + at).map(u64::from));
        let [Some(size), Some(scoped_size)] = sizes else { return None };
        let mut left = MOST_METRICS;
        for number in 0..u64::from(count) {
            let metric = words.element(list, number, size)?;
            let name = words.text(words.place(metric)?)?;
            let scoped = words.place(metric + 8)?;
            let before = self.metrics.len();
            for number in 0..u64::from(words.short(metric + 24)?) {
                left = left.checked_sub(1)?;
                let one = words.element(scoped, number, scoped_size)?;
                let scope = words.place(one)?;
                if words.text(words.place(scope)?)? == SCOPE {
                    self.bit = words.byte(scope + 9).filter(|bit| *bit < 16)?;
                    let number = u32::from(words.short(one + 8)?);
                    let (name, micros) = (name.clone(), metric_unit(&name));
                    self.metrics.push(ContextMetric { number, name, micros });
                }
            }
            self.left_out += usize::from(self.metrics.len() == before);
            left = left.checked_sub(1)?;
        }
        Some(())
    }

    fn read_contexts(&mut self, words: LittleWords<'_>) -> Option<()> {
        let section = words.section(CONTEXT)?;
        let (list, count) = (words.place(section)?, words.short(section + 8)?);
        let size = u64::from(words.byte(section + 10)?);
        let mut open = Vec::new();
        for number in 0..u64::from(count) {
            let entry = words.element(list, number, size)?;
            let name = words.text(words.place(entry + 24)?)?;
            let around = Around::new(name, None, None);
            let known = SummedContext { around: around.clone(), is_within: false };
            self.contexts.insert(words.int(entry + 16)?, known);
            open.push(siblings(words, entry, around)?);
        }
        // No file has more contexts than fit into it: one whose contexts are below themselves would never end.
        let mut left = words.0.len() as u64 / CONTEXT_SIZE;
        while let Some(Siblings { mut at, end, around }) = open.pop() {
            while at < end {
                left = left.checked_sub(1)?;
                let own = within(words, at, &around)?;
                if own.depth > DEEPEST {
                    return None;
                }
                let is_within = words.short(at + 24)? >> self.bit & 1 == 1;
                if !is_within || matches!(words.byte(at + 22)?, FUNCTION | LOOP) {
                    let known = SummedContext { around: own.clone(), is_within };
                    self.contexts.insert(words.int(at + 16)?, known);
                }
                let flexible = u64::from(words.byte(at + 23)?);
                open.push(siblings(words, at, own)?);
                at = at.checked_add(CONTEXT_SIZE + 8 * flexible)?;
            }
        }
        Some(())
    }
}

/// The contexts below one, or below an entry point: both begin alike.
fn siblings(words: LittleWords<'_>, of: u64, around: Rc<Around>) -> Option<Siblings> {
    let (length, at) = (words.long(of)?, words.place(of + 8)?);
    Some(Siblings { at, end: at.checked_add(length)?, around })
}

/// What is around the values of a context: a function or loop is itself, lines and instructions are in what they are in.
fn within(words: LittleWords<'_>, at: u64, outer: &Rc<Around>) -> Option<Rc<Around>> {
    let (flags, kind) = (words.byte(at + 20)?, words.byte(at + 22)?);
    let flexible = at + CONTEXT_SIZE;
    match kind {
        FUNCTION if flags & HAS_FUNCTION == 0 => {
            Some(Around::new("<unknown function>".into(), None, Some(outer.clone())))
        }
        FUNCTION => {
            let function = words.place(flexible)?;
            let file = file(words, words.place(function + 24)?)?;
            let line = Some(words.int(function + 32)?).filter(|line| *line > 0);
            let name = match words.place(function)? {
                0 => format!("<function at {:#x}>", words.long(function + 16)?),
                name => words.text(name)?,
            };
            Some(Around::new(name, file.map(|file| (file, line)), Some(outer.clone())))
        }
        LOOP => {
            let place = flexible + if flags & HAS_FUNCTION == 0 { 0 } else { 8 };
            let known = flags & HAS_PLACE != 0;
            let file = if known { file(words, words.place(place)?)? } else { None };
            let line = if known { words.int(place + 8)? } else { 0 };
            let name = format!("loop at line {line}");
            Some(Around::new(name, file.map(|file| (file, Some(line))), Some(outer.clone())))
        }
        _ => Some(outer.clone()),
    }
}

/// The path of a file; none where none is told.
fn file(words: LittleWords<'_>, at: u64) -> Option<Option<String>> {
    if at == 0 { Some(None) } else { words.text(words.place(at + 8)?).map(Some) }
}
