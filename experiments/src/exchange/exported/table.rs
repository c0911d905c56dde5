//! A table of columns, as Parquet and Arrow keep it: any value may be unknown.

use std::ops::Range;

/// A table, whose columns are of one length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    /// Its name, which is that of its file.
    pub(super) name: &'static str,
    /// Its columns, from the left.
    pub(super) columns: Vec<Column>,
    /// What is known of all of it: names and values.
    pub(super) about: Vec<(&'static str, String)>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    /// Its name, with the unit where it has one.
    pub(super) name: &'static str,
    /// Its values by row.
    pub(super) values: ColumnValues,
}

/// The values of a column; `None` is what is not known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ColumnValues {
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Other numbers.
    Real(Vec<Option<f64>>),
    /// Texts.
    Text(Vec<Option<String>>),
}

impl Table {
    /// How many rows it has.
    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Its rows in groups of so many at most, one after the other.
    pub(super) fn groups(&self, most: usize) -> impl Iterator<Item = Range<usize>> {
        let rows = self.rows();
        (0..rows).step_by(most).map(move |from| from..rows.min(from + most))
    }
}

impl ColumnValues {
    /// Whole numbers of every row; one beyond what the formats hold is not known.
    pub(super) fn whole(values: impl Iterator<Item = u64>) -> Self {
        Self::Whole(values.map(|value| i64::try_from(value).ok()).collect())
    }

    /// Numbers of every row; what is no number is not known.
    pub(super) fn real(values: impl Iterator<Item = Option<f64>>) -> Self {
        Self::Real(values.map(|value| value.filter(|value| value.is_finite())).collect())
    }

    /// Texts of every row.
    pub(super) fn text(values: impl Iterator<Item = String>) -> Self {
        Self::Text(values.map(Some).collect())
    }

    fn len(&self) -> usize {
        match self {
            Self::Whole(values) => values.len(),
            Self::Real(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// By row of a group: whether the value is known.
    pub(super) fn known(&self, group: Range<usize>) -> Vec<bool> {
        match self {
            Self::Whole(values) => values[group].iter().map(Option::is_some).collect(),
            Self::Real(values) => values[group].iter().map(Option::is_some).collect(),
            Self::Text(values) => values[group].iter().map(Option::is_some).collect(),
        }
    }
}
