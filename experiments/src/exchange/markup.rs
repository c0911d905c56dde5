//! A text as XML and HTML take it, between tags and inside quotation marks alike.

/// The text with its markup told by name, in one line: ends of lines and tabs are told by number. A character that XML has no way to
/// write becomes U+FFFD, which stands for one that cannot be shown.
#[must_use]
pub fn markup_escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\t' => safe.push_str("&#9;"),
            '\n' => safe.push_str("&#10;"),
            '\r' => safe.push_str("&#13;"),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => safe.push(char::REPLACEMENT_CHARACTER),
            one => safe.push(one),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_xml_takes_any_text_and_finds_it_again() {
        let text = "a <b c=\"d\"> & 'e'\r\n\tf \u{1}\0 \u{fffe}\u{7f} é";
        let safe = markup_escaped(text);
        let written = format!("<text of=\"{safe}\">{safe}</text>");
        let read = roxmltree::Document::parse(&written).expect("it is well formed");
        let element = read.root_element();
        let again = "a <b c=\"d\"> & 'e'\r\n\tf \u{fffd}\u{fffd} \u{fffd}\u{7f} é";
        assert_eq!([element.attribute("of"), element.text()], [Some(again); 2], "{written}");
    }
}
