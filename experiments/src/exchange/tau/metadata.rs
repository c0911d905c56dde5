//! The metadata of a profile file: names and values as XML in the line of columns.
//!
//! TAU writes nothing but `<attribute><name>…</name><value>…</value></attribute>`, so no reader of XML is needed, and none of its dangers: no
//! entity but the five that everybody knows is resolved, and nothing is looked up.

use crate::exchange::markup::markup_escaped;

/// Names and values, in the order of the text; what is not of this form is passed over.
pub(super) fn parse(line: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("<attribute>") {
        let Some((attribute, after)) = after.split_once("</attribute>") else { break };
        rest = after;
        if let Some(pair) = text(attribute, "name").zip(text(attribute, "value")) {
            found.push(pair);
        }
    }
    found
}

/// Names and values as that text.
pub(super) fn written(metadata: &[(String, String)]) -> String {
    let attribute = |(name, value): &(String, String)| {
        let (name, value) = (markup_escaped(name), markup_escaped(value));
        format!("<attribute><name>{name}</name><value>{value}</value></attribute>")
    };
    let attributes: String = metadata.iter().map(attribute).collect();
    format!("<metadata>{attributes}</metadata>")
}

fn text(inside: &str, tag: &str) -> Option<String> {
    let (_, after) = inside.split_once(&format!("<{tag}>"))?;
    let (text, _) = after.split_once(&format!("</{tag}>"))?;
    Some(unescaped(text))
}

/// The five names of XML, and numbers; `&` alone, or of a name that nobody knows, stays as it is.
fn unescaped(text: &str) -> String {
    let mut pieces = text.split('&');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let known = piece.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest)));
        match known {
            Some((character, rest)) => {
                plain.push(character);
                plain.push_str(rest);
            }
            None => {
                plain.push('&');
                plain.push_str(piece);
            }
        }
    }
    plain
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        other => {
            let digits = other.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let all = [
            ("Hostname".to_owned(), "node07".to_owned()),
            ("Command <line>".to_owned(), "a \"b\" 'c' & d\nnext".to_owned()),
        ];
        let line = format!("# Name # {}", written(&all));
        assert!(!line.contains('\n'), "it is one line");
        assert_eq!(parse(&line), all);
    }

    #[test]
    fn what_is_no_metadata_is_passed_over() {
        assert_eq!(parse("# Name Calls"), []);
        assert_eq!(parse("<metadata><attribute><name>a</name></attribute></metadata>"), []);
        assert_eq!(parse("<attribute><name>a</name><value>b"), []);
        let bomb =
            "<!ENTITY x \"xxxx\"><attribute><name>a</name><value>&x;&amp;&</value></attribute>";
        assert_eq!(parse(bomb), [("a".to_owned(), "&x;&&".to_owned())]);
    }
}
