//! How long the elements of data types are.

use std::collections::BTreeMap;

use whyperf_extrapolate::Bytes;

use super::call::Call;

/// The sizes of the types of a rank.
#[derive(Debug, Default)]
pub(super) struct DataTypes {
    /// By number, as the file says or as they were made.
    known: BTreeMap<i64, u64>,
    /// How often a type was used whose size is not known.
    pub(super) unknown: u64,
}

impl DataTypes {
    /// Those that a file says the sizes of, at its end: `Datatype 28 (user-defined-datatype) has size 24`.
    pub(super) fn of(text: &str) -> Self {
        let size = |line: &str| {
            let (number, size) = line.trim().strip_prefix("Datatype ")?.split_once(" has size ")?;
            let size: u64 = size.parse().ok()?;
            Some((number.split(' ').next()?.parse().ok()?, size)).filter(|(_, size)| *size > 0)
        };
        Self { known: text.lines().filter_map(size).collect(), unknown: 0 }
    }

    /// Takes in a call that makes a type out of others.
    pub(super) fn make(&mut self, call: &Call<'_>) -> Result<(), String> {
        let times = match call.name {
            "MPI_Type_contiguous" => call.count("count")?,
            "MPI_Type_vector" | "MPI_Type_hvector" | "MPI_Type_create_hvector" => {
                call.count("count")?.saturating_mul(call.count("blocklength")?)
            }
            "MPI_Type_dup" | "MPI_Type_create_resized" => 1,
            _ => return Ok(()),
        };
        let made = call.number("newtype")?;
        if let Some(size) = self.size(call, "oldtype")? {
            self.known.insert(made, size.saturating_mul(times));
        }
        Ok(())
    }

    /// The bytes of so many elements of an argument's type; eight each where its size is not known, which is counted.
    pub(super) fn bytes(
        &mut self,
        count: u64,
        call: &Call<'_>,
        datatype: &str,
    ) -> Result<Bytes, String> {
        let size = self.size(call, datatype)?;
        self.unknown += u64::from(size.is_none() && count > 0);
        Ok(Bytes(count.saturating_mul(size.unwrap_or(8))))
    }

    fn size(&self, call: &Call<'_>, datatype: &str) -> Result<Option<u64>, String> {
        let known = self.known.get(&call.number(datatype)?).copied();
        Ok(known.or(of_name(call.text(datatype)?)))
    }
}

/// Bytes of one element of a type that the MPI has, by its name.
fn of_name(text: &str) -> Option<u64> {
    let name = text.split_once('(').map_or(text, |(_, name)| name.trim_end_matches(')'));
    match name.trim_start_matches("MPI_") {
        "CHAR" | "SIGNED_CHAR" | "UNSIGNED_CHAR" | "BYTE" | "PACKED" | "CHARACTER" | "INT8_T"
        | "UINT8_T" => Some(1),
        "SHORT" | "UNSIGNED_SHORT" | "INT16_T" | "UINT16_T" => Some(2),
        "INT" | "UNSIGNED" | "FLOAT" | "INTEGER" | "REAL" | "LOGICAL" | "WCHAR" | "INT32_T"
        | "UINT32_T" => Some(4),
        "SHORT_INT" => Some(6),
        "LONG" | "UNSIGNED_LONG" | "LONG_LONG" | "LONG_LONG_INT" | "UNSIGNED_LONG_LONG"
        | "DOUBLE" | "DOUBLE_PRECISION" | "COMPLEX" | "INT64_T" | "UINT64_T" | "FLOAT_INT"
        | "2INT" => Some(8),
        "DOUBLE_INT" | "LONG_INT" => Some(12),
        "LONG_DOUBLE" | "DOUBLE_COMPLEX" => Some(16),
        "LONG_DOUBLE_INT" => Some(20),
        _ => None,
    }
}
