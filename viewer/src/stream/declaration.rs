//! What a small TOML says of a stream: where it comes from, its attributes with their types, and the pictures that it is shown as.
//!
//! ```toml
//! name = "steps"                     # file or command, if this file is given to --stream in place of the data
//! file = "steps.csv"
//! clock = "unix"                     # run, unix, unix-ms or date; by the first value where nothing is said
//! [[attribute]]                      # in the order of the fields; where there are none, the first line names them
//! name = "worker"
//! type = "number"
//! [[picture]]
//! kind = "activity"                  # lines, scatter or activity
//! x = "begin"
//! end = "end"
//! y = "worker"
//! color = "step"
//! ```

use serde::{Deserialize, Serialize};

use super::attribute::{AttributeKind, StreamAttribute, StreamClock};
use super::fields::Separator;

/// What is said of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamDeclaration {
    /// How it is called; after its source where nothing is said.
    pub name: Option<String>,
    /// The file that holds it.
    pub file: Option<String>,
    /// The command that prints it.
    pub command: Option<String>,
    pub(super) separator: Option<Separator>,
    pub(super) clock: Option<StreamClock>,
    pub(super) shift: f64,
    pub(super) attributes: Vec<StreamAttribute>,
    pub(super) pictures: Vec<StreamPicture>,
}

/// A picture of a stream: what its attributes are mapped to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamPicture {
    /// How it is drawn.
    pub kind: PictureKind,
    /// What stands above it.
    pub title: String,
    /// The attribute along the axis from left to right; of an activity, when it begins.
    pub x: String,
    /// Those along the axis upwards; of an activity, the row.
    pub y: Vec<String>,
    /// Of an activity, when it ends; where there is none, when the next of its row begins.
    pub end: Option<String>,
    /// An attribute that chooses the colour, or a colour.
    pub color: Option<String>,
    /// An attribute that chooses the size, or a number of points.
    pub size: Option<String>,
    /// An attribute that chooses the shape, or the name of one.
    pub shape: Option<String>,
}

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureKind {
    /// A curve over time for each of several attributes.
    Lines,
    /// A mark for each record.
    Scatter,
    /// A bar for each record, from its beginning to its end, in the row that it belongs to.
    Activity,
}

/// Why a declaration makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum DeclarationError {
    /// It is no TOML, or has other members.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// The separator is none.
    #[error(
        "the separator {0:?} is none; there are \"space\", \"tab\", and single characters such as \",\""
    )]
    Separator(String),
    /// A picture names what is not there.
    #[error("the picture {picture:?} names the attribute {attribute:?}, and there is none")]
    Attribute {
        /// Which picture.
        picture: String,
        /// The name.
        attribute: String,
    },
}

impl StreamDeclaration {
    /// Reads a declaration.
    ///
    /// # Errors
    /// When it is no TOML, has members that mean nothing, or a picture names an attribute that is not declared.
    pub fn parse(text: &str) -> Result<Self, DeclarationError> {
        let raw: RawDeclaration = toml::from_str(text)?;
        let separator = match raw.separator {
            Some(name) => match Separator::named(&name) {
                Some(separator) => Some(separator),
                None => return Err(DeclarationError::Separator(name)),
            },
            None => None,
        };
        let attributes: Vec<_> = raw.attribute.into_iter().map(RawAttribute::taken).collect();
        let pictures: Vec<_> = raw.picture.into_iter().map(RawPicture::taken).collect();
        if !attributes.is_empty() {
            check(&pictures, &attributes)?;
        }
        Ok(Self {
            name: raw.name,
            file: raw.file,
            command: raw.command,
            separator,
            clock: raw.clock,
            shift: raw.shift,
            attributes,
            pictures,
        })
    }
}

/// Whether each picture names attributes that are there.
pub(super) fn check(
    pictures: &[StreamPicture],
    attributes: &[StreamAttribute],
) -> Result<(), DeclarationError> {
    for picture in pictures {
        let named = [&picture.x].into_iter().chain(&picture.y).chain(&picture.end);
        for name in named {
            if !attributes.iter().any(|one| one.name == *name) {
                let (picture, attribute) = (picture.title.clone(), name.clone());
                return Err(DeclarationError::Attribute { picture, attribute });
            }
        }
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDeclaration {
    name: Option<String>,
    file: Option<String>,
    command: Option<String>,
    separator: Option<String>,
    clock: Option<StreamClock>,
    /// Seconds by which the stream's clock is behind.
    #[serde(default)]
    shift: f64,
    #[serde(default)]
    attribute: Vec<RawAttribute>,
    #[serde(default)]
    picture: Vec<RawPicture>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAttribute {
    name: String,
    r#type: Option<AttributeKind>,
    #[serde(default)]
    unit: String,
}

impl RawAttribute {
    fn taken(self) -> StreamAttribute {
        StreamAttribute { name: self.name, kind: self.r#type, unit: self.unit }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPicture {
    kind: PictureKind,
    title: Option<String>,
    x: String,
    y: OneOrMany,
    end: Option<String>,
    color: Option<String>,
    size: Option<WordOrNumber>,
    shape: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WordOrNumber {
    Word(String),
    Number(f64),
}

impl RawPicture {
    fn taken(self) -> StreamPicture {
        let y = match self.y {
            OneOrMany::One(one) => vec![one],
            OneOrMany::Many(all) => all,
        };
        let size = self.size.map(|size| match size {
            WordOrNumber::Word(word) => word,
            WordOrNumber::Number(number) => number.to_string(),
        });
        let title = self.title.unwrap_or_else(|| format!("{} by {}", y.join(", "), self.x));
        let Self { kind, x, end, color, shape, .. } = self;
        StreamPicture { kind, title, x, y, end, color, size, shape }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATTRIBUTES: &str = "[[attribute]]\nname = \"t\"\ntype = \"time\"\n[[attribute]]\nname = \"sent\"\ntype = \"number\"\nunit = \"B\"\n";

    #[test]
    fn attributes_and_pictures_are_declared() {
        let text = format!(
            "name = \"messages\"\nseparator = \"tab\"\nclock = \"unix-ms\"\n{ATTRIBUTES}\
             [[picture]]\nkind = \"scatter\"\nx = \"t\"\ny = \"sent\"\nsize = 3\n"
        );
        let read = StreamDeclaration::parse(&text).expect("right");
        assert_eq!(
            (read.separator, read.clock),
            (Some(Separator::Character('\t')), Some(StreamClock::UnixMs))
        );
        assert_eq!(read.attributes[1].unit, "B");
        assert_eq!(
            (&*read.pictures[0].title, read.pictures[0].size.as_deref()),
            ("sent by t", Some("3"))
        );
    }

    #[test]
    fn what_means_nothing_is_said() {
        let wrong = |text: &str| StreamDeclaration::parse(text).expect_err("wrong").to_string();
        assert!(wrong("nam = 1").contains("unknown field `nam`"));
        assert!(wrong("separator = \"xy\"").contains("\"xy\""));
        let picture = "[[picture]]\nkind = \"lines\"\nx = \"t\"\ny = [\"sent\", \"lost\"]\n";
        let said = wrong(&format!("{ATTRIBUTES}{picture}"));
        assert!(said.contains("names the attribute \"lost\""), "{said}");
        assert!(wrong("[[picture]]\nkind = \"cake\"\nx = \"t\"\ny = \"t\"").contains("cake"));
    }
}
