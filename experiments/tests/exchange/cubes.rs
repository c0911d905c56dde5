//! Cube reports written here: an exclusive and an inclusive metric, and what is hostile.

use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use whyperf_experiments::{ForeignFormat, ForeignProfile, cube};

use crate::round_trip::Folder;

const ANCHOR: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4"><metrics>
<metric id="0" type="EXCLUSIVE"><uniq_name>visits</uniq_name><dtype>UINT64</dtype><uom>occ</uom></metric>
<metric id="1" type="INCLUSIVE"><uniq_name>time</uniq_name><dtype>DOUBLE</dtype><uom>sec</uom></metric>
<metric id="2" type="POSTDERIVED"><uniq_name>ratio</uniq_name><dtype>DOUBLE</dtype><uom></uom></metric>
</metrics><program>
<region id="0" mod="/src/a.c" begin="7" end="9"><name>main</name></region>
<region id="1" mod="" begin="-1" end="-1"><name>f</name></region>
<region id="2" mod="MPI" begin="-1" end="-1"><name>MPI_Recv</name></region>
<cnode id="0" calleeId="0"><cnode id="1" calleeId="1"><cnode id="2" calleeId="2"></cnode></cnode><cnode id="3" calleeId="2"></cnode></cnode>
</program><system><systemtreenode Id="0"><name>node n1</name><class>node</class>
<locationgroup Id="0"><name>r0</name><rank>0</rank><location Id="0"><rank>0</rank></location></locationgroup>
<locationgroup Id="1"><name>r1</name><rank>1</rank><location Id="1"><rank>0</rank></location></locationgroup>
</systemtreenode></system></cube>"#;

fn index(numbers: &[u32]) -> Vec<u8> {
    let mut bytes = b"CUBEX.INDEX".to_vec();
    bytes.extend(1u32.to_le_bytes());
    bytes.extend([0, 0, 1]);
    let length = u32::try_from(numbers.len()).expect("few");
    bytes.extend([&[length], numbers].concat().iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

fn data(words: impl IntoIterator<Item = [u8; 8]>) -> Vec<u8> {
    b"CUBEX.DATA".iter().copied().chain(words.into_iter().flatten()).collect()
}

fn archive(folder: &Folder, anchor: &str, time: Vec<u8>) -> PathBuf {
    let visits = data([1u64, 1, 4, 5].map(u64::to_le_bytes));
    let files = [
        ("0.index", index(&[0, 2])),
        ("0.data", visits),
        // All children first: main, f, the MPI_Recv of main, and that of f.
        ("1.index", index(&[0, 1, 2, 3])),
        ("1.data", time),
        ("anchor.xml", anchor.as_bytes().to_vec()),
    ];
    let mut bytes = Vec::new();
    for (name, content) in files {
        let mut head = [0u8; 512];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        head[257..262].copy_from_slice(b"ustar");
        bytes.extend(head);
        bytes.extend(&content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.extend([0; 1024]);
    let path = folder.0.join("profile.cubex");
    std::fs::write(&path, bytes).expect("writable");
    path
}

fn times() -> Vec<u8> {
    data([10.0, 8.0, 6.0, 5.0, 1.0, 2.0, 4.0, 1.0].map(f64::to_le_bytes))
}

/// Values that are packed, and are a million times as many as there are callpaths.
fn bomb() -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(&vec![0; 1 << 20]).expect("a list takes all");
    let packed = packer.finish().expect("a list takes all");
    let head = [1u64, 0, 0, packed.len() as u64];
    let head = head.iter().flat_map(|word| word.to_le_bytes());
    b"ZCUBEX.DATA".iter().copied().chain(head).chain(packed).collect()
}

fn told(profile: &ForeignProfile) -> Vec<(String, f64, f64)> {
    let timers = profile.threads[0].timers.iter();
    timers.map(|one| (one.name.clone(), one.calls, one.values[0].exclusive / 1e6)).collect()
}

#[test]
fn values_belong_to_their_callpaths() {
    let folder = Folder::new();
    let path = archive(&folder, ANCHOR, times());
    assert_eq!(ForeignFormat::of(&path).ok(), Some(ForeignFormat::Cube));
    let profile = cube(&path).expect("well formed");
    let main = "main [{/src/a.c} {7,0}]";
    assert_eq!(
        told(&profile),
        [
            (main.to_owned(), 1.0, 3.0),
            (format!("{main} => MPI_Recv"), 0.0, 1.0),
            (format!("{main} => f"), 0.0, 2.0),
            (format!("{main} => f => MPI_Recv"), 4.0, 4.0),
        ]
    );
    assert_eq!(profile.threads[1].metadata, [("Hostname".to_owned(), "n1".to_owned())]);
    assert!(profile.notes[0].contains("1 metrics are derived"), "{:?}", profile.notes);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let folder = Folder::new();
    let refused = |anchor: &str, time: Vec<u8>| {
        cube(&archive(&folder, anchor, time)).expect_err("it makes no sense").to_string()
    };
    assert!(refused(ANCHOR, data([[0; 8]])).contains("as many as callpaths"));
    assert!(refused("<cube>", times()).contains("no XML"));
    let locations = ANCHOR.replace("<location ", "<nothing ").replace("</location>", "</nothing>");
    assert!(refused(&locations, times()).contains("no ranks and threads"));
    assert!(refused(ANCHOR, bomb()).contains("as many as callpaths"));
    let entities = r#"<!DOCTYPE cube [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><cube>&b;</cube>"#;
    assert!(refused(entities, times()).contains("no XML"), "a document of entities");
    let deep = format!("{}{}", "<cnode calleeId=\"0\">".repeat(20_000), "</cnode>".repeat(20_000));
    let anchor = ANCHOR.replace("<cnode id=\"0\"", &format!("{deep}<cnode id=\"0\""));
    assert!(refused(&anchor, times()).contains("too deep"));
}
