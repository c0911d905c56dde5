//! Plans functions of any bytes: an object is put around them, so that only the code is fuzzed.

use std::path::Path;
use std::sync::Arc;

use whyperf_code::plan::{Islands, Refusal, STUB_LENGTH, plan};
use whyperf_code::{FunctionId, Object, Opening};

/// Where the file is linked for, and where its code lies in it.
const BASE: u64 = 0x40_0000;
const CODE: u64 = 0x1000;
/// Longer functions are no harder.
const LONGEST: usize = 1024;

/// The first byte says where the second function begins; the others are the code of both.
pub(crate) fn feed(bytes: &[u8]) {
    let Some((cut, code)) = bytes.split_first() else { return };
    let code = &code[..code.len().min(LONGEST)];
    let cut = usize::from(*cut).min(code.len());
    let file = object(code, cut);
    let opening = Opening::new(Path::new("/nowhere/fuzzed"));
    let object = Object::of(opening, Arc::new(file)).expect("the object around the code is sound");
    let mut islands = Islands::new();
    for at in 0..object.functions().len() {
        let id = FunctionId(u32::try_from(at).expect("there are two functions at most"));
        match plan(&object, id, &mut islands) {
            Ok(plan) => {
                let stub = BASE + 0x10_0000;
                match plan.encode(0, stub, stub + 0x1000) {
                    Ok(encoded) => assert!(encoded.code.len() <= STUB_LENGTH),
                    Err(refusal) => assert_eq!(refusal, Refusal::ArenaOutOfReach),
                }
            }
            Err(refusal) => assert!(!refusal.to_string().is_empty()),
        }
    }
}

/// A program with two functions, `a` and `b`, behind each other, and nothing else.
fn object(code: &[u8], cut: usize) -> Vec<u8> {
    const SECTION_NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0";
    const NAMES: &[u8] = b"\0first\0second\0";
    let (address, length) = (BASE + CODE, code.len() as u64);
    let mut file = vec![0; CODE as usize];
    file.extend_from_slice(code);
    // Between the end of the code and the tables lies what compilers put there.
    file.extend_from_slice(&[0xcc; 32]);
    let symbols = file.len() as u64;
    file.extend_from_slice(&[0; 24]);
    for (name, from, to) in [(1u32, 0, cut as u64), (7, cut as u64, length)] {
        // Global functions in section 1.
        file.extend_from_slice(&name.to_le_bytes());
        file.extend_from_slice(&[0x12, 0, 1, 0]);
        words(&mut file, &[address + from, to - from]);
    }
    let names = file.len() as u64;
    file.extend_from_slice(NAMES);
    let section_names = file.len() as u64;
    file.extend_from_slice(SECTION_NAMES);
    let sections = file.len() as u64;
    let text = Section { name: 1, kind: 1, flags: 6, address, offset: CODE, size: length + 32 };
    let table = Section { name: 7, kind: 2, offset: symbols, size: 72, ..text };
    let strings = Section { name: 15, kind: 3, offset: names, size: NAMES.len() as u64, ..text };
    let size = SECTION_NAMES.len() as u64;
    let last = Section { offset: section_names, size, ..strings };
    file.extend_from_slice(&[0; 64]);
    text.write(&mut file, 0);
    table.write(&mut file, 3);
    strings.write(&mut file, 0);
    last.write(&mut file, 0);
    head(&mut file, sections, length);
    file
}

#[derive(Clone, Copy)]
struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    offset: u64,
    size: u64,
}

impl Section {
    fn write(self, file: &mut Vec<u8>, link: u32) {
        let is_table = self.kind != 1;
        let (flags, address) = if is_table { (0, 0) } else { (self.flags, self.address) };
        file.extend_from_slice(&self.name.to_le_bytes());
        file.extend_from_slice(&self.kind.to_le_bytes());
        words(file, &[flags, address, self.offset, self.size]);
        file.extend_from_slice(&link.to_le_bytes());
        file.extend_from_slice(&u32::from(is_table).to_le_bytes());
        words(file, &[1, if self.kind == 2 { 24 } else { 0 }]);
    }
}

/// The header of the file, and one segment that is loaded to be executed.
fn head(file: &mut [u8], sections: u64, length: u64) {
    let mut head = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // A shared object for x86-64, with five sections, the last of which names them.
    head.extend_from_slice(&[3, 0, 62, 0, 1, 0, 0, 0]);
    words(&mut head, &[BASE + CODE, 64, sections]);
    head.extend_from_slice(&[0, 0, 0, 0, 64, 0, 56, 0, 1, 0, 64, 0, 5, 0, 4, 0]);
    head.extend_from_slice(&[1, 0, 0, 0, 5, 0, 0, 0]);
    words(&mut head, &[CODE, BASE + CODE, BASE + CODE, length + 32, length + 32, 0x1000]);
    file[..head.len()].copy_from_slice(&head);
}

fn words(file: &mut Vec<u8>, words: &[u64]) {
    words.iter().for_each(|word| file.extend_from_slice(&word.to_le_bytes()));
}
