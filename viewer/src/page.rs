//! The page, as it was built from `viewer/page/`: one file of HTML that asks no other host for anything.
//!
//! What it is built of is committed, so that nobody needs npm to build whyperf; `cargo xtask page` builds it anew.

use std::fmt::Write as _;

use whyperf_experiments::markup_escaped;

const SCRIPT: &str = include_str!("../page/dist/page.js");
const STYLE: &str = include_str!("../page/dist/page.css");
/// What tells a browser which script may run: a name in the program that is shown never is one.
const SCRIPT_HASH: &str = include_str!("../page/dist/page.sha256");

/// The page, with data inside or without: then it asks for them where it came from.
pub(crate) fn page(title: &str, data: Option<&str>) -> String {
    let from = if data.is_some() { "'none'" } else { "'self'" };
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data: blob:; connect-src {from}",
        SCRIPT_HASH.trim()
    );
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<div id=\"page\"></div>\n\
         <noscript>This page draws with JavaScript; `whyperf report RUN --text` prints the same run.</noscript>\n",
        markup_escaped(title)
    );
    if let Some(data) = data {
        // The parser of HTML must not see an end of the element in it.
        let data = data.replace('<', "\\u003c");
        let _ = writeln!(html, "<script type=\"application/json\" id=\"data\">{data}</script>");
    }
    let _ = writeln!(html, "<script type=\"module\">{SCRIPT}</script>\n</body>\n</html>");
    html
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn names_are_never_markup() {
        let evil = "</script><script>alert(1)</script>";
        let data = serde_json::to_string(evil).expect("a string");
        let html = page(evil, Some(&data));
        assert!(!html.contains("<script>alert"), "neither in the title nor in the data");
        assert!(html.contains("\\u003c/script>"));
    }

    #[test]
    fn the_page_is_150_kb_at_most_on_its_way() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(page("whyperf", None).as_bytes()).expect("memory");
        let packed = encoder.finish().expect("memory").len();
        assert!(packed <= 150_000, "{packed} B");
    }

    #[test]
    fn the_page_asks_nobody_else() {
        let html = page("whyperf", None);
        assert!(!SCRIPT.contains("</script"), "it would end the element that it stands in");
        for scheme in ["src=\"http", "href=\"http", "url(http", "@import"] {
            assert!(!html.contains(scheme), "{scheme}");
        }
    }
}
