//! The pictures of a stream of which none are declared.

use super::attribute::{AttributeKind, StreamAttribute};
use super::declaration::{PictureKind, StreamPicture};

/// More curves are chosen by the reader.
const MOST_LINES: usize = 12;

/// An activity where a record begins and ends, curves of all numbers over time where it has one moment, and else a mark for each record.
pub(super) fn usual(attributes: &[StreamAttribute]) -> Vec<StreamPicture> {
    let of = |kind| attributes.iter().filter(move |one| one.kind == Some(kind));
    let times: Vec<&StreamAttribute> = of(AttributeKind::Time).collect();
    let numbers: Vec<&StreamAttribute> = of(AttributeKind::Number).collect();
    let rest = || attributes.iter().filter(|one| one.kind != Some(AttributeKind::Time));
    match (&times[..], &numbers[..]) {
        ([begin, end, ..], _) if rest().next().is_some() => {
            let row = rest().next().map(|one| one.name.clone()).unwrap_or_default();
            let color = rest().nth(1).map_or_else(|| row.clone(), |one| one.name.clone());
            let end = Some(end.name.clone());
            vec![StreamPicture {
                end,
                color: Some(color),
                ..picture(PictureKind::Activity, &begin.name, vec![row])
            }]
        }
        ([time, ..], [_, ..]) => {
            let y = numbers.iter().take(MOST_LINES).map(|one| one.name.clone()).collect();
            vec![picture(PictureKind::Lines, &time.name, y)]
        }
        ([time, ..], []) if rest().next().is_some() => {
            let row = rest().next().map(|one| one.name.clone()).unwrap_or_default();
            vec![StreamPicture {
                color: Some(row.clone()),
                ..picture(PictureKind::Activity, &time.name, vec![row])
            }]
        }
        ([], [x, y, ..]) => {
            let color = of(AttributeKind::Text).next().map(|one| one.name.clone());
            vec![StreamPicture {
                color,
                ..picture(PictureKind::Scatter, &x.name, vec![y.name.clone()])
            }]
        }
        _ => Vec::new(),
    }
}

fn picture(kind: PictureKind, x: &str, y: Vec<String>) -> StreamPicture {
    let title = match kind {
        PictureKind::Lines => format!("over {x}"),
        PictureKind::Scatter | PictureKind::Activity => format!("{} by {x}", y.join(", ")),
    };
    StreamPicture {
        kind,
        title,
        x: x.to_owned(),
        y,
        end: None,
        color: None,
        size: None,
        shape: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_record_has_says_how_it_is_drawn() {
        let kind = |names: &[(&str, AttributeKind)]| {
            let attribute = |(name, kind): &(&str, AttributeKind)| StreamAttribute {
                name: (*name).to_owned(),
                kind: Some(*kind),
                unit: String::new(),
            };
            let all: Vec<_> = names.iter().map(attribute).collect();
            usual(&all).first().map(|picture| (picture.kind, picture.y.len()))
        };
        use AttributeKind::{Number, Text, Time};
        assert_eq!(
            kind(&[("t", Time), ("a", Number), ("b", Number)]),
            Some((PictureKind::Lines, 2))
        );
        assert_eq!(kind(&[("a", Number), ("b", Number)]), Some((PictureKind::Scatter, 1)));
        assert_eq!(
            kind(&[("begin", Time), ("end", Time), ("node", Text)]),
            Some((PictureKind::Activity, 1))
        );
        assert_eq!(kind(&[("t", Time), ("where", Text)]), Some((PictureKind::Activity, 1)));
        assert_eq!(kind(&[("a", Text)]), None);
    }
}
