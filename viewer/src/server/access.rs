//! Who may ask: a browser on this machine that knows the token, for the page of this server and for no other.
//!
//! * The **token** is in the address that was printed. Other users of a shared machine reach the port, and do not know it.
//! * The **host** that a request names must be this machine: the name of a foreign page that was made to lead here never is.
//! * The **origin** must be the host: a foreign page cannot send commands, though a browser would carry them here.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::refusal::Refusal;

/// What a request must know.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Token")
    }
}

impl Token {
    /// The token of these bytes, which must be as good as random.
    #[must_use]
    pub fn of(bytes: [u8; 16]) -> Self {
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// As it stands in an address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is this one, in a time that does not tell how much of it is right.
    fn is(&self, told: &str) -> bool {
        let differing =
            self.0.bytes().zip(told.bytes()).fold(0, |sum, (own, other)| sum | (own ^ other));
        told.len() == self.0.len() && differing == 0
    }
}

/// What is asked of a request.
#[derive(Clone, Debug)]
pub struct AccessRules {
    /// The token.
    pub token: Token,
    /// Names by which this machine is known beside its own address, as behind a proxy.
    pub hosts: Vec<String>,
}

impl AccessRules {
    /// Why a request is refused; none of one that may be answered.
    fn refuse(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Refusal> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(header::HOST).unwrap_or_default();
        if !self.is_ours(host) {
            return Some(Refusal::Host(host.to_owned()));
        }
        if let Some(origin) = text(header::ORIGIN)
            && !origin
                .split_once("://")
                .is_some_and(|(_, from)| from == host || self.is_named(from))
        {
            return Some(Refusal::Origin(origin.to_owned()));
        }
        let bearer = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        // A command must carry it where no link can put it.
        let in_address = (method == Method::GET).then(|| in_address(uri)).flatten();
        let told = bearer.or(in_address);
        (!told.is_some_and(|told| self.token.is(told))).then_some(Refusal::Token)
    }

    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host);
        let is_loopback = |ip: IpAddr| ip.is_loopback();
        name.eq_ignore_ascii_case("localhost")
            || name.trim_matches(['[', ']']).parse().is_ok_and(is_loopback)
            || self.is_named(host)
    }

    /// Whether it is a name that was given: a proxy may ask under another one than the page was asked for.
    fn is_named(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(without_port(host)))
    }
}

/// The name of `name:port`, of `[::1]:port`, and of a name alone.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn in_address(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|word| word.strip_prefix("token="))
}

/// Answers only what may be asked.
pub(crate) async fn check(
    State(rules): State<Arc<AccessRules>>,
    request: Request,
    next: Next,
) -> Response {
    match rules.refuse(request.method(), request.uri(), request.headers()) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> AccessRules {
        AccessRules { token: Token::of([7; 16]), hosts: vec!["node7".into()] }
    }

    fn asked(method: Method, uri: &str, headers: &[(header::HeaderName, &str)]) -> Option<Refusal> {
        let map = headers.iter().map(|(name, value)| (name.clone(), value.parse().expect("text")));
        rules().refuse(&method, &uri.parse().expect("an address"), &map.collect())
    }

    fn good() -> String {
        format!("/?token={}", rules().token.as_str())
    }

    #[test]
    fn the_token_is_needed_whole() {
        let host = [(header::HOST, "127.0.0.1:8400")];
        assert_eq!(asked(Method::GET, &good(), &host), None);
        for wrong in
            ["/", "/?token=", "/?token=07", &good()[..good().len() - 1], &format!("{}0", good())]
        {
            assert_eq!(asked(Method::GET, wrong, &host), Some(Refusal::Token), "{wrong}");
        }
    }

    #[test]
    fn a_command_carries_the_token_in_its_head() {
        let host = (header::HOST, "localhost:1");
        assert_eq!(asked(Method::POST, &good(), std::slice::from_ref(&host)), Some(Refusal::Token));
        let bearer = format!("Bearer {}", rules().token.as_str());
        assert_eq!(asked(Method::POST, "/", &[host, (header::AUTHORIZATION, &bearer)]), None);
    }

    #[test]
    fn the_host_is_this_machine_under_whatever_port_a_tunnel_has() {
        for own in ["localhost", "localhost:9999", "127.0.0.1:1", "[::1]:8400", "[::1]", "node7:80"]
        {
            assert_eq!(asked(Method::GET, &good(), &[(header::HOST, own)]), None, "{own}");
        }
        for foreign in
            ["evil.example:8400", "", "127.0.0.1.evil.example", "localhost.evil.example:1"]
        {
            let refused = asked(Method::GET, &good(), &[(header::HOST, foreign)]);
            assert_eq!(refused, Some(Refusal::Host(foreign.into())), "{foreign}");
        }
    }

    #[test]
    fn a_foreign_page_cannot_ask() {
        let host = (header::HOST, "localhost:8400");
        let from = |origin| asked(Method::GET, &good(), &[host.clone(), (header::ORIGIN, origin)]);
        assert_eq!(from("http://localhost:8400"), None);
        assert_eq!(from("https://node7"), None, "a proxy has its own name for us");
        for foreign in ["http://evil.example", "null", "http://localhost:8401"] {
            assert_eq!(from(foreign), Some(Refusal::Origin(foreign.into())), "{foreign}");
        }
    }
}
