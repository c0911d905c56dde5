//! Databases of HPCToolkit written here, of both forms: a call tree with a loop and an inlined function, of two ranks.

use std::path::Path;

use whyperf_experiments::{ForeignFormat, ForeignProfile, hpctoolkit};

use crate::round_trip::Folder;

const TREE: &str = r#"<?xml version="1.0"?>
<!DOCTYPE HPCToolkitExperiment [
<!ELEMENT M EMPTY>
]>
<HPCToolkitExperiment version="2.0"><Header n="app"/><SecCallPathProfile i="0" n="app"><SecHeader>
<MetricTable><Metric i="3" n="CPUTIME (usec):Sum (E)" v="derived-incr" t="exclusive"/></MetricTable>
<MetricDBTable>
<MetricDB i="0" n="CPUTIME (usec) (I)" t="inclusive" db-glob="*.metric-db" db-id="0"/>
<MetricDB i="1" n="CPUTIME (usec) (E)" t="exclusive" db-glob="*.metric-db" db-id="1"/>
</MetricDBTable>
<FileTable><File i="3" n="./src/app.c"/><File i="4" n="&lt;unknown file&gt;"/></FileTable>
<ProcedureTable><Procedure i="7" n="main"/><Procedure i="8" n="MPI_Recv"/><Procedure i="9" n="f"/></ProcedureTable>
</SecHeader><SecCallPathProfileData>
<PF i="1" l="19" f="3" n="7"><S i="2" l="20"><M n="3" v="100"/></S>
<L i="3" l="30" f="3"><S i="4" l="31"><M n="3" v="40"/></S><C i="5" l="31"><PF i="6" l="0" f="4" n="8"><S i="7" l="0"><M n="3" v="8"/></S></PF></C>
<Pr i="8" l="5" f="3" n="9"><S i="9" l="6"><M n="3" v="2"/></S></Pr></L></PF>
</SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>"#;

/// Nine nodes, of each an inclusive and an exclusive value: frames have those of their statements, too.
const EXCLUSIVE: [f64; 9] = [140.0, 100.0, 40.0, 40.0, 0.0, 8.0, 8.0, 2.0, 2.0];

fn values(nodes: u32, scale: f64) -> Vec<u8> {
    let mut bytes = b"HPCPROF-metricdb__00.10b".to_vec();
    bytes.extend([nodes, 2].iter().flat_map(|word| word.to_be_bytes()));
    let pairs = EXCLUSIVE.iter().flat_map(|value| [0.0, value * scale]);
    bytes.extend(pairs.flat_map(f64::to_be_bytes));
    bytes
}

fn folder(tree: &str, files: &[(&str, Vec<u8>)]) -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.0.join("experiment.xml"), tree).expect("writable");
    for (name, bytes) in files {
        std::fs::write(folder.0.join(name), bytes).expect("writable");
    }
    folder
}

const RANKS: [&str; 2] =
    ["1.app-000000-000-a8c00270-7-0.metric-db", "1.app-000001-000-a8c00270-8-0.metric-db"];

fn told(profile: &ForeignProfile, thread: usize) -> Vec<(&str, f64)> {
    let timers = profile.threads[thread].timers.iter();
    timers.map(|one| (one.name.as_str(), one.values[0].exclusive)).collect()
}

const MAIN: &str = "main [{./src/app.c} {19,0}]";
const LOOP: &str = "loop at line 30 [{./src/app.c} {30,0}]";

#[test]
fn statements_are_summed_up_at_what_is_around_them() {
    let folder = folder(TREE, &[(RANKS[0], values(9, 1.0)), (RANKS[1], values(9, 2.0))]);
    assert_eq!(ForeignFormat::of(&folder.0).ok(), Some(ForeignFormat::HpcToolkit));
    let profile = hpctoolkit(&folder.0).expect("well formed");
    let inner = [format!("{MAIN} => {LOOP}"), format!("{MAIN} => {LOOP} => MPI_Recv")];
    let inlined = format!("{MAIN} => {LOOP} => f [{{./src/app.c}} {{5,0}}]");
    assert_eq!(
        told(&profile, 1),
        [(MAIN, 200.0), (&inner[0], 80.0), (&inner[1], 16.0), (&inlined, 4.0)]
    );
    assert!(profile.metrics.len() == 1 && profile.metrics[0].is_time());
    let whole = profile.threads[0].timers[0].values[0].inclusive;
    assert!((whole - 150.0).abs() < 1e-9, "each statement once: {whole}");
}

#[test]
fn without_files_of_threads_the_tree_has_the_sums() {
    let folder = folder(TREE, &[]);
    let profile = hpctoolkit(&folder.0.join("experiment.xml")).expect("well formed");
    assert_eq!(told(&profile, 0)[0], (MAIN, 100.0));
    assert!(profile.notes.iter().any(|note| note.contains("sums over all of them")));
}

#[test]
fn what_does_not_belong_together_or_is_hostile_is_refused() {
    let refused = |tree: &str, values: Vec<u8>| {
        let folder = folder(tree, &[(RANKS[0], values)]);
        hpctoolkit(&folder.0).expect_err("it makes no sense").to_string()
    };
    assert!(refused(TREE, values(9, 1.0)[..100].to_vec()).contains("that were cut"));
    assert!(refused(TREE, b"something else".to_vec()).contains("no values of HPCToolkit"));
    let fewer = TREE.replace("<S i=\"9\"", "<S i=\"99\"");
    assert!(refused(&fewer, values(9, 1.0)).contains("fewer nodes"));
    let bomb =
        TREE.replace("<!ELEMENT M EMPTY>", "<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">");
    assert!(refused(&bomb, values(9, 1.0)).contains("entities of its own"));
    let frames = "<PF i=\"1\" l=\"1\" f=\"3\" n=\"7\">".repeat(20_000);
    let deep = TREE.replace(
        "<PF i=\"1\" l=\"19\"",
        &format!("{frames}{}<PF i=\"1\" l=\"19\"", "</PF>".repeat(20_000)),
    );
    assert!(refused(&deep, values(9, 1.0)).contains("too deep"));
    assert!(refused("<html/>", values(9, 1.0)).contains("something else"));
}

/// The files `meta.db` and `profile.db` of two ranks, in which `main` has a loop with a line in it that calls a function without a name.
struct Later {
    meta: Vec<u8>,
    profile: Vec<u8>,
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn long(bytes: &mut [u8], at: usize, value: u64) {
    put(bytes, at, &value.to_le_bytes());
}

/// Bytes of `version 4` with places of sections, in which texts stand from 0x700 on.
fn blank(magic: &[u8], sections: &[(usize, u64)]) -> Vec<u8> {
    let mut bytes = vec![0; 0x800];
    put(&mut bytes, 0, magic);
    bytes[14] = 4;
    sections.iter().for_each(|(number, at)| long(&mut bytes, 16 + 16 * number + 8, *at));
    for (at, text) in [
        (0x700, "RANK"),
        (0x710, "CPUTIME (sec)"),
        (0x720, "main thread"),
        (0x730, "main"),
        (0x740, "a.c"),
        (0x750, "execution"),
        (0x760, "function"),
    ] {
        put(&mut bytes, at, text.as_bytes());
    }
    bytes
}

/// A context: where its children are and how long they are, its number, what it has beside and of which kind it is.
fn context(bytes: &mut [u8], at: usize, children: (u64, u64), number: u8, kind: [u8; 3]) {
    long(bytes, at, children.1);
    long(bytes, at + 8, children.0);
    bytes[at + 16] = number;
    for (place, value) in [20, 22, 23].into_iter().zip(kind) {
        bytes[at + place] = value;
    }
    // Loops and lines hand on what they have, functions do not.
    bytes[at + 24] = u8::from(kind[1] != 0);
}

fn later() -> Later {
    let mut meta = blank(b"HPCTOOLKITmeta", &[(1, 0x100), (2, 0x140), (3, 0x240)]);
    long(&mut meta, 0x100, 0x110);
    meta[0x108] = 1;
    long(&mut meta, 0x110, 0x700);
    // A metric in two scopes, of which number 5 is that of functions.
    long(&mut meta, 0x140, 0x180);
    put(&mut meta, 0x148, &[1, 0, 0, 0, 32, 16]);
    long(&mut meta, 0x180, 0x710);
    long(&mut meta, 0x188, 0x1a0);
    meta[0x198] = 2;
    for (at, scope, number) in [(0x1a0, 0x1d0, 4), (0x1b0, 0x1e0, 5)] {
        long(&mut meta, at, scope);
        meta[at + 8] = number;
    }
    long(&mut meta, 0x1d0, 0x750);
    long(&mut meta, 0x1e0, 0x760);
    // An entry, and below it a function, a loop, a line and a function of which nothing is known.
    long(&mut meta, 0x240, 0x260);
    (meta[0x248], meta[0x24a]) = (1, 32);
    long(&mut meta, 0x260, 40);
    long(&mut meta, 0x268, 0x300);
    meta[0x270] = 1;
    long(&mut meta, 0x278, 0x720);
    context(&mut meta, 0x300, (0x340, 48), 2, [1, 0, 1]);
    long(&mut meta, 0x320, 0x400);
    context(&mut meta, 0x340, (0x380, 48), 3, [2, 1, 2]);
    long(&mut meta, 0x360, 0x440);
    meta[0x368] = 30;
    context(&mut meta, 0x380, (0x3c0, 32), 4, [2, 2, 2]);
    context(&mut meta, 0x3c0, (0, 0), 5, [0, 0, 0]);
    // The function and its file.
    long(&mut meta, 0x400, 0x730);
    long(&mut meta, 0x418, 0x440);
    meta[0x420] = 19;
    long(&mut meta, 0x448, 0x740);
    let mut profile = blank(b"HPCTOOLKITprof", &[(0, 0x100)]);
    long(&mut profile, 0x100, 0x120);
    put(&mut profile, 0x108, &[3, 0, 0, 0, 48]);
    profile[0x120 + 40] = 1;
    for (rank, at) in [(0u8, 0x150), (1, 0x180)] {
        long(&mut profile, at, 5);
        long(&mut profile, at + 8, 0x300);
        profile[at + 16] = 5;
        long(&mut profile, at + 24, 0x380);
        let tuple = 0x200 + 0x20 * usize::from(rank);
        long(&mut profile, at + 32, tuple as u64);
        (profile[tuple], profile[tuple + 12]) = (1, rank);
    }
    // Values of metric 4 are inclusive; context 0 is the whole program, and a loop's are in its function's.
    let values = [(4u16, 9.0f64), (5, 3.0), (5, 2.0), (5, 2.0), (5, 1.0)];
    for (at, (metric, value)) in values.into_iter().enumerate() {
        put(&mut profile, 0x300 + 10 * at, &metric.to_le_bytes());
        put(&mut profile, 0x302 + 10 * at, &value.to_le_bytes());
    }
    for (at, context) in [0u32, 2, 3, 4, 5].into_iter().enumerate() {
        put(&mut profile, 0x380 + 12 * at, &context.to_le_bytes());
        put(&mut profile, 0x384 + 12 * at, &(at as u64).to_le_bytes());
    }
    Later { meta, profile }
}

fn read_later(files: &Later) -> Result<ForeignProfile, String> {
    let folder = Folder::new();
    std::fs::write(folder.0.join("meta.db"), &files.meta).expect("writable");
    std::fs::write(folder.0.join("profile.db"), &files.profile).expect("writable");
    assert_eq!(ForeignFormat::of(&folder.0).ok(), Some(ForeignFormat::HpcToolkit));
    hpctoolkit(Path::new(&folder.0)).map_err(|error| error.to_string())
}

#[test]
fn what_functions_of_the_later_form_have_is_told_without_their_loops() {
    let profile = read_later(&later()).expect("well formed");
    let places: Vec<u32> = profile.threads.iter().map(|thread| thread.node).collect();
    assert_eq!(places, [0, 1], "a summary is no thread");
    let main = "main thread => main [{a.c} {19,0}]";
    let inner = format!("{main} => loop at line 30 [{{a.c}} {{30,0}}]");
    let unknown = format!("{inner} => <unknown function>");
    assert_eq!(
        told(&profile, 1),
        [("main thread", 0.0), (main, 1e6), (&inner, 2e6), (&unknown, 1e6)]
    );
    assert!(profile.metrics[0].is_time());
}

#[test]
fn places_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut Later)| {
        let mut files = later();
        change(&mut files);
        read_later(&files).expect_err("it makes no sense")
    };
    assert!(
        refused(|files| files.meta[14] = 5).contains("of a version that whyperf does not know")
    );
    let cut = "whose places make no sense";
    assert!(refused(|files| files.meta.truncate(0x330)).contains(cut));
    assert!(refused(|files| files.profile.truncate(0x310)).contains(cut));
    assert!(refused(|files| long(&mut files.meta, 0x320, u64::MAX)).contains(cut));
    // A context below itself, and threads whose values never end.
    let below_itself =
        |files: &mut Later| context(&mut files.meta, 0x3c0, (0x3c0, 32), 5, [0, 0, 0]);
    assert!(refused(below_itself).contains(cut));
    assert!(refused(|files| long(&mut files.profile, 0x150, u64::MAX)).contains(cut));
}
