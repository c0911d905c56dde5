//! The files of the checkout, read once, with what the rules ask about each.

use std::fs;
use std::path::{Path, PathBuf};

use crate::lexer::{self, Views};

/// Languages that the rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    C,
    Fortran,
    /// Python, shell and make: a comment starts with `#`.
    Hash,
    Markdown,
    Toml,
    Other,
}

/// One file: its path from the root with forward slashes, and its text.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) language: Language,
    /// Whether only tests compile the file, as another one says: `#[cfg(test)] mod name;`.
    compiled_for_tests: bool,
    views: Views,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let language = language_of(path, text);
        let views = match language {
            Language::Rust => lexer::views(text, lexer::Dialect::Rust),
            Language::C => lexer::views(text, lexer::Dialect::C),
            _ => Views::default(),
        };
        let (path, text) = (path.to_owned(), text.to_owned());
        Self { path, text, language, compiled_for_tests: false, views }
    }

    /// The text without comments and without what strings say. Rust and C only.
    pub(crate) fn code(&self) -> &str {
        &self.views.code
    }

    /// The comments alone, each where it stands. Rust and C only.
    pub(crate) fn comments(&self) -> &str {
        &self.views.comments
    }

    /// Whether the whole file is test code.
    pub(crate) fn is_test(&self) -> bool {
        let beside = |folder: &str| {
            self.path.starts_with(folder) || self.path.contains(&format!("/{folder}"))
        };
        beside("tests/") || beside("benches/") || self.compiled_for_tests
    }

    /// Line numbers, from one, of the modules that only tests compile.
    pub(crate) fn test_lines(&self) -> Vec<std::ops::RangeInclusive<usize>> {
        lexer::test_modules(self.code())
    }

    /// Whether a line, counted from one, is test code.
    pub(crate) fn tests_at(&self, line: usize) -> bool {
        self.is_test() || self.test_lines().iter().any(|range| range.contains(&line))
    }
}

/// All files of the project.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) files: Vec<Source>,
}

impl Tree {
    /// Reads the checkout that this test belongs to.
    pub(crate) fn of_project() -> Self {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        collect(&root, &root, &mut files);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        assert!(files.len() > 20, "only {} files below {}", files.len(), root.display());
        Self::of(files)
    }

    /// A tree of invented files, for the samples of the rules.
    pub(crate) fn sample(files: &[(&str, &str)]) -> Self {
        Self::of(files.iter().map(|(path, text)| Source::new(path, text)).collect())
    }

    fn of(mut files: Vec<Source>) -> Self {
        let for_tests: Vec<String> = files.iter().flat_map(test_modules_declared).collect();
        for file in &mut files {
            file.compiled_for_tests = for_tests.iter().any(|module| {
                file.path
                    .strip_prefix(module)
                    .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            });
        }
        Self { files }
    }

    pub(crate) fn file(&self, path: &str) -> Option<&Source> {
        self.files.iter().find(|file| file.path == path)
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &Source> {
        self.files.iter().filter(|file| file.language == Language::Rust)
    }

    /// Whether a path from the root names a file or a folder.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
    }
}

/// Paths, without their ending, of the modules that a file declares for tests only.
fn test_modules_declared(file: &Source) -> Vec<String> {
    let folder = match file.path.rsplit_once('/') {
        Some((folder, "lib.rs" | "main.rs" | "mod.rs")) => folder,
        _ => file.path.trim_end_matches(".rs"),
    };
    let lines: Vec<&str> = file.code().lines().collect();
    let declarations = file.test_lines().into_iter().filter_map(|range| {
        let last = lines.get(range.end() - 1)?.trim();
        let name = last.strip_suffix(';')?.rsplit_once("mod ")?.1;
        Some(format!("{folder}/{name}"))
    });
    declarations.collect()
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<Source>) {
    let entries = fs::read_dir(folder).expect("a folder of the checkout can be listed");
    for entry in entries {
        let path = entry.expect("an entry of the checkout can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_symlink() || matches!(name.as_str(), ".git" | "target" | "__pycache__") {
            continue;
        }
        if path.is_dir() {
            // Cargo marks its target folders, whatever they are called.
            if !path.join("CACHEDIR.TAG").exists() {
                collect(root, &path, files);
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            let relative = path.strip_prefix(root).expect("found below the root");
            files.push(Source::new(&relative.to_string_lossy(), &text));
        }
    }
}

fn language_of(path: &str, text: &str) -> Language {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "rs" => Language::Rust,
        "c" | "h" | "cc" | "cpp" | "hpp" => Language::C,
        "f" | "F" | "f90" | "F90" | "f08" => Language::Fortran,
        "py" | "sh" | "mk" => Language::Hash,
        "md" => Language::Markdown,
        "toml" => Language::Toml,
        _ if name == "Makefile" || text.starts_with("#!") => Language::Hash,
        _ => Language::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, Source, Tree};

    #[test]
    fn languages_go_by_name_and_first_line() {
        assert_eq!(Source::new("a/b.rs", "").language, Language::Rust);
        assert_eq!(Source::new("ci/loom", "#!/bin/sh\n").language, Language::Hash);
        assert_eq!(Source::new("tests/programs/Makefile", "").language, Language::Hash);
        assert_eq!(Source::new("LICENSE-MIT", "MIT").language, Language::Other);
    }

    #[test]
    fn modules_for_tests_are_known_by_their_declaration() {
        let tree = Tree::sample(&[
            ("a/src/lib.rs", "mod b;\n#[cfg(test)]\nmod c;\n"),
            ("a/src/b.rs", "#[cfg(test)]\nmod d;\n"),
            ("a/src/c.rs", ""),
            ("a/src/b/d.rs", ""),
        ]);
        let tests: Vec<bool> = tree.files.iter().map(Source::is_test).collect();
        assert_eq!(tests, [false, false, true, true]);
    }

    #[test]
    fn folders_are_known_by_their_files() {
        let tree = Tree::sample(&[("docs/a.md", "")]);
        assert!(tree.has("docs") && tree.has("docs/") && tree.has("docs/a.md"));
        assert!(!tree.has("doc") && !tree.has("docs/b.md"));
    }
}
