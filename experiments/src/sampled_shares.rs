//! Which share of the running time functions have by the stack samples of a run, and by how many samples that is known.

use std::collections::BTreeMap;

use serde_json::Value;
use whyperf_consultant::NameMaps;
use whyperf_model::{Resource, SURE};

/// The own code of functions, as samples of the whole run tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SampledShares {
    shares: BTreeMap<Resource, f64>,
    /// None where nothing was sampled.
    samples: f64,
}

impl SampledShares {
    /// What a report says in its `hot_code`.
    pub(crate) fn of(report: &Value) -> Self {
        let rows = report["hot_code"].as_array().map(Vec::as_slice).unwrap_or_default();
        let row =
            |row: &Value| Some((row["function"].as_str()?.parse().ok()?, row["share"].as_f64()?));
        let known = |row: &Value| samples(row["share"].as_f64()?, row["plus_minus"].as_f64()?);
        Self {
            shares: rows.iter().filter_map(row).collect(),
            samples: rows.iter().filter_map(known).fold(0.0, f64::max),
        }
    }

    /// By how many samples all of it is known; zero where nothing is.
    pub(crate) const fn samples(&self) -> f64 {
        self.samples
    }

    /// The share of a function; nothing of one in which samples found nobody, or next to nobody.
    pub(crate) fn share(&self, function: &Resource) -> f64 {
        self.shares.get(function).copied().unwrap_or_default()
    }

    /// Those in which somebody was found.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Resource> {
        self.shares.keys()
    }

    /// Gives them the names that another run has for them.
    pub(crate) fn rename(&mut self, maps: &NameMaps) {
        let shares = std::mem::take(&mut self.shares).into_iter();
        self.shares = shares.map(|(function, share)| (maps.renamed(&function), share)).collect();
    }
}

/// How many samples know a share with this error: `p (1 - p) / e²`, or `1 / e` where that is next to nothing or all. None of an error that
/// is none.
fn samples(share: f64, plus_minus: f64) -> Option<f64> {
    let error = plus_minus / SURE;
    (error > 0.0).then(|| (share * (1.0 - share) / error.powi(2)).max(1.0 / error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_samples_follow_from_a_share_and_its_error() {
        let report = json!({"hot_code": [
            {"function": "/Code/m.c/f", "share": 0.75, "plus_minus": 0.084870},
            {"function": "/Code/m.c/g", "share": 0.25, "plus_minus": 0.084870},
        ]});
        let shares = SampledShares::of(&report);
        assert!((shares.samples() - 100.0).abs() < 0.1, "{shares:?}");
        let [g, other] =
            ["/Code/m.c/g", "/Code/m.c/h"].map(|one| one.parse().expect("well formed"));
        assert_eq!((shares.share(&g), shares.share(&other)), (0.25, 0.0));
    }

    #[test]
    fn one_function_that_has_all_of_it_is_known_by_as_many() {
        let found = samples(1.0, SURE * (1.0 / (101.0 * 100.0f64)).sqrt()).expect("some");
        assert!((found - 100.5).abs() < 0.1, "{found}");
        assert_eq!(samples(0.5, 0.0), None);
        assert_eq!(SampledShares::of(&json!({})).samples(), 0.0);
    }
}
