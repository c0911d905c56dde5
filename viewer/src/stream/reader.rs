//! Reads the lines of a stream: finds the header, tells records from headings and from what is malformed.
//!
//! Where fields are separated by a character, the first line is the header. Where they are separated by spaces, as `vmstat` and `iostat` print them,
//! the header is the line of words above the first line with as many fields and a number among them; it may come again, and tables between that
//! have other headings are passed over.

use std::collections::BTreeSet;

use super::fields::{Field, Separator};

/// What a line is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing to keep: empty, a comment, a heading, a line of another table.
    Nothing,
    /// The names of the attributes, and the record that showed that they are.
    Header(Vec<String>, Option<Vec<Field>>),
    /// A record.
    Record(Vec<Field>),
    /// Something is wrong at this column.
    Malformed(usize, String),
}

/// Reads lines, each of which depends on those before it.
#[derive(Clone, Debug)]
pub(super) struct StreamReader {
    separator: Option<Separator>,
    /// The names of the attributes, once they are known.
    header: Option<Vec<String>>,
    /// Whether nothing was read yet.
    is_first: bool,
    /// The last line of words alone, which may be the header.
    candidate: Vec<String>,
    /// What stood above the first record.
    preamble: BTreeSet<String>,
    /// Whether lines are those of another table.
    is_elsewhere: bool,
}

impl StreamReader {
    /// One that knows the names of the attributes already, or not.
    pub(super) fn new(separator: Option<Separator>, header: Option<Vec<String>>) -> Self {
        Self {
            separator,
            header,
            is_first: true,
            candidate: Vec::new(),
            preamble: BTreeSet::new(),
            is_elsewhere: false,
        }
    }

    /// What the next line is.
    pub(super) fn read(&mut self, line: &str) -> Line {
        let line = if self.is_first { line.trim_start_matches('\u{feff}') } else { line };
        let line = line.trim_end_matches(['\r', '\n']);
        if line.trim().is_empty() || line.starts_with('#') {
            return Line::Nothing;
        }
        let separator = *self.separator.get_or_insert_with(|| Separator::of(line));
        let fields = match separator.split(line) {
            Ok(fields) => fields,
            Err(column) => return Line::Malformed(column, "nothing closes this quote".to_owned()),
        };
        let is_first = std::mem::replace(&mut self.is_first, false);
        match (&self.header, separator) {
            (Some(header), _) if is_named(&fields, header) => {
                self.is_elsewhere = false;
                Line::Nothing
            }
            (Some(header), _) => self.record(line, fields, header.len()),
            (None, Separator::Character(_)) if is_first => {
                let names = names(&fields);
                self.header = Some(names.clone());
                Line::Header(names, None)
            }
            (None, _) => self.look_for_header(line, fields),
        }
    }

    fn look_for_header(&mut self, line: &str, fields: Vec<Field>) -> Line {
        if !has_number(&fields) {
            // A stream without any number has nothing but headings.
            if self.preamble.len() < MOST_HEADINGS {
                self.preamble.insert(line.trim().to_owned());
            }
            self.candidate = names(&fields);
            return Line::Nothing;
        }
        if fields.len() != self.candidate.len() {
            return Line::Nothing;
        }
        let names = std::mem::take(&mut self.candidate);
        self.header = Some(names.clone());
        Line::Header(names, Some(fields))
    }

    fn record(&mut self, line: &str, fields: Vec<Field>, wanted: usize) -> Line {
        if self.preamble.contains(line.trim()) {
            self.is_elsewhere = true;
            return Line::Nothing;
        }
        let found = fields.len();
        if found == wanted {
            return Line::Record(fields);
        }
        if self.is_elsewhere {
            return Line::Nothing;
        }
        let end = line.chars().count() + 1;
        let column = if found > wanted { fields[wanted].column } else { end };
        Line::Malformed(column, format!("{found} fields, where the stream has {wanted}"))
    }
}

/// So many headings are known again.
const MOST_HEADINGS: usize = 64;

fn names(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.text.clone()).collect()
}

fn is_named(fields: &[Field], names: &[String]) -> bool {
    fields.len() == names.len() && fields.iter().zip(names).all(|(field, name)| field.text == *name)
}

fn has_number(fields: &[Field]) -> bool {
    fields.iter().any(|field| field.text.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, records, and the places of what is malformed.
    type ReadLines = (Vec<String>, Vec<Vec<String>>, Vec<(usize, usize)>);

    fn read(text: &str) -> ReadLines {
        let mut reader = StreamReader::new(None, None);
        let (mut header, mut records, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            match reader.read(line) {
                Line::Nothing => {}
                Line::Header(found, first) => {
                    header = found;
                    records.extend(first.map(|fields| names(&fields)));
                }
                Line::Record(fields) => records.push(names(&fields)),
                Line::Malformed(column, _) => wrong.push((number + 1, column)),
            }
        }
        (header, records, wrong)
    }

    #[test]
    fn the_first_line_of_csv_is_its_header_and_what_does_not_fit_is_named() {
        let (header, records, wrong) =
            read("\u{feff}t,a\r\n1,2\r\n\r\n# none\n3\n4,5,6\n7,\"8\n9,10\n");
        assert_eq!(header, ["t", "a"]);
        assert_eq!(records, [["1", "2"], ["9", "10"]]);
        assert_eq!(wrong, [(5, 2), (6, 5), (7, 3)]);
    }

    #[test]
    fn vmstat_prints_its_header_again_and_again() {
        let (header, records, wrong) = read(
            "procs -----------memory----------\n r  b   swpd   free\n 1  0      0  18000\n 2  0      0  17000\n\
             procs -----------memory----------\n r  b   swpd   free\n 3  1      0  16000\n",
        );
        assert_eq!(header, ["r", "b", "swpd", "free"]);
        assert_eq!((records.len(), wrong.len()), (3, 0));
        assert_eq!(records[2], ["3", "1", "0", "16000"]);
    }

    #[test]
    fn of_iostat_the_table_of_devices_is_read_and_the_others_are_passed_over() {
        let table = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           1.00    0.00    2.00    0.00    0.00   97.00\n\n\
                     Device             tps    kB_read/s    kB_wrtn/s\nvda               1.50         2.00        30.00\nvdb               0.50         0.00         0.00\n\n";
        let text = format!("Linux 6.1.0 (host) \t11/27/2026 \t_x86_64_\t(2 CPU)\n\n{table}{table}");
        let mut reader = StreamReader::new(Some(Separator::Spaces), None);
        let lines: Vec<Line> = text.lines().map(|line| reader.read(line)).collect();
        let records = lines.iter().filter(|line| matches!(line, Line::Record(_))).count();
        let headers: Vec<_> = lines
            .iter()
            .filter_map(|line| {
                if let Line::Header(names, first) = line {
                    Some((names.len(), first.is_some()))
                } else {
                    None
                }
            })
            .collect();
        assert_eq!((headers, records), (vec![(4, true)], 3));
        assert!(!lines.iter().any(|line| matches!(line, Line::Malformed(..))), "{lines:?}");
        assert!(matches!(reader.read("vda 1.5"), Line::Malformed(8, _)), "that is no other table");
    }
}
