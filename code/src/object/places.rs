//! Modules, functions and lines of an object.
//!
//! A call site and the function around it must come out under one name, or the search would look
//! for waits in a place that has no function. So the names are worked out at the entry of the
//! function, once; only the line is that of the address.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ahash::AHashMap;
use object::elf::SHT_DYNSYM;

use super::Object;
use super::headers::{ENDS, Headers};
use super::kept_places::{KeptPlaces, PlacesOrigin};
use super::variables::Variables;
use crate::demangle::{demangled, is_mangled};
use crate::function::{FunctionId, FunctionKind};
use crate::lines::{Lines, Written};
use crate::source_location::SourceLocation;

/// What names are made from.
#[derive(Debug, Default)]
pub(crate) struct Places {
    lines: OnceLock<Option<Mutex<Lines>>>,
    variables: OnceLock<Variables>,
    /// Whether a Fortran library is used.
    fortran: OnceLock<bool>,
    homes: Mutex<AHashMap<FunctionId, SourceLocation>>,
    kept: Mutex<KeptPlaces>,
}

/// How the name of the file ends that keeps places.
const PLACES: &str = ".places";

/// First byte of a call with a distance of four bytes.
const CALL: u8 = 0xe8;

impl Object {
    /// Module and name of a function, and its first line.
    #[must_use]
    pub fn place_of(&self, function: FunctionId) -> SourceLocation {
        let function = self.whole(function);
        let homes = || self.places.homes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = homes().get(&function) {
            return known.clone();
        }
        let Some(entry) = self.functions().get(function.index()).map(|found| found.entry) else {
            return self.described(0, None, None);
        };
        let place = self.kept_place(entry).unwrap_or_else(|| self.place_at(function, entry));
        homes().insert(function, place.clone());
        place
    }

    /// By debug information and symbols; later runs know it, too.
    fn place_at(&self, function: FunctionId, entry: u64) -> SourceLocation {
        let symbol = self.names(function).into_iter().next().map(|name| name.text);
        let written = self.written(entry);
        let is_costly = written.is_some() && !self.is_damaged();
        let place = self.described(entry, symbol, written);
        if let Some(file) = self.kept_file(PLACES).filter(|_| is_costly) {
            let mut kept = self.places.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.add(entry, &place, &file, self.places_origin());
        }
        place
    }

    fn kept_place(&self, entry: u64) -> Option<SourceLocation> {
        let file = self.kept_file(PLACES)?;
        let mut kept = self.places.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.find(entry, &file, self.places_origin())
    }

    fn places_origin(&self) -> PlacesOrigin {
        let debug = self.debug_file().found.as_ref().map_or(0, |(_, file)| file.bytes().len());
        PlacesOrigin { object: self.bytes().len() as u64, debug: debug as u64 }
    }

    /// The function around an address, and the line of the address.
    #[must_use]
    pub fn place(&self, address: u64) -> SourceLocation {
        match self.function_at(address) {
            Some(function) => {
                let line = self.written(address).and_then(|written| written.line);
                SourceLocation { line, ..self.place_of(function) }
            }
            None => self.described(address, None, self.written(address)),
        }
    }

    /// The function that made the call before a return address.
    #[must_use]
    pub fn caller(&self, returns_to: u64) -> SourceLocation {
        let call = returns_to.saturating_sub(1);
        let called =
            self.called(returns_to).and_then(|called| self.functions().get(called.index()));
        called.map_or_else(|| self.place(call), |called| self.place(called.entry))
    }

    /// The source file of a function with its folders, as its compiler was given it; `None` without debug information.
    #[must_use]
    pub fn source_path(&self, function: FunctionId) -> Option<String> {
        let entry = self.functions().get(self.whole(function).index())?.entry;
        self.lines()?.path(entry)
    }

    /// The functions that are inlined at an address, innermost first, then the one that was compiled.
    #[must_use]
    pub fn inlined(&self, address: u64) -> Vec<SourceLocation> {
        let frames = self.lines().map_or_else(Vec::new, |lines| lines.frames(address));
        frames.into_iter().map(|frame| self.described(address, None, Some(frame))).collect()
    }

    /// The variable around an address.
    #[must_use]
    pub fn variable(&self, address: u64) -> Option<SourceLocation> {
        let variables =
            self.places.variables.get_or_init(|| Variables::of(self.path(), &self.symbol_files()));
        let variable = variables.around(address)?;
        let offset = address - variable.address;
        let name = demangled(&variable.name, self.is_fortran() && variable.name.ends_with('_'));
        let function = if offset == 0 { name } else { format!("{name}+{offset}") };
        Some(SourceLocation { module: self.file_name(), function, line: None })
    }

    /// The function that a fragment is part of; others are whole.
    #[must_use]
    pub fn whole(&self, function: FunctionId) -> FunctionId {
        match self.functions().get(function.index()).map(|found| found.kind) {
            Some(FunctionKind::Fragment { of: Some(whole) }) => whole,
            _ => function,
        }
    }

    /// The function of this very file that the call before a return address names by its beginning; none where that is a stub of
    /// the linker's, or the run alone tells.
    ///
    /// A function whose last act is a call jumps there, and the return address is its caller's: `main` calls `exchng1`, `exchng1`
    /// jumps to `MPI_Send`. The code says which one it was.
    #[must_use]
    pub fn called(&self, returns_to: u64) -> Option<FunctionId> {
        if !cfg!(target_arch = "x86_64") {
            return None;
        }
        let [CALL, distance @ ..] = self.text(returns_to.checked_sub(5)?..returns_to)? else {
            return None;
        };
        let distance = i32::from_le_bytes(distance.try_into().ok()?);
        let target = returns_to.wrapping_add_signed(distance.into());
        let called = self.function_beginning(target)?;
        let function = self.functions().get(called.index())?;
        (function.kind != FunctionKind::PltStub).then_some(called)
    }

    /// The names at an address, from what debug information and symbols say of it.
    fn described(
        &self,
        address: u64,
        symbol: Option<String>,
        written: Option<Written>,
    ) -> SourceLocation {
        let nameless = || format!("{address:#x}");
        let Some(written) = written else {
            let is_fortran = |name: &str| self.is_fortran() && name.ends_with('_');
            let function = symbol.map_or_else(nameless, |name| demangled(&name, is_fortran(&name)));
            return SourceLocation { module: self.file_name(), function, line: None };
        };
        // A procedure of a Fortran module is told from others by its symbol only; the main program
        // has its name in the debug information only. Debug information has the name alone, without what it is a part of, where
        // the linker sees no name: two lambdas would be one function.
        let is_whole = written.function.as_deref().is_some_and(is_mangled);
        let is_better = |name: &String| match written.fortran {
            true => name != "MAIN__",
            false => !is_whole && is_mangled(name),
        };
        let by_symbol = symbol.clone().filter(is_better);
        let raw = by_symbol.or(written.function).or(symbol);
        let function = raw.map_or_else(nameless, |name| demangled(&name, written.fortran));
        let module = written.module.unwrap_or_else(|| self.file_name());
        SourceLocation { module, function, line: written.line }
    }

    fn written(&self, address: u64) -> Option<Written> {
        self.lines()?.written(address)
    }

    fn lines(&self) -> Option<MutexGuard<'_, Lines>> {
        let lines = self.places.lines.get_or_init(|| self.debug_information().map(Mutex::new));
        Some(lines.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The module of what has no source file.
    fn file_name(&self) -> String {
        self.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn is_fortran(&self) -> bool {
        *self.places.fortran.get_or_init(|| {
            let Ok(headers) = Headers::of(self.path(), self.bytes()) else { return false };
            let symbols = headers.sections.symbols(ENDS, headers.bytes, SHT_DYNSYM);
            symbols.is_ok_and(|table| {
                let mut names =
                    table.iter().filter_map(|symbol| table.symbol_name(ENDS, symbol).ok());
                names.any(|name| name.starts_with(b"_gfortran_"))
            })
        })
    }
}
