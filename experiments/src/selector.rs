//! The selector by which a user names a run: its id, a unique beginning of one, a tag, or how many runs ago it was.

use std::str::FromStr;

use crate::database::{DatabaseError, params};
use crate::error::StoreError;
use crate::run::RunId;
use crate::store::Store;

/// What a user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// An id or the beginning of one, or a tag.
    Named(String),
    /// So many before the latest.
    Latest(u32),
}

/// Candidates that an ambiguous name lists.
const SHOWN: usize = 5;

impl FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(rest) = text.strip_prefix("latest") else {
            return if text.is_empty() {
                Err("a run is an id, the beginning of one, a tag, latest, or latest~1".to_owned())
            } else {
                Ok(Self::Named(text.to_owned()))
            };
        };
        let back = match rest.strip_prefix('~') {
            Some(number) => number.parse().ok(),
            None => rest.is_empty().then_some(0),
        };
        back.map(Self::Latest).ok_or_else(|| format!("expected latest or latest~1, not {text}"))
    }
}

impl Selector {
    fn text(&self) -> String {
        match self {
            Self::Named(name) => name.clone(),
            Self::Latest(0) => "latest".to_owned(),
            Self::Latest(back) => format!("latest~{back}"),
        }
    }
}

impl Store {
    /// The run a user means.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn find(&self, selector: &Selector) -> Result<RunId, StoreError> {
        let failed =
            |error: DatabaseError| StoreError::of(&self.shown, "looking for a run", &error);
        let none = || StoreError::NoSuchRun { path: self.shown.clone(), wanted: selector.text() };
        match selector {
            Selector::Latest(back) => {
                let query = "SELECT id FROM run WHERE complete >= 0 ORDER BY started DESC, number DESC LIMIT 1 OFFSET $1";
                let found = self.connection.query_first(query, params![back], |row| row.get(0));
                let found = found.map_err(failed)?;
                found.map(RunId).ok_or_else(none)
            }
            Selector::Named(name) => {
                let mut found = self.named(name).map_err(failed)?;
                match found.len() {
                    0 => Err(none()),
                    1 => Ok(RunId(found.remove(0))),
                    _ => {
                        found.truncate(SHOWN);
                        Err(StoreError::Ambiguous { wanted: name.clone(), candidates: found })
                    }
                }
            }
        }
    }

    /// The run of this id; or those whose ids begin so and the newest that has this tag: a person may mean either.
    fn named(&self, name: &str) -> Result<Vec<String>, DatabaseError> {
        let mut found: Vec<String> = Vec::new();
        if name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let query = "SELECT id FROM run WHERE id >= $1 AND id < $2 AND complete >= 0 ORDER BY id LIMIT $3";
            let most = i64::try_from(SHOWN + 1).unwrap_or(i64::MAX);
            let lower = name.to_ascii_lowercase();
            let range = params![lower, format!("{lower}g"), most];
            found = self.connection.query(query, range, |row| row.get(0))?;
            if found == [lower] {
                return Ok(found);
            }
        }
        let query = "SELECT run.id FROM tag JOIN run ON run.number = tag.run WHERE tag.name = $1 \
                     ORDER BY run.started DESC, run.number DESC LIMIT 1";
        let tagged: Option<String> =
            self.connection.query_first(query, params![name], |row| row.get(0))?;
        found.extend(tagged.filter(|id| !found.contains(id)));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_writes_is_understood() {
        assert_eq!("latest".parse(), Ok(Selector::Latest(0)));
        assert_eq!("latest~3".parse(), Ok(Selector::Latest(3)));
        assert_eq!("0a1b".parse(), Ok(Selector::Named("0a1b".into())));
        assert!("latest~".parse::<Selector>().is_err());
        assert!("latest3".parse::<Selector>().is_err());
        assert!("".parse::<Selector>().is_err());
    }
}
