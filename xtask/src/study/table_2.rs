//! Table 2: what is reported and what is tested as the threshold of waiting falls.

use std::ffi::OsString;

use anyhow::Result;

use super::base_runs::BaseRuns;
use super::cells;
use super::harness::Experiment;
use super::verdict::Verdict;
use super::version::Version;

const VERSION: Version = Version::C;
/// Percent, and the paper's reported, tested and efficiency.
const ROWS: [(u32, [f64; 3]); 6] = [
    (30, [9.0, 30.0, 0.30]),
    (20, [19.0, 66.0, 0.29]),
    (14, [22.0, 76.0, 0.29]),
    (12, [25.0, 85.0, 0.29]),
    (10, [26.0, 107.0, 0.24]),
    (5, [26.0, 105.0, 0.25]),
];

pub(super) fn study(base_runs: &mut BaseRuns<'_>) -> Result<String> {
    let mut text = "## Table 2: thresholds\n\nVersion C. Bottlenecks reported at the end of the run, pairs tested, and the one by the other; one run at each threshold.\n\n"
        .to_owned();
    text += &cells::head(&[
        "threshold",
        "paper: reported",
        "tested",
        "efficiency",
        "classic: reported",
        "tested",
        "efficiency",
        "sequential: reported",
        "tested",
        "efficiency",
    ]);
    for (percent, [reported, tested, efficiency]) in ROWS {
        let mut cells = vec![
            format!("{percent} %"),
            format!("{reported:.0}"),
            format!("{tested:.0}"),
            format!("{efficiency:.2}"),
        ];
        for verdict in Verdict::ALL {
            cells.extend(measured(base_runs, verdict, percent)?);
        }
        text += &cells::row(&cells);
    }
    Ok(text)
}

fn measured(base_runs: &BaseRuns<'_>, verdict: Verdict, percent: u32) -> Result<[String; 3]> {
    let hold = base_runs.harness.options.hold;
    let words =
        [OsString::from("--threshold"), format!("ExcessiveSyncWaitingTime={percent}%").into()];
    let name = format!("threshold {percent} %");
    let experiment = Experiment {
        name: &name,
        version: VERSION,
        verdict,
        hold: Some(hold),
        seconds: verdict.patience(hold),
        words: &words,
        until: None,
    };
    let trial = base_runs.harness.run(&experiment, &base_runs.harness.file("thresholds.db"))?;
    let (reported, tested) = (trial.holding().count(), trial.tested());
    let efficiency = reported as f64 / tested.max(1) as f64;
    Ok([reported.to_string(), tested.to_string(), format!("{efficiency:.2}")])
}
