//! The memory of another process, read and written through the system's file of it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::threads::process_file;

/// An open `/proc/<pid>/mem`.
#[derive(Debug)]
pub(crate) struct Memory(File);

impl Memory {
    /// Of a process that this one may trace.
    pub(crate) fn open(pid: u32) -> io::Result<Self> {
        File::options().read(true).write(true).open(process_file(pid, "mem")).map(Self)
    }

    /// The same, to be read only.
    pub(crate) fn open_to_read(pid: u32) -> io::Result<Self> {
        File::open(process_file(pid, "mem")).map(Self)
    }

    /// All of these bytes.
    pub(crate) fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(into, at)
    }

    /// As many bytes as there are, up to `most`.
    pub(crate) fn read_most(&self, at: u64, most: usize) -> Vec<u8> {
        let mut bytes = vec![0; most];
        let mut length = 0;
        while length < most {
            match self.0.read_at(&mut bytes[length..], at + length as u64) {
                Ok(0) | Err(_) => break,
                Ok(more) => length += more,
            }
        }
        bytes.truncate(length);
        bytes
    }

    /// One word.
    pub(crate) fn word(&self, at: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.read(at, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A string that ends with zero, or what there is of it.
    pub(crate) fn text(&self, at: u64) -> String {
        let bytes = self.read_most(at, 512);
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }

    /// Writes also where the process itself may not.
    pub(crate) fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, at)
    }
}
