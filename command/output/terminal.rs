//! The terminal on standard error and what it can show: width, colour, line-drawing characters, and one line that changes.

use std::borrow::Cow;
use std::env;
use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use owo_colors::{OwoColorize as _, Style};

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How to write for the reader of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputStyle {
    /// Whether colour is wanted.
    pub(crate) colour: bool,
    /// Whether characters beyond ASCII arrive as meant.
    pub(crate) unicode: bool,
    /// Columns to fill at most.
    pub(crate) width: usize,
}

impl OutputStyle {
    /// Plain text: for files, the store and tests.
    pub(crate) const PLAIN: Self = Self { colour: false, unicode: true, width: MOST_COLUMNS };

    /// For standard error.
    pub(crate) fn of_stderr(colour: Colour) -> Self {
        let stream = io::stderr();
        let width = rustix::termios::tcgetwinsize(&stream).map_or(0, |size| size.ws_col);
        Self::new(colour, stream.is_terminal(), usize::from(width))
    }

    /// For standard output.
    pub(crate) fn of_stdout(colour: Colour) -> Self {
        let stream = io::stdout();
        let width = rustix::termios::tcgetwinsize(&stream).map_or(0, |size| size.ws_col);
        Self::new(colour, stream.is_terminal(), usize::from(width))
    }

    fn new(colour: Colour, is_terminal: bool, width: usize) -> Self {
        let colour = match colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => is_terminal && is_unset("NO_COLOR") && !is_dumb(),
        };
        let width =
            if width == 0 { MOST_COLUMNS } else { width.clamp(LEAST_COLUMNS, MOST_COLUMNS) };
        Self { colour, unicode: speaks_unicode(), width }
    }

    /// The text in a style, when colour is wanted.
    pub(crate) fn paint(&self, text: impl Display, style: Style) -> String {
        if self.colour { text.style(style).to_string() } else { text.to_string() }
    }

    /// One of two spellings.
    pub(crate) const fn either(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }
}

/// Titles.
pub(crate) const TITLE: Style = Style::new().bold();
/// Bottlenecks.
pub(crate) const ALARM: Style = Style::new().bold().red();
/// What is good.
pub(crate) const GOOD: Style = Style::new().green();
/// What deserves a look.
pub(crate) const CAUTION: Style = Style::new().yellow();
/// What may be passed over.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Places in the source.
pub(crate) const PLACE: Style = Style::new().cyan();

/// Standard error: lines that stay, and below them one that changes while it is a terminal.
#[derive(Debug)]
pub(crate) struct Screen {
    /// How to write.
    pub(crate) output_style: OutputStyle,
    /// Nothing but problems.
    quiet: bool,
    shows_status: bool,
    status_is_up: bool,
    /// When the changing line was last written.
    renewed: Option<Instant>,
}

impl Screen {
    /// Standard error.
    pub(crate) fn new(colour: Colour, quiet: bool) -> Self {
        let shows_status = !quiet && io::stderr().is_terminal() && !is_dumb();
        Self {
            output_style: OutputStyle::of_stderr(colour),
            quiet,
            shows_status,
            status_is_up: false,
            renewed: None,
        }
    }

    /// Leaves out the line that changes: something else shows it.
    pub(crate) const fn hide_status(&mut self) {
        self.shows_status = false;
    }

    /// Something that stays, unless quiet is asked for.
    pub(crate) fn say(&mut self, text: &str) {
        if !self.quiet {
            self.write(text);
        }
    }

    /// Something that was asked for, and that stays: said even when quiet is asked for.
    pub(crate) fn put(&mut self, text: &str) {
        self.write(text);
    }

    /// Something that went wrong: said even when quiet is asked for.
    pub(crate) fn warn(&mut self, text: &str) {
        let name = self.output_style.paint("whyperf:", CAUTION);
        self.write(&format!("{name} {}\n", text.replace('\n', "\\n")));
    }

    /// Replaces the line that changes, not more often than eyes follow. The cursor goes back to its start, so that the
    /// program's own next line takes its place.
    pub(crate) fn status(&mut self, text: &str) {
        let is_due = self.renewed.is_none_or(|before| before.elapsed() >= RENEWAL);
        if self.shows_status && is_due {
            self.renewed = Some(Instant::now());
            let shown: String = plain(text).chars().take(self.output_style.width - 1).collect();
            put(&format!("\r\x1b[K{}\r", self.output_style.paint(shown, FAINT)));
            self.status_is_up = true;
        }
    }

    fn write(&mut self, text: &str) {
        if std::mem::take(&mut self.status_is_up) {
            put("\r\x1b[K");
            self.renewed = None;
        }
        put(&harmless(text));
    }
}

/// A line on standard error, where there is no screen.
pub(crate) fn complain(text: &str) {
    put(&format!("whyperf: {}\n", harmless(&text.replace('\n', "\\n"))));
}

/// The text with nothing in it that steers a terminal, but for ends of lines and the colours of this file. All that whyperf writes goes
/// through here, whoever chose the names in it. What is spelt out is spelt as in JSON, so that JSON stays what it was.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(may_steer) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let length = colour_at(rest).unwrap_or(0);
        // The end of a line of comma-separated values.
        let length = if rest.starts_with("\r\n") { 2 } else { length };
        if length == 0 && character.is_control() && character != '\n' {
            let _ = write!(shown, "\\u{:04x}", u32::from(character));
            rest = &rest[character.len_utf8()..];
        } else {
            let (kept, others) = rest.split_at(length.max(character.len_utf8()));
            shown.push_str(kept);
            rest = others;
        }
    }
    Cow::Owned(shown)
}

/// Whether a byte is a control character, or may begin one of those beyond ASCII.
const fn may_steer(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\n' || byte == 0xc2
}

/// The length of a colour of ours that the text begins with.
fn colour_at(text: &str) -> Option<usize> {
    let codes = text.strip_prefix("\x1b[")?;
    let end = codes.find('m').filter(|end| *end <= LONGEST_COLOUR)?;
    const OURS: [&str; 7] = ["0", "1", "2", "31", "32", "33", "36"];
    codes[..end].split(';').all(|code| OURS.contains(&code)).then_some(2 + end + 1)
}

/// As `1;31`, and some more.
const LONGEST_COLOUR: usize = 8;

/// A stream to which only [`harmless`] text goes.
#[derive(Debug)]
pub(crate) struct Harmless<W>(pub(crate) W);

impl<W: io::Write> io::Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Whatever is formatted comes in pieces of whole characters.
        self.0.write_all(harmless(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// In one piece, so that lines of other processes do not get into it. A closed standard error is no error here.
pub(crate) fn put(text: &str) {
    let _ = io::Write::write_all(&mut io::stderr().lock(), text.as_bytes());
}

/// The text in lines of at most this many columns, broken between words.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        // A number and its sign are one word.
        let sign = words.next_if(|next| next.starts_with('%'));
        let word = sign.map_or_else(|| word.to_owned(), |sign| format!("{word} {sign}"));
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// A resource or a focus as people read it: what its names hold, in place of `%28` and the like. A path that is to be used again is told
/// as it is.
pub(crate) fn readable(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let digits = others.get(..2).filter(|_| *first == b'%');
        let escaped = digits.and_then(|two| u8::from_str_radix(str::from_utf8(two).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &others[2..] } else { others };
    }
    plain(&String::from_utf8_lossy(&bytes)).into_owned()
}

/// The text as it can be shown in one line: a name from outside must not move the cursor, nor to look like several lines.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    // Those beyond ASCII all begin with one byte.
    if !text.bytes().any(|byte| byte.is_ascii_control() || byte == 0xc2) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| {
        let escaped = character.is_control().then(|| character.escape_default());
        let kept = escaped.is_none().then_some(character);
        escaped.into_iter().flatten().chain(kept)
    };
    Cow::Owned(text.chars().flat_map(shown).collect())
}

/// The text cut to so many columns; its end tells more than its beginning, so that stays.
pub(crate) fn shortened(text: &str, columns: usize, output_style: OutputStyle) -> String {
    let length = text.chars().count();
    if length <= columns {
        return text.to_owned();
    }
    let mark = output_style.either("…", "..");
    let kept = columns.saturating_sub(mark.chars().count());
    format!("{mark}{}", text.chars().skip(length - kept).collect::<String>())
}

/// A phase's name where people read it.
pub(crate) fn phase_name(name: &str, output_style: OutputStyle) -> String {
    match plain(name.trim()) {
        name if name.is_empty() => "without a name".to_owned(),
        name => shortened(&name, LONGEST_SHOWN, output_style),
    }
}

const LONGEST_SHOWN: usize = 40;

fn is_unset(variable: &str) -> bool {
    env::var_os(variable).is_none_or(|value| value.is_empty())
}

fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|value| value == "dumb")
}

/// What the locale says; the first of these variables that is set decides.
fn speaks_unicode() -> bool {
    let set = |variable| env::var(variable).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Between two writings of the changing line.
const RENEWAL: Duration = Duration::from_millis(250);
const LEAST_COLUMNS: usize = 60;
const MOST_COLUMNS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_between_words() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("", 7), Vec::<String>::new());
    }

    #[test]
    fn a_number_keeps_its_sign_in_the_line() {
        assert_eq!(wrapped("it is 2.4 %: less", 9), ["it is", "2.4 %:", "less"]);
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        assert_eq!(shortened("/Code/oned.c", 20, OutputStyle::PLAIN), "/Code/oned.c");
        assert_eq!(shortened("/Code/oned.c", 7, OutputStyle::PLAIN), "…oned.c");
    }

    #[test]
    fn what_steers_a_terminal_is_spelt_out() {
        assert_eq!(plain("two words"), "two words");
        assert_eq!(plain("a\x1b[2Jb\nc\u{9b}"), "a\\u{1b}[2Jb\\nc\\u{9b}");
    }

    #[test]
    fn nothing_but_colours_of_ours_steers_the_terminal() {
        let coloured = OutputStyle { colour: true, ..OutputStyle::PLAIN };
        for style in [TITLE, ALARM, GOOD, CAUTION, FAINT, PLACE] {
            let painted = coloured.paint("x", style);
            assert_eq!(harmless(&painted), painted);
        }
        for (given, shown) in [
            ("a\x1b[2Jb\nc\u{9b}d", "a\\u001b[2Jb\nc\\u009bd"),
            ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
            ("\x1b[8mhidden\rover\x08\x7f", "\\u001b[8mhidden\\u000dover\\u0008\\u007f"),
            ("a,b\r\nc\r", "a,b\r\nc\\u000d"),
            ("\x1b[31", "\\u001b[31"),
            ("é\x1b", "é\\u001b"),
        ] {
            assert_eq!(harmless(given), shown);
        }
    }

    #[test]
    fn colour_is_used_only_when_wanted() {
        let coloured = OutputStyle { colour: true, ..OutputStyle::PLAIN };
        assert_eq!(OutputStyle::PLAIN.paint("x", ALARM), "x");
        assert!(coloured.paint("x", ALARM).contains('\x1b'));
    }
}
