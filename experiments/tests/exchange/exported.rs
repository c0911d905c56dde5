//! What goes out keeps the rules of its format, as far as they can be looked at without its reader.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use whyperf_experiments::{Access, ExportedRun, Store, TableFormat};

use crate::round_trip::Folder;
use crate::stored::{imported, store};

fn exported(folder: &Folder) -> (Store, ExportedRun) {
    let run = imported(folder, 7, "out");
    let store = Store::open(&store(folder), Access::Read).expect("just written");
    let exported = store.exported(&run).expect("readable");
    (store, exported)
}

/// Each column has as many rows as its table says.
fn check_columns(name: &str, table: &Value) {
    let table = table.as_object().expect("a table");
    let columns = table.iter().filter_map(|(column, values)| Some((column, values.as_array()?)));
    for (column, values) in columns {
        assert_eq!(Some(values.len() as u64), table["length"].as_u64(), "{name}.{column}");
    }
}

#[test]
fn firefox_finds_columns_of_one_length_and_the_time_of_all_stacks() {
    let folder = Folder::new();
    let (_, run) = exported(&folder);
    let written: Value = serde_json::from_str(&run.firefox()).expect("JSON");
    let threads = written["threads"].as_array().expect("threads");
    let mut whole = 0.0;
    for thread in threads {
        for (name, table) in thread.as_object().expect("a thread") {
            if table.get("length").is_some() {
                check_columns(name, table);
            }
        }
        for (at, prefix) in
            thread["stackTable"]["prefix"].as_array().expect("a column").iter().enumerate()
        {
            assert!(
                prefix.as_u64().is_none_or(|prefix| prefix < at as u64),
                "the stack above comes first"
            );
        }
        let weights = thread["samples"]["weight"].as_array().expect("a column");
        whole += weights.iter().filter_map(Value::as_f64).sum::<f64>();
    }
    assert!((whole - 3000.0 - 0.014).abs() < 1e-6, "milliseconds of both ranks: {whole}");
    assert_eq!(threads[1]["name"], "process 1 thread 0");
}

/// The values of a line of PTdf, all of which stand in quotation marks.
fn quoted(line: &str) -> Vec<&str> {
    line.split('"').skip(1).step_by(2).collect()
}

#[test]
fn perftrack_is_told_of_each_resource_before_a_result_names_it() {
    let folder = Folder::new();
    let (_, run) = exported(&folder);
    let text = run.ptdf();
    let (mut known, mut types, mut results) = (BTreeSet::new(), BTreeSet::new(), 0);
    for line in text.lines() {
        let values = quoted(line);
        match line.split(' ').next() {
            Some("ResourceType") => drop(types.insert(values[0])),
            Some("Application" | "Execution") => drop(known.insert(values[0])),
            Some("Resource") => {
                assert!(types.contains(values[1]), "{line}");
                let above = values[0].rsplit_once('|').map(|(above, _)| above);
                assert!(above.is_none_or(|above| known.contains(above)), "{line}");
                known.insert(values[0]);
            }
            Some("PerfResult") => {
                results += 1;
                let foci = values[1].split(',').chain([values[2], values[3], values[0]]);
                foci.for_each(|resource| assert!(known.contains(resource), "{resource}: {line}"));
                assert_eq!(values.len(), 8, "{line}");
            }
            Some("ResourceAttribute") => assert!(known.contains(values[0]), "{line}"),
            _ => panic!("{line}"),
        }
    }
    assert_eq!(results, 6 * 5, "three callpaths of two ranks with five metrics");
    assert!(text.contains("|MPI_Recv__\""), "parentheses are no signs of its names");
    assert_eq!(run.ptdf_notes().len(), 1);
}

#[test]
fn tables_are_files_of_a_folder() {
    let folder = Folder::new();
    let (store, run) = exported(&folder);
    let tables = store.exported_tables(run).expect("readable");
    for (format, ending, magic) in
        [(TableFormat::Parquet, "parquet", "PAR1"), (TableFormat::Arrow, "arrow", "ARROW1")]
    {
        tables.write(&folder.0, format).expect("writable");
        for name in ["profile", "series", "verdicts"] {
            let bytes = fs::read(folder.0.join(format!("{name}.{ending}"))).expect("written");
            let magic = magic.as_bytes();
            assert!(bytes.starts_with(magic) && bytes.ends_with(magic), "{name}.{ending}");
        }
    }
    assert_eq!(tables.notes().len(), 1, "an imported run has no series");
}
