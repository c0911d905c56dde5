//! Finds the shared object `libwhyperf.so`: where the user says, or else beside the command, where installations put it, or inside the command.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::measuring::inner_library;

/// The variable that names another place.
pub(crate) const VARIABLE: &str = "WHYPERF_LIBRARY";
/// What the shared object is called.
const NAME: &str = "libwhyperf.so";

/// The absolute path of `libwhyperf.so`.
pub(crate) fn find() -> Result<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        return named_by_user(Path::new(&named));
    }
    let command = env::current_exe().context("asking where the whyperf command itself is")?;
    let folder = command.parent().unwrap_or(&command);
    let prefix = folder.parent().unwrap_or(folder);
    let places = [folder.to_owned(), prefix.join("lib"), prefix.join("lib/whyperf")];
    for place in &places {
        if let Ok(found) = place.join(NAME).canonicalize() {
            return preloadable(found);
        }
    }
    if let Some(placed) = inner_library::placed(NAME) {
        return placed.and_then(preloadable);
    }
    let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    bail!("no {NAME} in {}; set {VARIABLE} to its path", places.join(", "))
}

/// The value for `LD_PRELOAD`: ours, then whatever else is there already.
pub(crate) fn preload(library: &Path, before: Option<OsString>) -> OsString {
    let mut value = library.as_os_str().to_owned();
    let before = before.unwrap_or_default();
    let is_separator = |byte: &u8| matches!(byte, b':' | b' ');
    for other in before.as_bytes().split(is_separator).map(OsStr::from_bytes) {
        if !other.is_empty() && other != library.as_os_str() {
            value.push(":");
            value.push(other);
        }
    }
    value
}

fn named_by_user(path: &Path) -> Result<PathBuf> {
    let path = if path.is_dir() { path.join(NAME) } else { path.to_owned() };
    let found = path.canonicalize().with_context(|| {
        format!("opening {}, which {VARIABLE} names as the library", path.display())
    })?;
    preloadable(found)
}

/// The dynamic linker splits `LD_PRELOAD` at these characters and offers no way to quote them.
fn preloadable(path: PathBuf) -> Result<PathBuf> {
    let text = path.to_string_lossy();
    ensure!(
        !text.contains([':', ' ', '\t', '\n']),
        "{text} cannot be preloaded: its path holds a space or a colon; put a link to it elsewhere and \
         name that in {VARIABLE}"
    );
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_preload_is_kept_behind_ours() {
        let ours = Path::new("/lib/libwhyperf.so");
        assert_eq!(preload(ours, None), "/lib/libwhyperf.so");
        assert_eq!(preload(ours, Some("".into())), "/lib/libwhyperf.so");
        assert_eq!(preload(ours, Some("/a.so /b.so".into())), "/lib/libwhyperf.so:/a.so:/b.so");
        let twice = preload(ours, Some("/a.so:/lib/libwhyperf.so".into()));
        assert_eq!(twice, "/lib/libwhyperf.so:/a.so");
    }

    #[test]
    fn a_path_that_the_linker_would_split_is_refused() {
        let refused = preloadable("/my libs/libwhyperf.so".into());
        assert!(refused.is_err_and(|error| error.to_string().contains("space")));
    }
}
