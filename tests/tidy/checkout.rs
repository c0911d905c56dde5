//! The files of the checkout that this test belongs to.

use std::fs;
use std::path::Path;

/// One text file: its path from the root with forward slashes, and its text.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// The lines that are compiled outside tests, each with its number: nothing after `#[cfg(test)] mod ... {`.
    pub(crate) fn shipped_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self.text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        self.text[..tests].lines().enumerate().map(|(number, line)| (number + 1, line))
    }

    /// Whether the file is part of the product: neither a test nor a benchmark.
    pub(crate) fn is_shipped_rust(&self) -> bool {
        let is_test = |part| matches!(part, "tests" | "benches" | "tests.rs" | "stepping.rs");
        self.path.ends_with(".rs") && !self.path.split('/').any(is_test)
    }
}

/// Every file of the project, in the order of the paths.
pub(crate) fn checkout() -> Vec<Source> {
    let mut files = Vec::new();
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut files);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(files.len() > 200, "{} files are no checkout", files.len());
    files
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("a folder of the checkout can be listed") {
        let path = entry.expect("an entry of the checkout can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let inside = format!("{prefix}{name}");
        // Cargo marks its target folders, whatever they are called.
        let is_foreign = [".git", "target", "__pycache__", "node_modules"].contains(&name.as_str())
            || path.is_symlink()
            || path.join("CACHEDIR.TAG").exists();
        if is_foreign {
            continue;
        }
        if path.is_dir() {
            collect(&path, &format!("{inside}/"), files);
        } else {
            // What is no text, as a picture, has none here, and can be pointed to all the same.
            let text = fs::read_to_string(&path).unwrap_or_default();
            files.push(Source { path: inside, text });
        }
    }
}
