//! Callpaths as rows of comma-separated values, after RFC 4180.

use super::ExportedRun;

impl ExportedRun {
    /// A head line, and a line for each callpath of each thread; times in seconds, the names of a path with ` => ` between them.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = "process,thread,path,calls,inclusive_s,exclusive_s,sent_bytes,received_bytes,source,coverage\r\n".to_owned();
        for row in &self.rows {
            let path = quoted(&row.path.join(" => "));
            let source = quoted(row.source.as_deref().unwrap_or_default());
            let coverage = row.coverage.map_or_else(String::new, |share| share.to_string());
            text += &format!(
                "{},{},{path},{},{},{},{},{},{source},{coverage}\r\n",
                row.process,
                row.thread,
                row.calls,
                row.inclusive.as_secs_f64(),
                row.exclusive.as_secs_f64(),
                row.sent,
                row.received,
            );
        }
        text
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
