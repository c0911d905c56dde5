//! The server of the page: it answers those that know its token, and its documents are what `viewer/openapi.json` says.

use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::schema::Schemas;
use crate::store::Place;

/// A server of the newest run in a folder; it ends with the value.
struct Server {
    child: Child,
    host: String,
    token: String,
}

/// What it answered.
#[derive(Debug)]
struct Answered {
    status: u16,
    body: String,
}

impl Answered {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Server {
    fn start(place: &Place, words: &[&str]) -> Self {
        let mut command = place.command(&["view", "latest", "--print-url"]);
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the command was built");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("it was piped");
        BufReader::new(stdout).read_line(&mut url).expect("it prints its address");
        let (host, token) = url
            .trim()
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once("/?token="))
            .expect("an address");
        Self { child, host: host.to_owned(), token: token.to_owned() }
    }

    fn ask(&self, method: &str, path: &str, heads: &[String], body: &str) -> Answered {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        asked(&mut stream, method, path, heads, body)
    }

    fn heads(&self) -> Vec<String> {
        vec![format!("Host: {}", self.host), format!("Authorization: Bearer {}", self.token)]
    }

    fn get(&self, path: &str) -> Answered {
        self.ask("GET", path, &self.heads(), "")
    }

    fn post(&self, path: &str, body: &str) -> Answered {
        let mut heads = self.heads();
        heads.push("Content-Type: application/json".to_owned());
        self.ask("POST", path, &heads, body)
    }

    fn end(&mut self) -> Option<i32> {
        let pid =
            i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, Signal::TERM).expect("it runs");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn asked(
    stream: &mut (impl Read + Write),
    method: &str,
    path: &str,
    heads: &[String],
    body: &str,
) -> Answered {
    let heads = heads.join("\r\n");
    let length = body.len();
    write!(stream, "{method} {path} HTTP/1.1\r\nConnection: close\r\n{heads}\r\nContent-Length: {length}\r\n\r\n{body}").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers in text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    Answered { status, body: body.to_owned() }
}

const WHOLE: &str = "%3C/Code,/Machine,/Process,/SyncObject%3E";

#[test]
fn the_documents_are_what_the_description_says() {
    let place = Place::new("view-documents");
    let run = place.measured();
    let server = Server::start(&place, &[]);
    let described = server.get("/api/v1/openapi.json").json();
    let schemas = Schemas::of(&described);
    let told = |path: &str, schema: &str| {
        let answered = server.get(path);
        assert_eq!(answered.status, 200, "{path}: {answered:?}");
        let document = answered.json();
        schemas.hold(schema, &document);
        document
    };
    assert_eq!(told("/api/v1/runs", "Runs")["runs"], 1);
    assert_eq!(told("/api/v1/run?run=0", "Run")["run"], run.as_str());
    assert!(
        told("/api/v1/graph", "Graph")["questions"].as_array().is_some_and(|all| !all.is_empty())
    );
    told("/api/v1/profile", "Profile");
    let series = told(&format!("/api/v1/series?metric=wall&focus={WHOLE}"), "Series");
    assert!(series["amounts"].as_array().is_some_and(|all| !all.is_empty()), "{series}");
    let whole = "</Code,/Machine,/Process,/SyncObject>";
    let asked = json!({ "pairs": [["wall", whole, 0], ["wall", "</Code/no.c/such>", 0]] });
    let many = server.post("/api/v1/series", &asked.to_string()).json();
    assert_eq!(many[0], series);
    assert!(many[1].is_null() || many[1]["metric"] == "wall", "{many}");
    let paths = described["paths"].as_object().expect("paths");
    for path in paths.keys().filter(|path| !path.ends_with("events")) {
        assert_ne!(server.get(path).status, 404, "{path} is described");
    }
}

#[test]
fn who_does_not_know_the_token_or_comes_from_elsewhere_learns_nothing() {
    let place = Place::new("view-access");
    place.measured();
    let server = Server::start(&place, &[]);
    let host = format!("Host: {}", server.host);
    let bearer = format!("Authorization: Bearer {}", server.token);
    let page = format!("/?token={}", server.token);
    let status = |method: &str, path: &str, heads: &[&str]| {
        let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
        let answered = server.ask(method, path, &heads, "");
        assert!(answered.status == 200 || !answered.body.contains("whyperf-view"), "{answered:?}");
        answered.status
    };
    assert_eq!(status("GET", &page, &[&host]), 200);
    assert_eq!(status("GET", "/", &[&host]), 401);
    assert_eq!(status("GET", "/?token=0", &[&host]), 401);
    assert_eq!(status("GET", "/api/v1/run", &[&host, "Authorization: Bearer 0"]), 401);
    assert_eq!(status("GET", &page, &["Host: evil.example"]), 403);
    assert_eq!(status("GET", &page, &[&host, "Origin: http://evil.example"]), 403);
    assert_eq!(status("GET", &page, &[&host, &format!("Origin: http://{}", server.host)]), 200);
    let command = "/api/v1/command";
    assert_eq!(status("POST", &format!("{command}?token={}", server.token), &[&host]), 401);
    assert_eq!(status("POST", command, &[&host, &bearer, "Origin: http://evil.example"]), 403);
}

#[test]
fn what_makes_no_sense_is_said() {
    let place = Place::new("view-mistakes");
    place.measured();
    let server = Server::start(&place, &[]);
    let said = |answered: Answered| {
        let error = answered.json()["error"].as_str().expect("an error").to_owned();
        (answered.status, error)
    };
    assert_eq!(said(server.get("/api/v1/run?run=7")), (404, "there is no run 7 here".to_owned()));
    assert_eq!(said(server.get("/api/v1/run?run=x")).0, 400);
    assert_eq!(said(server.get("/api/v1/nothing")).0, 404);
    let metric = said(server.get(&format!("/api/v1/series?metric=%3Cb%3E&focus={WHOLE}")));
    assert!(metric.0 == 400 && metric.1.contains("<b>"), "{metric:?}");
    let focus = said(server.get("/api/v1/series?metric=wall&focus=x"));
    assert!(focus.0 == 400 && focus.1.contains("the focus \"x\""), "{focus:?}");
    let over = said(server.post("/api/v1/command", r#"{"do":"pause"}"#));
    assert!(over.0 == 409 && over.1.contains("is over"), "{over:?}");
    assert_eq!(said(server.post("/api/v1/command", r#"{"do":"explode"}"#)).0, 400);
    assert_eq!(said(server.post("/api/v1/series", "no JSON")).0, 400);
}

#[test]
fn events_begin_with_what_is_not_known_yet() {
    let place = Place::new("view-events");
    place.measured();
    let server = Server::start(&place, &[]);
    let described = server.get("/api/v1/openapi.json").json();
    let mut stream = TcpStream::connect(&server.host).expect("it listens");
    let heads = server.heads().join("\r\n");
    write!(stream, "GET /api/v1/events?since=0 HTTP/1.1\r\n{heads}\r\n\r\n").expect("it reads");
    let lines = BufReader::new(stream).lines().map(|line| line.expect("text"));
    let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned)).next();
    let change: Value = serde_json::from_str(&data.expect("a change")).expect("JSON");
    Schemas::of(&described).hold("Change", &change);
    assert_eq!(change["progress"]["state"], "over");
}

#[test]
fn a_port_that_is_taken_is_said_and_the_server_ends_when_it_is_asked_to() {
    let place = Place::new("view-port");
    place.measured();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("it listens").port().to_string();
    let refused = place.say(&["view", "--listen", &port]);
    assert_eq!(refused.status, Some(125), "{refused:?}");
    assert!(refused.stderr.contains(&format!("listening at 127.0.0.1:{port}")), "{refused:?}");
    assert_eq!(Server::start(&place, &[]).end(), Some(0));
}

#[test]
fn a_socket_of_the_file_system_serves_the_same_and_goes_with_the_server() {
    let place = Place::new("view-socket");
    place.measured();
    let path = place.path("view.sock");
    let mut server = Server::start(&place, &["--listen", &format!("unix:{}", path.display())]);
    let mode = fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "nobody else may open it");
    let mut stream = UnixStream::connect(&path).expect("it listens");
    let answered = asked(&mut stream, "GET", "/api/v1/run", &server.heads(), "");
    assert_eq!(answered.status, 200);
    assert_eq!(server.end(), Some(0));
    assert!(!path.exists());
}

#[test]
fn a_run_is_shown_from_its_first_moment_on_and_its_page_stays_until_it_is_not_wanted_any_more() {
    let place = Place::new("view-live");
    let mut command = place.command(&["run", "--quiet", "--view", "--", "sh", "-c", "exit 3"]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the command was built");
    let mut lines = BufReader::new(child.stderr.take().expect("it was piped")).lines();
    let mut next = || lines.next().expect("it says more").expect("text");
    let first = next();
    let url =
        first.strip_prefix("whyperf  view  http://").expect("the address on a line of its own");
    let (host, token) = url.split_once("/?token=").expect("an address");
    let over = std::iter::repeat_with(&mut next).find(|line| line.contains("the run is over"));
    assert!(over.is_some_and(|line| line.contains("until Ctrl-C")));
    let server = Server { child, host: host.to_owned(), token: token.to_owned() };
    let described = server.get("/api/v1/openapi.json").json();
    let run = server.get("/api/v1/run").json();
    Schemas::of(&described).hold("Run", &run);
    assert_eq!(run["command"], json!(["sh", "-c", "exit 3"]));
    let refused = server.post("/api/v1/command", r#"{"do":"pause"}"#);
    assert!(refused.status == 409 && refused.body.contains("is over"), "{refused:?}");
    let mut server = server;
    assert_eq!(server.end(), Some(3), "the exit status is the program's");
}

#[test]
fn a_page_that_cannot_be_served_keeps_no_program_from_running() {
    let place = Place::new("view-no-page");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let view = format!("--view={}", taken.local_addr().expect("it listens"));
    let said = place.say(&["run", "-q", &view, "--", "echo", "all the same"]);
    assert_eq!((said.status, &said.stdout[..]), (Some(0), &b"all the same\n"[..]), "{said:?}");
    assert!(said.stderr.contains("the run is not shown"), "{said:?}");
}
