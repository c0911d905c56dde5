//! Where a server is and who asks it: a URL as libpq has them, its environment variables, and what it assumes without them.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::password_file::{self, Wanted};

/// Everything that is known before the first byte is sent.
#[derive(Clone)]
pub(crate) struct ServerAddress {
    /// Tried in this order.
    pub(super) hosts: Vec<Host>,
    pub(super) user: String,
    pub(super) database: String,
    pub(super) encryption: Encryption,
    pub(super) root_certificate: Option<PathBuf>,
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    /// Settings of the session, as a server takes them on its command line.
    pub(super) options: Option<String>,
    /// How long a connection may take to come about.
    pub(super) patience: Duration,
    /// Where certificates are by default.
    pub(super) folder: Option<PathBuf>,
    password: Option<String>,
    password_file: Option<PathBuf>,
}

/// One place where the server may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Host {
    /// A name or a number of the network, or the folder of a socket.
    pub(super) name: String,
    pub(super) port: u16,
}

/// `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encryption {
    Disable,
    Allow,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// What is wrong with a URL, or with a variable beside it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is not UTF-8.
    #[error("it is no text")]
    NotText,
    /// A `%` without two digits, or bytes that are no text.
    #[error("a % in it is not followed by two hexadecimal digits that make a text")]
    Escape,
    /// A port is none.
    #[error("a port in it is no number up to 65535")]
    Port,
    /// A bracket that is not closed.
    #[error("a [ in it is not closed")]
    Bracket,
    /// A parameter after the `?` that is not known.
    #[error(
        "{0} is no parameter that is known: host, port, user, password, dbname, sslmode, sslrootcert, sslcert, sslkey, passfile, connect_timeout and options are"
    )]
    Parameter(String),
    /// A mode of encryption that is none.
    #[error("sslmode is disable, allow, prefer, require, verify-ca or verify-full, not {0}")]
    Encryption(String),
    /// A number of seconds that is none.
    #[error("connect_timeout is a number of seconds, not {0}")]
    Patience(String),
    /// Nobody said who asks, and the machine does not know.
    #[error("it names no user, and neither does PGUSER")]
    NoUser,
}

/// What the parts of a URL are, before defaults are put in: by the names of libpq.
#[derive(Default)]
struct Parts(Vec<(String, String)>);

const PORT: u16 = 5432;
const SOCKETS: [&str; 3] = ["/run/postgresql", "/var/run/postgresql", "/tmp"];
const PATIENCE: Duration = Duration::from_secs(10);

/// A parameter of a URL, and the variable that says the same.
const KNOWN: [(&str, &str); 12] = [
    ("host", "PGHOST"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("dbname", "PGDATABASE"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("passfile", "PGPASSFILE"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("options", "PGOPTIONS"),
];

impl std::fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut told = f.debug_struct("ServerAddress");
        told.field("hosts", &self.hosts).field("user", &self.user);
        told.field("database", &self.database).field("encryption", &self.encryption);
        told.finish_non_exhaustive()
    }
}

impl Host {
    /// Whether it is a socket of this machine.
    pub(super) fn is_socket(&self) -> bool {
        self.name.starts_with('/')
    }
}

impl ServerAddress {
    /// The address of a URL, with what the environment says of the rest.
    pub(crate) fn parse(text: &str) -> Result<Self, AddressError> {
        Self::with(text, |variable| env::var(variable).ok().filter(|value| !value.is_empty()))
    }

    fn with(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, AddressError> {
        let parts = Parts::of(text)?;
        let known = |name: &str| {
            let variables = KNOWN.iter().filter(|(known, _)| *known == name);
            parts.last(name).or_else(|| variables.into_iter().find_map(|(_, name)| variable(name)))
        };
        let home = variable("HOME").map(PathBuf::from);
        let user = known("user").or_else(user_name).ok_or(AddressError::NoUser)?;
        let patience = match known("connect_timeout") {
            None => PATIENCE,
            // 0 is no limit to libpq; nobody waits for a day.
            Some(text) => match text.trim().parse::<u32>() {
                Ok(0) => Duration::from_secs(86_400),
                Ok(seconds) => Duration::from_secs(seconds.into()),
                Err(_) => return Err(AddressError::Patience(text)),
            },
        };
        let passwords = known("passfile").map(PathBuf::from);
        Ok(Self {
            hosts: hosts(known("host").as_deref(), known("port").as_deref())?,
            database: known("dbname").unwrap_or_else(|| user.clone()),
            user,
            encryption: known("sslmode")
                .map_or(Ok(Encryption::Prefer), |mode| encryption(&mode))?,
            root_certificate: known("sslrootcert").map(PathBuf::from),
            certificate: known("sslcert").map(PathBuf::from),
            key: known("sslkey").map(PathBuf::from),
            options: known("options"),
            patience,
            password: known("password"),
            password_file: passwords.or_else(|| home.as_ref().map(|home| home.join(".pgpass"))),
            folder: home.map(|home| home.join(".postgresql")),
        })
    }

    /// The password for this host: of the URL, of the environment, or of the user's file.
    pub(super) fn password(&self, host: &Host) -> Option<String> {
        let wanted = Wanted {
            host: &host.name,
            port: host.port,
            database: &self.database,
            user: &self.user,
        };
        let kept = || password_file::password(self.password_file.as_deref()?, wanted);
        self.password.clone().or_else(kept)
    }

    /// A URL as it may be shown to anybody: without its passwords.
    pub(crate) fn masked(text: &str) -> String {
        let (before, rest) = text.split_once("://").unwrap_or((text, ""));
        // Whoever forgets to escape a sign in a password has it hidden all the same: all before the last `@` is about the user.
        let (user, rest) = rest.rsplit_once('@').map_or(("", rest), |(user, rest)| (user, rest));
        let user = match user.split_once(':') {
            Some((user, _)) => format!("{user}:***@"),
            None if user.is_empty() => String::new(),
            None => format!("{user}@"),
        };
        let (place, query) =
            rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
        let query = query.map(|query| {
            let masked = query.split('&').map(|one| match one.split_once('=') {
                Some((name, _)) if name.contains("password") => format!("{name}=***"),
                _ => one.to_owned(),
            });
            format!("?{}", masked.collect::<Vec<_>>().join("&"))
        });
        // Where the `@` is missing, a password stands in the place of a port.
        let (hosts, database) = place.find('/').map_or((place, ""), |at| place.split_at(at));
        let hosts = hosts.split(',').map(|host| match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') && port.parse::<u16>().is_err() => {
                format!("{name}:***")
            }
            _ => host.to_owned(),
        });
        let hosts = hosts.collect::<Vec<_>>().join(",");
        format!("{before}://{user}{hosts}{database}{}", query.unwrap_or_default())
    }
}

impl Parts {
    /// `postgres://user:password@host:port,host:port/database?parameter=value&…`
    fn of(text: &str) -> Result<Self, AddressError> {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = user.split_once(':').unwrap_or((user, ""));
        let mut parts = Self::default();
        parts.add("user", user)?;
        parts.add("password", password)?;
        parts.add("dbname", database)?;
        let (mut names, mut ports) = (Vec::new(), Vec::new());
        for host in hosts.split(',') {
            let (name, port) = match host.strip_prefix('[') {
                Some(inner) => {
                    let (name, rest) = inner.split_once(']').ok_or(AddressError::Bracket)?;
                    (name, rest.strip_prefix(':').unwrap_or(""))
                }
                None => host.rsplit_once(':').unwrap_or((host, "")),
            };
            names.push(name);
            ports.push(port);
        }
        if names.iter().any(|name| !name.is_empty()) {
            parts.add("host", &names.join(","))?;
        }
        if ports.iter().any(|port| !port.is_empty()) {
            parts.add("port", &ports.join(","))?;
        }
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if !KNOWN.iter().any(|(known, _)| *known == name) {
                return Err(AddressError::Parameter(name.to_owned()));
            }
            parts.add(name, value)?;
        }
        Ok(parts)
    }

    fn add(&mut self, name: &str, escaped: &str) -> Result<(), AddressError> {
        if !escaped.is_empty() {
            self.0.push((name.to_owned(), unescaped(escaped)?));
        }
        Ok(())
    }

    /// What was said last of this: a parameter counts more than the place before it.
    fn last(&self, name: &str) -> Option<String> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }
}

/// The hosts and their ports, of which there is one for all or one for each; without a host, the socket of this machine.
fn hosts(names: Option<&str>, ports: Option<&str>) -> Result<Vec<Host>, AddressError> {
    let ports: Vec<&str> = ports.unwrap_or("").split(',').collect();
    let default = || {
        let here = SOCKETS.iter().find(|folder| fs::metadata(folder).is_ok_and(|at| at.is_dir()));
        here.filter(|folder| **folder != "/tmp").map_or("localhost", |folder| folder)
    };
    let names = names.unwrap_or("").split(',').enumerate();
    let found = names.map(|(at, name)| {
        let port = ports.get(at).or_else(|| ports.last()).copied().unwrap_or("").trim();
        let port = if port.is_empty() { Ok(PORT) } else { port.parse() };
        let name = if name.is_empty() { default() } else { name };
        Ok(Host { name: name.to_owned(), port: port.map_err(|_| AddressError::Port)? })
    });
    found.collect()
}

fn encryption(mode: &str) -> Result<Encryption, AddressError> {
    Ok(match mode {
        "disable" => Encryption::Disable,
        "allow" => Encryption::Allow,
        "prefer" => Encryption::Prefer,
        "require" => Encryption::Require,
        "verify-ca" => Encryption::VerifyCa,
        "verify-full" => Encryption::VerifyFull,
        other => return Err(AddressError::Encryption(other.to_owned())),
    })
}

/// Who runs this, by the machine's list of users.
fn user_name() -> Option<String> {
    let own = rustix::process::geteuid().as_raw().to_string();
    let list = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let of = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == own).then(|| name.to_owned())
    };
    list.lines().find_map(of).or_else(|| env::var("LOGNAME").or_else(|_| env::var("USER")).ok())
}

/// With `%20` as what it stands for.
fn unescaped(text: &str) -> Result<String, AddressError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2).ok_or(AddressError::Escape)?;
        let digits = std::str::from_utf8(digits).map_err(|_| AddressError::Escape)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| AddressError::Escape)?);
        rest = after;
    }
    String::from_utf8(bytes).map_err(|_| AddressError::Escape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<ServerAddress, AddressError> {
        ServerAddress::with(text, |name| match name {
            "PGHOST" => Some("of.environment".to_owned()),
            "PGUSER" => Some("somebody".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn a_url_is_read_as_libpq_reads_it() {
        let address = parsed("postgres://me:a%40b@one:5433,[::1]/runs?sslmode=verify-full");
        let address = address.expect("it is well formed");
        let hosts: Vec<_> = address.hosts.iter().map(|host| (&*host.name, host.port)).collect();
        let password = address.password(&address.hosts[0]);
        assert_eq!(
            (hosts, &*address.user, &*address.database, address.encryption, password.as_deref()),
            (vec![("one", 5433), ("::1", 5432)], "me", "runs", Encryption::VerifyFull, Some("a@b"))
        );
    }

    #[test]
    fn what_a_url_does_not_say_the_environment_does() {
        let address = parsed("postgresql:///").expect("it is well formed");
        let said = (&*address.hosts[0].name, &*address.user, &*address.database);
        assert_eq!(said, ("of.environment", "somebody", "somebody"));
    }

    #[test]
    fn a_socket_is_a_folder_as_a_parameter_or_escaped() {
        for text in ["postgres:///runs?host=/run/here", "postgres://%2Frun%2Fhere/runs"] {
            let address = parsed(text).expect("it is well formed");
            assert_eq!((&*address.hosts[0].name, &*address.database), ("/run/here", "runs"));
        }
    }

    #[test]
    fn a_mistake_is_named() {
        let mistakes = [
            ("postgres://h:port/d", AddressError::Port),
            ("postgres://h/d?sslmode=maybe", AddressError::Encryption("maybe".into())),
            ("postgres://h/d?colour=red", AddressError::Parameter("colour".into())),
            ("postgres://h/%zz", AddressError::Escape),
            ("postgres://[::1/d", AddressError::Bracket),
            ("postgres://h/d?connect_timeout=soon", AddressError::Patience("soon".into())),
        ];
        for (text, mistake) in mistakes {
            assert_eq!(parsed(text).err(), Some(mistake), "{text}");
        }
    }

    #[test]
    fn no_password_is_shown() {
        let masked = [
            ("postgres://me:secret@h:1/d", "postgres://me:***@h:1/d"),
            ("postgres://me:s/e?c@ret@h/d", "postgres://me:***@h/d"),
            (
                "postgres://me@h/d?password=secret&sslmode=require",
                "postgres://me@h/d?password=***&sslmode=require",
            ),
            ("postgres:///d", "postgres:///d"),
            ("postgres://me:secret/d", "postgres://me:***/d"),
            ("postgres://[::1]:7,h:8/d", "postgres://[::1]:7,h:8/d"),
        ];
        for (text, shown) in masked {
            assert_eq!(ServerAddress::masked(text), shown);
        }
    }
}
