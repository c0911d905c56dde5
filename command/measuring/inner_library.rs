//! The library inside the command, as `cargo install` builds it: it is written to a folder of the user's, from which programs load it.

use std::env;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::output::whole_file;

/// The path of the library that is inside, if there is one: written there when it is not there yet.
pub(crate) fn placed(name: &str) -> Option<Result<PathBuf>> {
    let bytes = BYTES?;
    let folder =
        |variable| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    Some(match cache {
        Some(cache) => in_folder(&cache.join("whyperf/library"), name, bytes),
        None => Err(anyhow::anyhow!("neither HOME nor XDG_CACHE_HOME names a folder for {name}")),
    })
}

/// Of each build there is one: programs that were started by an older one load that for as long as they start others.
fn in_folder(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    let folder = folder.join(format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), sum(bytes)));
    let place = folder.join(name);
    let prepared = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    prepared.with_context(|| format!("making {}", folder.display()))?;
    if !is_private(&folder) {
        bail!("{} may be written by others: {name} is not loaded from there", folder.display());
    }
    if fs::read(&place).is_ok_and(|found| found == bytes) {
        return Ok(place);
    }
    whole_file::replace(&place, bytes).with_context(|| format!("writing {}", place.display()))?;
    Ok(place)
}

/// Whether no other user can write there.
fn is_private(folder: &Path) -> bool {
    let found = |path: &Path| -> io::Result<fs::Metadata> { fs::metadata(path) };
    let (Ok(folder), Ok(own)) = (found(folder), found(Path::new("/proc/self"))) else {
        return false;
    };
    folder.is_dir() && folder.uid() == own.uid() && folder.mode() & 0o022 == 0
}

/// Tells builds apart; what lies there is compared byte by byte.
fn sum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(has_library)]
const BYTES: Option<&[u8]> = Some(include_bytes!(env!("WHYPERF_BUILT_LIBRARY")));
#[cfg(not(has_library))]
const BYTES: Option<&[u8]> = None;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("whyperf-inner-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("the temporary folder can be written");
        folder
    }

    #[test]
    fn what_lies_there_is_replaced_where_it_is_not_the_same() {
        let folder = folder("replaced");
        let place = in_folder(&folder, "lib.so", b"library").expect("the folder is ours");
        fs::write(&place, b"librarian").expect("the file is ours");
        let again = in_folder(&folder, "lib.so", b"library").expect("the folder is ours");
        assert_eq!(fs::read(again).expect("it was written"), b"library");
        fs::remove_dir_all(folder).expect("the folder is ours");
    }

    #[test]
    fn a_folder_that_others_may_write_is_not_used() {
        let folder = folder("open");
        let place = in_folder(&folder, "lib.so", b"library").expect("the folder is ours");
        let own = place.parent().expect("it lies in a folder");
        fs::set_permissions(own, fs::Permissions::from_mode(0o777)).expect("the folder is ours");
        let refused = in_folder(&folder, "lib.so", b"library");
        assert!(refused.is_err_and(|error| error.to_string().contains("may be written by others")));
        fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
