//! Where functions begin according to the unwind table, which also stripped objects carry.

use gimli::{BaseAddresses, CieOrFde, EhFrame, EndianSlice, LittleEndian, UnwindSection};
use object::{Object, ObjectSection};

/// Begin and length of every function, sorted.
#[derive(Debug, Default)]
pub(super) struct Functions {
    ranges: Vec<(u64, u64)>,
}

impl Functions {
    pub(super) fn of(file: &object::File<'_>) -> Self {
        let address = |name| file.section_by_name(name).map_or(0, |section| section.address());
        let Some(section) = file.section_by_name(".eh_frame") else { return Self::default() };
        let Ok(bytes) = section.data() else { return Self::default() };
        let bases = BaseAddresses::default()
            .set_eh_frame(section.address())
            .set_text(address(".text"))
            .set_got(address(".got"));
        let table = EhFrame::from(EndianSlice::new(bytes, LittleEndian));
        let mut ranges = Vec::new();
        let mut entries = table.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            if let CieOrFde::Fde(partial) = entry
                && let Ok(function) = partial.parse(EhFrame::cie_from_offset)
            {
                ranges.push((function.initial_address(), function.len()));
            }
        }
        ranges.sort_unstable();
        Self { ranges }
    }

    /// The beginning of the function around an address.
    pub(super) fn begin(&self, address: u64) -> Option<u64> {
        let after = self.ranges.partition_point(|(begin, _)| *begin <= address);
        let (begin, length) = *self.ranges.get(after.checked_sub(1)?)?;
        (address - begin < length).then_some(begin)
    }
}
