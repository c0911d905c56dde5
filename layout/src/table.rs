//! The append-only tables of a process: regions and objects.
//!
//! A record is filled, then its number is published by raising the count in the header (release);
//! a reader that saw the count (acquire) may read every record below it. Of a region only
//! `switched` changes later, of an object only `name` and `retired`.

use crate::sync::{AtomicU32, AtomicU64};

/// A region: something that begins and ends.
#[derive(Debug)]
#[repr(C)]
pub struct RegionRecord {
    /// String: its name.
    pub name: AtomicU32,
    /// A [`Kind`](crate::Kind).
    pub kind: AtomicU32,
    /// 1 while it is switched on: the public mirror of the private switch byte.
    pub switched: AtomicU32,
    /// Reserved, zero.
    pub reserved: AtomicU32,
    /// Address of the function it stands for, 0 when it has none.
    pub address: AtomicU64,
    /// Visits seen when it was last switched off for being too hot, 0 when it never was.
    pub hot_visits: AtomicU64,
}

/// An object: something that regions wait for or work on.
#[derive(Debug)]
#[repr(C)]
pub struct ObjectRecord {
    /// An [`ObjectKind`](crate::ObjectKind).
    pub kind: AtomicU32,
    /// Number of the object it belongs to, 0 when it stands for itself.
    pub parent: AtomicU32,
    /// String: its name, 0 when the key says all.
    pub name: AtomicU32,
    /// 1 when it does not exist any more.
    pub retired: AtomicU32,
    /// Tag, address or descriptor, as the kind says.
    pub key: AtomicU64,
    /// Where it was made (return address), 0 when unknown.
    pub site: AtomicU64,
}
