//! The offsets of the parts of a region, as C definitions for programs that play the daemon.

use std::mem::{offset_of, size_of};

use whyperf_layout::{Head, Header, Node, Outcome, RegionRecord, geometry};

/// As definitions for a C compiler.
pub(crate) fn offsets() -> Vec<String> {
    let all = [
        ("COMMANDS", geometry::COMMANDS),
        ("REPLIES", geometry::REPLIES),
        ("RESULTS", geometry::RESULTS),
        ("STAGING", geometry::STAGING),
        ("REGIONS", geometry::REGIONS),
        ("SLOTS", geometry::SLOTS),
        ("SLOT_SIZE", geometry::SLOT_SIZE),
        ("NODES", geometry::NODES_IN_SLOT),
        ("MAPPED_SIZE", geometry::slot_offset(64)),
        ("SLOT_COUNT", offset_of!(Header, slot_count)),
        ("HEAD_NODES", offset_of!(Head, nodes)),
        ("HEAD_FUNCTION", offset_of!(Head, function_inside)),
        ("HEAD_ANOMALIES", offset_of!(Head, anomalies)),
        ("NODE_REGION", offset_of!(Node, region)),
        ("SIGTRAP_BLOCKED", Outcome::SigtrapBlocked as usize),
    ];
    assert_eq!(size_of::<RegionRecord>(), 88, "as the programs have it");
    all.iter().map(|(name, value)| format!("-D{name}={value}ul")).collect()
}
