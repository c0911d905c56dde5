//! Masks what looks like a secret in the words of a command and in settings, before they are stored.
//!
//! ```text
//!   --password=…  --api-key …  TOKEN=…        by the name in front
//!   https://me:…@host  "Authorization: …"     by the form
//!   ghp_…  AKIA…  eyJ…                        by how services begin theirs
//! ```
//! A store is kept for years and handed around; a command is typed for the moment. What has no such sign is kept as it is.

/// What stands in place of a secret.
const MASK: &str = "***";

/// Parts of names after which a secret follows; each is a whole part.
const NAMES: [&str; 18] = [
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "secret",
    "secrets",
    "token",
    "apikey",
    "credential",
    "credentials",
    "auth",
    "authorization",
    "bearer",
    "accesskey",
    "privatekey",
    "secretkey",
    "signature",
];

/// Two parts of a name that mean one of those.
const PAIRS: [[&str; 2]; 4] =
    [["api", "key"], ["access", "key"], ["private", "key"], ["encryption", "key"]];

/// How tokens of well-known services begin, and how long they are at least.
const TOKENS: [(&str, usize); 9] = [
    ("ghp_", 20),
    ("gho_", 20),
    ("github_pat_", 20),
    ("glpat-", 20),
    ("AKIA", 16),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("sk-", 20),
    ("eyJ", 30),
];

/// The words of a command without secrets. A word with spaces, as a shell gets one, is looked into.
pub(crate) fn masked(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut follows = Follows::Nothing;
    let mut mask = |word: String| {
        let pieces = word.split(' ').map(|piece| follows.mask(piece));
        pieces.collect::<Vec<_>>().join(" ")
    };
    words.into_iter().map(&mut mask).collect()
}

/// The value of a setting without a secret.
pub(crate) fn masked_value(name: &str, value: &str) -> String {
    if is_secret(name) { MASK.to_owned() } else { masked([value.to_owned()]).join(" ") }
}

/// What is expected of the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Nothing,
    /// The value of an option with such a name, unless it is another option.
    Value,
    /// What a header says, to the end of its word.
    Header,
}

impl Follows {
    fn mask(&mut self, word: &str) -> String {
        let before = std::mem::replace(self, Self::Nothing);
        let is_option = word.starts_with('-');
        match before {
            Self::Header if !word.is_empty() => {
                // A kind may stand in front: `Authorization: Bearer …`.
                let is_kind = ["basic", "bearer", "token"].contains(&word.to_lowercase().as_str());
                if is_kind {
                    *self = Self::Header;
                    return word.to_owned();
                }
                return MASK.to_owned();
            }
            Self::Value if !is_option && !word.is_empty() => return MASK.to_owned(),
            _ => {}
        }
        if let Some((name, value)) = word.split_once('=')
            && is_secret(name)
            && !value.is_empty()
        {
            return format!("{name}={MASK}");
        }
        if let Some(name) = word.strip_suffix(':').filter(|name| is_secret(name)) {
            *self = Self::Header;
            return format!("{name}:");
        }
        if is_option && !word.contains('=') && is_secret(word) {
            *self = Self::Value;
        }
        if is_token(word) { MASK.to_owned() } else { without_login(word) }
    }
}

/// Whether a secret follows a name as this one, with whatever dashes.
fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let parts: Vec<&str> = name
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    parts.iter().any(|part| NAMES.contains(part))
        || parts.windows(2).any(|pair| PAIRS.iter().any(|known| known == pair))
}

fn is_token(word: &str) -> bool {
    TOKENS.iter().any(|(beginning, least)| word.starts_with(beginning) && word.len() >= *least)
}

/// An address without the password that stands in it.
fn without_login(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let (place, path) =
        rest.split_once('/').map_or((rest, None), |(place, path)| (place, Some(path)));
    let Some((login, host)) = place.rsplit_once('@') else { return word.to_owned() };
    let Some((user, _)) = login.split_once(':') else { return word.to_owned() };
    let path = path.map_or(String::new(), |path| format!("/{path}"));
    format!("{scheme}://{user}:{MASK}@{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(words: &str) -> String {
        masked(words.split('|').map(str::to_owned)).join("|")
    }

    #[test]
    fn what_follows_such_a_name_is_masked() {
        for (given, kept_as) in [
            ("./app|--password=hunter2|in.dat", "./app|--password=***|in.dat"),
            ("./app|--api-key|abc|-n|4", "./app|--api-key|***|-n|4"),
            ("env|DB_PASSWORD=x y|./app", "env|DB_PASSWORD=*** y|./app"),
            ("curl|-H|Authorization: Bearer abc.def", "curl|-H|Authorization: Bearer ***"),
            ("sh|-c|mysql --password s3 < q.sql", "sh|-c|mysql --password *** < q.sql"),
            ("./app|https://me:pw@host/x?y", "./app|https://me:***@host/x?y"),
            ("./app|ghp_0123456789abcdefghij", "./app|***"),
            ("./app|--token|--verbose", "./app|--token|--verbose"),
        ] {
            assert_eq!(kept(given), kept_as);
        }
    }

    #[test]
    fn all_else_stays() {
        for words in [
            "mpirun|-n|4|./app|--max-tokens=512|--authors|me",
            "./app|--passes=3|--keyword|x|a=b|https://host:80/a@b",
            "sh|-c|echo  two  spaces",
        ] {
            assert_eq!(kept(words), words);
        }
    }

    #[test]
    fn a_setting_is_masked_by_its_name_or_its_form() {
        assert_eq!(masked_value("$OMPI_MCA_x_secret", "abc"), "***");
        assert_eq!(masked_value("$OMPI_MCA_x_url", "tcp://a:b@c"), "tcp://a:***@c");
        assert_eq!(masked_value("$OMP_NUM_THREADS", "4"), "4");
    }
}
