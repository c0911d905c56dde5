//! Caliper's records, as its documentation has them and as Caliper 2.10 writes a profile of regions.

use std::path::Path;

use whyperf_experiments::{ForeignFormat, ForeignProfile, caliper_records};

use crate::round_trip::Folder;

/// The attributes `function` (20, nested), `sum#time.duration` (111), `mpi.rank` (30) and `cali.caliper.version` (25).
const HEAD: &str = "__rec=node,id=19,attr=10,data=268,parent=3
__rec=node,id=20,attr=8,data=function,parent=19
__rec=node,id=24,attr=10,data=588,parent=3
__rec=node,id=25,attr=8,data=cali.caliper.version,parent=24
__rec=node,id=29,attr=10,data=1,parent=1
__rec=node,id=30,attr=8,data=mpi.rank,parent=29
__rec=node,id=96,attr=10,data=21,parent=5
__rec=node,id=97,attr=8,data=min#time.duration,parent=96
__rec=node,id=111,attr=8,data=sum#time.duration,parent=96
";

fn read(rest: &str) -> Result<ForeignProfile, String> {
    let text = format!("{HEAD}{rest}");
    caliper_records(Path::new("run.cali"), &text).map_err(|error| error.to_string())
}

fn told(profile: &ForeignProfile) -> Vec<(u32, String, f64, f64)> {
    let of = |thread: &whyperf_experiments::ForeignThread| {
        let timers = thread.timers.clone().into_iter();
        let node = thread.node;
        timers
            .map(move |one| {
                let value = one.values[0];
                (node, one.name, value.exclusive.round(), value.inclusive.round())
            })
            .collect::<Vec<_>>()
    };
    profile.threads.iter().flat_map(of).collect()
}

#[test]
fn snapshots_belong_to_the_regions_above_their_node() {
    let text = "__rec=node,id=150,attr=20,data=main
__rec=node,id=151,attr=20,data=f\\,g,parent=150
__rec=node,id=152,attr=25,data=2.10.0-dev
__rec=ctx,ref=150,attr=97=111=30,data=0.1=0.5=0
__rec=ctx,ref=151,attr=97=111=30,data=0.1=0.25=0
__rec=ctx,ref=151,attr=111=30,data=0.125=1
__rec=ctx,attr=111=30,data=0.001=0
__rec=globals,ref=152
";
    let profile = read(text).expect("well formed");
    let path = "main => f,g".to_owned();
    assert_eq!(
        told(&profile),
        [
            (0, "main".to_owned(), 500_000.0, 750_000.0),
            (0, path.clone(), 250_000.0, 250_000.0),
            (1, "main".to_owned(), 0.0, 125_000.0),
            (1, path, 125_000.0, 125_000.0),
        ]
    );
    assert_eq!(profile.metrics.len(), 1, "what is least of several is no sum");
    assert!(profile.metrics[0].is_time());
    let version = ("cali.caliper.version".to_owned(), "2.10.0-dev".to_owned());
    assert_eq!(profile.threads[0].metadata, [version]);
    assert!(profile.notes.iter().any(|note| note.contains("1 snapshots are in no region")));
}

#[test]
fn inclusive_sums_alone_become_exclusive() {
    let text = "__rec=node,id=12,attr=10,data=64,parent=3
__rec=node,id=14,attr=8,data=attribute.unit,parent=12
__rec=node,id=129,attr=14,data=sec,parent=5
__rec=node,id=144,attr=10,data=65,parent=129
__rec=node,id=145,attr=8,data=sum#inclusive#sum#time.duration,parent=144
__rec=node,id=150,attr=20,data=main
__rec=node,id=151,attr=20,data=f,parent=150
__rec=ctx,ref=150,attr=145,data=0.75
__rec=ctx,ref=151,attr=145,data=0.25
";
    let profile = read(text).expect("well formed");
    let main = (0, "main".to_owned(), 500_000.0, 750_000.0);
    assert_eq!(told(&profile), [main, (0, "main => f".to_owned(), 250_000.0, 250_000.0)]);
    assert!(profile.notes.iter().any(|note| note.contains("what is below was taken away")));
}

#[test]
fn a_time_without_a_unit_is_none_where_no_version_tells() {
    let text = "__rec=node,id=150,attr=20,data=main
__rec=ctx,ref=150,attr=111,data=0.5
";
    let profile = read(text).expect("well formed");
    assert_eq!(profile.metrics[0].name, "sum#time.duration");
    assert!(
        profile.notes.iter().any(|note| note.contains("so it is no time")),
        "{:?}",
        profile.notes
    );
}

#[test]
fn what_makes_no_sense_is_named_with_its_line() {
    let refused = |rest: &str| read(rest).expect_err("it makes no sense");
    assert!(
        refused("__rec=node,id=150,attr=20,data=a,parent=999\n").contains("line 10: a node below")
    );
    assert!(
        refused("__rec=node,id=20,attr=8,data=again\n").contains("line 10: a node that was told")
    );
    assert!(
        refused("__rec=ctx,ref=999,attr=111,data=1\n").contains("line 10: a node that was not")
    );
    assert!(refused("__rec=ctx,attr=111=97,data=1\n").contains("line 10: expected as many"));
    assert!(refused("rec=ctx\n").contains("line 10: expected a record"));
    assert!(refused("__rec=ctx,attr=111,data=1\\\n").contains("line 10: expected fields"));
    assert!(refused("").contains("no values of Caliper"));
}

#[test]
fn it_is_known_by_its_content() {
    let folder = Folder::new();
    let path = folder.0.join("run.txt");
    std::fs::write(&path, HEAD).expect("writable");
    assert_eq!(ForeignFormat::of(&path).ok(), Some(ForeignFormat::CaliperRecords));
}
