//! The filter of a run: which functions the user leaves out of measuring, and how many of the program's that are.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use whyperf_experiments::FilterFile;
use whyperf_instrument::ProgramCode;
use whyperf_model::{CodeFilter, Hierarchy, Pair};

use crate::output::report::ReportedFilter;
use crate::search::directive_file::DirectiveFile;

/// A filter, and the program that it is for.
#[derive(Debug)]
pub(crate) struct LeftOut {
    file: String,
    filter: Arc<CodeFilter>,
    notes: Vec<String>,
    program: Option<PathBuf>,
    /// Of how many functions of the program how many: counted once, when it is first asked for.
    counted: OnceCell<Option<(usize, usize)>>,
}

/// What a filter says; all its mistakes, one a line, where it has some.
pub(crate) fn read(file: &DirectiveFile) -> Result<FilterFile, String> {
    let text = file.text.as_ref().map_err(String::clone)?;
    FilterFile::parse(text).map_err(|mistakes| {
        let told = mistakes.iter().map(|mistake| format!("{}:{mistake}", file.name));
        told.collect::<Vec<_>>().join("\n")
    })
}

/// Why pairs that are to be measured by name cannot be, for a filter leaves out what they name.
pub(crate) fn check(filter: &CodeFilter, pairs: &[Pair]) -> Result<(), String> {
    let all = pairs.iter().flat_map(|pair| pair.focus.part(Hierarchy::Code));
    match all.into_iter().find(|code| filter.leaves_out_code(code)) {
        None => Ok(()),
        Some(code) => Err(format!(
            "--measure asks for {code}, which --filter leaves out: leave out one of the two"
        )),
    }
}

impl LeftOut {
    /// By this file, if there is one, of this program.
    pub(crate) fn of(
        file: Option<&DirectiveFile>,
        program: Option<PathBuf>,
    ) -> Result<Option<Self>, String> {
        let Some(file) = file else { return Ok(None) };
        let FilterFile { filter, notes, .. } = read(file)?;
        Ok(Some(Self {
            file: file.name.clone(),
            filter: Arc::new(filter),
            notes,
            program,
            counted: OnceCell::new(),
        }))
    }

    /// The rules.
    pub(crate) fn filter(&self) -> &Arc<CodeFilter> {
        &self.filter
    }

    /// What the file says beside and is not done.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        self.notes.iter().map(|note| format!("{}, {note}", self.file))
    }

    /// For the report.
    pub(crate) fn reported(&self) -> ReportedFilter {
        let counted = self.counted.get_or_init(|| {
            let program = self.program.as_deref().and_then(ProgramCode::of)?;
            Some(program.left_out(&self.filter))
        });
        ReportedFilter {
            file: self.file.clone(),
            left_out: counted.map(|(left_out, _)| left_out),
            functions: counted.map(|(_, functions)| functions),
        }
    }
}
