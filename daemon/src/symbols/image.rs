//! One program or shared library on disk: what lies at an address of it.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, ObjectSymbolTable, SymbolKind};

use whyperf_layout::geometry;

use super::Place;
use super::demangle::demangled;
use super::lines::Lines;
use super::unwind::Functions;
use crate::mapping::{Access, Mapping};

/// A symbol that covers addresses.
#[derive(Debug)]
struct Named {
    address: u64,
    size: u64,
    name: String,
}

/// First byte of a call with a distance of four bytes, on x86-64.
const CALL: u8 = 0xe8;

/// An object file, read.
pub(super) struct Image {
    /// File name, the module of what has no source file.
    name: String,
    /// File offset, address and length of each loaded part.
    segments: Vec<(u64, u64, u64)>,
    functions: Vec<Named>,
    variables: Vec<Named>,
    frames: Functions,
    /// Where the linker's stubs for functions of other objects lie.
    stubs: Vec<Range<u64>>,
    bytes: &'static [u8],
    lines: Option<Lines>,
    fortran: bool,
    is_x86: bool,
}

impl Image {
    /// Reads an object file; `None` when it is none.
    pub(super) fn open(path: &Path, reach: &Path) -> Option<Self> {
        let (bytes, file) = parsed(reach)?;
        let debug = (!file.has_debug_symbols() || file.symbol_table().is_none())
            .then(|| debug_file(path, &file))
            .flatten();
        let segments = file
            .segments()
            .map(|segment| {
                let (offset, length) = segment.file_range();
                (offset, segment.address(), length)
            })
            .collect();
        let (mut functions, mut variables) = (Vec::new(), Vec::new());
        for source in [Some(&file), debug.as_ref()].into_iter().flatten() {
            collect(source, &mut functions, &mut variables);
        }
        functions.sort_by_key(|function| (function.address, function.size));
        variables.sort_by_key(|variable| variable.address);
        let fortran = file
            .dynamic_symbols()
            .any(|symbol| symbol.name().is_ok_and(|name| name.starts_with("_gfortran_")));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let lines = Lines::of(&file).or_else(|| debug.as_ref().and_then(Lines::of));
        let frames = Functions::of(&file);
        let is_x86 = file.architecture() == object::Architecture::X86_64;
        let stubs = file
            .sections()
            .filter(|section| section.name().is_ok_and(|name| name.starts_with(".plt")))
            .map(|section| section.address()..section.address() + section.size())
            .collect();
        Some(Self {
            name,
            segments,
            functions,
            variables,
            frames,
            stubs,
            bytes,
            lines,
            fortran,
            is_x86,
        })
    }

    /// The address that a part of the file was linked for.
    pub(super) fn address(&self, offset: u64) -> Option<u64> {
        let within = |(start, _, length): &&(u64, u64, u64)| {
            offset.checked_sub(*start).is_some_and(|distance| distance < *length)
        };
        // Mappings are whole pages: just before a segment lies the end of the one before it.
        let (start, address, _) = self.segments.iter().rev().find(within)?;
        Some(address + (offset - start))
    }

    /// The address that the first byte of a mapping with variables was linked for. Its page may
    /// also hold the end of the part before: the later one is meant.
    pub(super) fn data_address(&self, offset: u64) -> Option<u64> {
        let page = geometry::PAGE as u64;
        let holds = |(start, _, length): &&(u64, u64, u64)| {
            start / page * page <= offset && offset < start + length
        };
        let (start, address, _) = self.segments.iter().rev().find(holds)?;
        Some(address.wrapping_add(offset.wrapping_sub(*start)))
    }

    /// The function that made the call before a return address.
    pub(super) fn caller(&self, returns_to: u64) -> Place {
        self.tail_caller(returns_to)
            .map_or_else(|| self.function(returns_to - 1), |begin| self.function(begin))
    }

    /// A function whose last act is a call jumps there, and the return address is its caller's:
    /// `main` calls `exchng1`, `exchng1` jumps to `MPI_Send`. The instruction before the return
    /// address then calls a function of this very file by its beginning, where else it would call
    /// a stub of the linker's. The line is that function's first.
    fn tail_caller(&self, returns_to: u64) -> Option<u64> {
        if !self.is_x86 {
            return None;
        }
        let offset = self.offset(returns_to - 1)?;
        let call = self.bytes.get((offset + 1).checked_sub(5)?..=offset)?;
        let [CALL, distance @ ..] = call else { return None };
        let distance = i32::from_le_bytes(distance.try_into().ok()?);
        let target = returns_to.wrapping_add_signed(distance.into());
        let is_function = covering(&self.functions, target).is_some_and(|f| f.address == target)
            || self.is_beginning(target);
        is_function.then_some(target)
    }

    /// Whether the unwind table has a function that begins here. Stubs have no entry of their own.
    fn is_beginning(&self, address: u64) -> bool {
        self.frames.begin(address) == Some(address)
            && !self.stubs.iter().any(|stubs| stubs.contains(&address))
    }

    /// Where in the file an address lies.
    fn offset(&self, address: u64) -> Option<usize> {
        let within = |(_, start, length): &&(u64, u64, u64)| {
            address.checked_sub(*start).is_some_and(|distance| distance < *length)
        };
        let (offset, start, _) = self.segments.iter().find(within)?;
        usize::try_from(offset + (address - start)).ok()
    }

    /// The function around an address.
    pub(super) fn function(&self, address: u64) -> Place {
        let call = self.lines.as_ref().and_then(|lines| lines.call(address));
        let symbol = covering(&self.functions, address).map(|symbol| symbol.name.clone());
        let Some(call) = call else {
            let function = symbol.map_or_else(
                || format!("{:#x}", self.frames.begin(address).unwrap_or(address)),
                |name| demangled(&name, self.fortran && name.ends_with('_')),
            );
            return Place { module: self.name.clone(), function, line: None };
        };
        // A procedure of a Fortran module is told from others by its symbol only; the main program
        // has its name in the debug information only.
        let by_symbol = symbol.clone().filter(|name| call.fortran && name != "MAIN__");
        let raw = by_symbol.or(call.function).or(symbol);
        let function = raw.map_or_else(
            || format!("{:#x}", self.frames.begin(address).unwrap_or(address)),
            |name| demangled(&name, call.fortran),
        );
        Place {
            module: call.module.unwrap_or_else(|| self.name.clone()),
            function,
            line: call.line,
        }
    }

    /// The variable around an address.
    pub(super) fn variable(&self, address: u64) -> Option<Place> {
        let variable = covering(&self.variables, address)?;
        let offset = address - variable.address;
        let name = demangled(&variable.name, self.fortran && variable.name.ends_with('_'));
        let function = if offset == 0 { name } else { format!("{name}+{offset}") };
        Some(Place { module: self.name.clone(), function, line: None })
    }
}

fn covering(symbols: &[Named], address: u64) -> Option<&Named> {
    let after = symbols.partition_point(|symbol| symbol.address <= address);
    // Of several at one address the largest stands last; a small one may lie inside a larger.
    symbols[..after].iter().rev().take(8).find(|symbol| address - symbol.address < symbol.size)
}

fn collect(file: &object::File<'_>, functions: &mut Vec<Named>, variables: &mut Vec<Named>) {
    let tables = [file.symbol_table(), file.dynamic_symbol_table()];
    for symbol in tables.into_iter().flatten().flat_map(|table| table.symbols()) {
        let list = match symbol.kind() {
            SymbolKind::Text => &mut *functions,
            SymbolKind::Data => &mut *variables,
            _ => continue,
        };
        let Ok(name) = symbol.name() else { continue };
        if symbol.is_definition() && !name.is_empty() && symbol.size() > 0 {
            let (address, size) = (symbol.address(), symbol.size());
            list.push(Named { address, size, name: name.to_owned() });
        }
    }
}

/// A parsed file that stays mapped: images are kept for as long as the daemon runs.
fn parsed(path: &Path) -> Option<(&'static [u8], object::File<'static>)> {
    let file = File::open(path).ok()?;
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    let mapping = Box::new(Mapping::of(&file, 0, length, Access::Read).ok()?);
    if object::File::parse(mapping.bytes()).is_err() {
        return None;
    }
    let bytes = Box::leak(mapping).bytes();
    Some((bytes, object::File::parse(bytes).ok()?))
}

/// The file that holds the debug information of a stripped one.
fn debug_file(path: &Path, file: &object::File<'_>) -> Option<object::File<'static>> {
    let id = file.build_id().ok().flatten();
    let same = |found: &object::File<'_>| match (id, found.build_id().ok().flatten()) {
        (Some(ours), Some(theirs)) => ours == theirs,
        _ => true,
    };
    let found = debug_paths(path, id, file).into_iter().filter(|candidate| candidate != path);
    found.filter_map(|candidate| Some(parsed(&candidate)?.1)).find(same)
}

fn debug_paths(path: &Path, id: Option<&[u8]>, file: &object::File<'_>) -> Vec<PathBuf> {
    let debug = Path::new("/usr/lib/debug");
    let mut paths = Vec::new();
    if let Some((first, rest)) = id.and_then(<[u8]>::split_first) {
        let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
        paths.push(debug.join(format!(".build-id/{first:02x}/{rest}.debug")));
    }
    if let (Ok(Some((name, _))), Some(folder)) = (file.gnu_debuglink(), path.parent()) {
        let name = String::from_utf8_lossy(name).into_owned();
        let below = folder.strip_prefix("/").unwrap_or(folder);
        paths.extend([
            folder.join(&name),
            folder.join(".debug").join(&name),
            debug.join(below).join(&name),
        ]);
    }
    paths
}
