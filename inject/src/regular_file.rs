//! Opens files whose names come from measured processes: only regular ones, and without waiting.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Opens a regular file to read it. A named pipe would be waited for until somebody writes to it, and a device may do anything.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC;
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_and_a_device_are_refused_at_once() {
        let pipe = std::env::temp_dir().join(format!("whyperf-pipe-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|done| done.success()));
        let refused = open_regular(&pipe).map_err(|error| error.kind());
        std::fs::remove_file(&pipe).expect("it was made");
        assert_eq!(refused.err(), Some(io::ErrorKind::InvalidInput));
        assert!(open_regular(Path::new("/dev/zero")).is_err());
        assert!(open_regular(Path::new("/proc/self/exe")).is_ok());
    }
}
