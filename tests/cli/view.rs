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

    /// Lets an endless program end, and then its page, which stays until a signal comes.
    fn finish(&mut self) {
        drop(self.child.stdin.take());
        while self.get("/api/v1/run").json()["progress"]["state"] != "over" {}
        assert_eq!(self.end(), Some(3), "the exit status is the program's");
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

/// As `vmstat` prints it.
const VMSTAT: &str = "procs -----------memory----------\n r  b   swpd   free\n 1  0      0  18000\n 2  0      0  17000\n";

const WHOLE: &str = "%3C/Code,/Machine,/Process,/SyncObject%3E";

#[test]
fn the_documents_are_what_the_description_says() {
    let place = Place::new("view-documents");
    let run = place.measured();
    fs::write(place.path("vmstat.txt"), VMSTAT).expect("writable");
    let server = Server::start(&place, &["--stream", "vmstat.txt"]);
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
    told("/api/v1/stream?stream=0", "Stream");
    let series = told(&format!("/api/v1/series?metric=wall&focus={WHOLE}"), "Series");
    assert!(series["amounts"].as_array().is_some_and(|all| !all.is_empty()), "{series}");
    let whole = "</Code,/Machine,/Process,/SyncObject>";
    let asked = json!({ "pairs": [["wall", whole, 0], ["wall", "</Code/no.c/such>", 0]] });
    let many = server.post("/api/v1/series", &asked.to_string()).json();
    assert_eq!(many[0], series);
    assert!(many[1].is_null() || many[1]["metric"] == "wall", "{many}");
    let named = &described["components"]["schemas"]["MetricName"]["enum"];
    let metrics: Value =
        serde_json::from_slice(&place.say(&["metrics", "--json"]).stdout).expect("JSON");
    let metrics = metrics.as_array().expect("a list").iter().map(|metric| metric["name"].clone());
    assert_eq!(named, &Value::Array(metrics.collect()), "viewer/openapi.json names all metrics");
    let schema = server.get("/api/v1/schema.json").json();
    assert!(schema["$defs"]["Run"].is_object() && !schema.to_string().contains("#/components"));
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
    let pair = |bin: &str| format!("{{\"pairs\": [[\"wall\", \"<>\", {bin}]]}}");
    assert_eq!(server.post("/api/v1/series", &pair("3.0")).status, 200, "a whole number");
    for wrong in ["-1", "0.5", "9007199254740992", "1e300"] {
        assert_eq!(said(server.post("/api/v1/series", &pair(wrong))).0, 400, "{wrong}");
    }
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
fn a_socket_that_a_killed_server_left_makes_room_and_one_in_use_does_not() {
    let place = Place::new("view-left");
    place.measured();
    let path = place.path("view.sock");
    let address = format!("unix:{}", path.display());
    let mut killed = Server::start(&place, &["--listen", &address]);
    killed.child.kill().expect("it runs");
    killed.child.wait().expect("it ends");
    assert!(path.exists(), "nobody took it away");
    let server = Server::start(&place, &["--listen", &address]);
    let refused = place.say(&["view", "--listen", &address]);
    assert!(refused.stderr.contains("Address already in use"), "{refused:?}");
    let mut stream = UnixStream::connect(&path).expect("it listens");
    assert_eq!(asked(&mut stream, "GET", "/api/v1/run", &server.heads(), "").status, 200);
}

#[test]
fn what_the_report_says_of_the_cost_its_page_and_the_store_say_too() {
    let place = Place::new("view-cost");
    place.measured();
    let told = fs::read(place.path("report.json")).expect("the report was written");
    let told: Value = serde_json::from_slice(&told).expect("it is JSON");
    let shown = Server::start(&place, &[]).get("/api/v1/run").json();
    assert_eq!(shown["report"]["cost"], told["cost"]);
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

#[test]
fn a_stream_stands_beside_a_run_and_what_is_malformed_is_named() {
    let place = Place::new("view-stream");
    place.measured();
    fs::write(
        place.path("steps.csv"),
        "begin,end,worker\n0.1,0.2,a\n0.2,x,b\n0.3,0.4\n0.4,0.5,c\n",
    )
    .expect("writable");
    let declaration = "name = \"steps\"\n[[picture]]\nkind = \"activity\"\nx = \"begin\"\nend = \"end\"\ny = \"worker\"\n";
    fs::write(place.path("steps.toml"), declaration).expect("writable");
    let said = place.say(&["report", "latest", "--stream", "steps.csv", "-o", "report.html"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    for named in [
        "steps.csv:3:5: end is \"x\", which is no moment",
        "steps.csv:4:8: 2 fields, where the stream has 3",
    ] {
        assert!(said.stderr.contains(named), "{named}: {said:?}");
    }
    let server = Server::start(&place, &["--stream", "steps.csv"]);
    let stream = server.get("/api/v1/stream?stream=0").json();
    assert_eq!(stream["columns"], json!([[0.1, 0.4], [0.2, 0.5], ["a", "c"]]));
    assert_eq!((&stream["name"], &stream["malformed_count"]), (&json!("steps"), &json!(2)));
    assert_eq!(stream["pictures"][0]["kind"], "activity");
    assert_eq!(server.get("/api/v1/stream?stream=1").status, 404);
    let other = place.say(&["report", "latest", "--stream", "2:steps.csv", "-o", "report.html"]);
    assert!(other.stderr.contains("names a run that is not there"), "{other:?}");
    let none = place.say(&["report", "latest", "--stream", "none.csv", "-o", "report.html"]);
    assert!(none.stderr.contains("reading none.csv"), "{none:?}");
}

/// A program that goes on until it is told to end, shown with what a command prints all the time.
fn endless(place: &Place) -> Server {
    let noise = "while :; do echo 1 2; done";
    let words =
        ["run", "--quiet", "--view", "--stream-cmd", noise, "--", "sh", "-c", "cat; exit 3"];
    let mut command = place.command(&words);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command was built");
    let mut lines = BufReader::new(child.stderr.take().expect("it was piped")).lines();
    let first = lines.next().expect("it says more").expect("text");
    std::thread::spawn(move || lines.for_each(drop));
    let url = first.strip_prefix("whyperf  view  http://").expect("the address");
    let (host, token) = url.split_once("/?token=").expect("an address");
    let (host, token) = (host.to_owned(), token.to_owned());
    Server { child, host, token }
}

#[test]
fn browsers_that_stop_reading_hold_up_nobody_and_cost_no_memory() {
    let place = Place::new("view-slow");
    let mut server = endless(&place);
    let heads = server.heads().join("\r\n");
    let silent: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.host).expect("it listens");
            write!(stream, "GET /api/v1/events?since=0 HTTP/1.1\r\n{heads}\r\n\r\n")
                .expect("it reads");
            stream
        })
        .collect();
    let state = |server: &Server| {
        let run = server.get("/api/v1/run").json();
        let elapsed = run["progress"]["elapsed_s"].as_f64().expect("a time");
        (run["streams"][0].as_u64().expect("a count"), elapsed)
    };
    // The sampler goes on, and so does what is beside it.
    let (mut lines, mut elapsed) = state(&server);
    while lines < 20_000 || elapsed < 2.0 {
        (lines, elapsed) = state(&server);
    }
    let status =
        fs::read_to_string(format!("/proc/{}/status", server.child.id())).expect("it runs");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it is told");
    let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kilobytes < 150_000, "{kilobytes} kB");
    drop(silent);
    server.finish();
}

#[test]
fn two_browsers_see_the_same_and_more_than_there_is_room_for_are_told() {
    let place = Place::new("view-two");
    let mut server = endless(&place);
    let follow = |server: &Server| {
        let mut stream = TcpStream::connect(&server.host).expect("it listens");
        let heads = server.heads().join("\r\n");
        write!(stream, "GET /api/v1/events?since=0 HTTP/1.1\r\n{heads}\r\n\r\n").expect("it reads");
        BufReader::new(stream).lines().map(|line| line.expect("text"))
    };
    let [mut one, mut other] = [follow(&server), follow(&server)];
    let paused = server.post("/api/v1/command", r#"{"do":"pause"}"#);
    assert_eq!(paused.status, 200, "{paused:?}");
    for browser in [&mut one, &mut other] {
        assert!(browser.any(|line| line.contains(r#""state":"paused""#)));
    }
    let many: Vec<_> = (2..32).map(|_| follow(&server)).collect();
    let status = many.into_iter().map(|mut browser| (browser.next(), browser)).collect::<Vec<_>>();
    assert!(status.iter().all(|(line, _)| line.as_deref() == Some("HTTP/1.1 200 OK")), "all of 32");
    let refused = follow(&server).next();
    assert_eq!(refused.as_deref(), Some("HTTP/1.1 503 Service Unavailable"));
    server.finish();
}

#[test]
fn commands_lead_the_search_and_are_told_to_the_page() {
    let place = Place::new("view-commands");
    let mut server = endless(&place);
    let answered = |command: Value| server.post("/api/v1/command", &command.to_string());
    let whole = "</Code,/Machine,/Process,/SyncObject>";
    for command in [
        json!({"do": "threshold", "hypothesis": "CPUbound", "value": "45%"}),
        json!({"do": "priority", "level": "high", "hypothesis": "CPUbound", "focus": whole}),
        json!({"do": "prune", "hypotheses": "CPUbound", "resource": "/Machine"}),
    ] {
        let said = answered(command.clone());
        assert_eq!(said.status, 200, "{command}: {said:?}");
    }
    for (command, why) in [
        (
            json!({"do": "prune", "hypotheses": "Sync", "resource": "/Machine"}),
            "no hypothesis 'Sync'",
        ),
        (
            json!({"do": "prune", "hypotheses": "*", "resource": "Machine"}),
            "a resource begins with '/'",
        ),
        (
            json!({"do": "priority", "level": "low", "hypothesis": "CPUbound", "focus": "</Machine/n0>"}),
            "a prune forbids",
        ),
    ] {
        let said = answered(command.clone());
        assert!(said.status == 409 && said.body.contains(why), "{command}: {said:?}");
    }
    assert_eq!(
        answered(
            json!({"do": "priority", "level": "urgent", "hypothesis": "CPUbound", "focus": whole})
        )
        .status,
        400
    );
    let is_told = |run: &Value| {
        let row = run["hypotheses"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|row| row["name"] == "CPUbound");
        row.is_some_and(|row| row["threshold"] == 0.45)
            && run["directives"]
                == json!([format!("priority high CPUbound {whole}"), "prune CPUbound /Machine"])
    };
    // It is told with the next change.
    while !is_told(&server.get("/api/v1/run").json()) {}
    server.finish();
    let kept = Server::start(&place, &[]);
    let row = kept.get("/api/v1/run").json()["hypotheses"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|row| row["name"] == "CPUbound")
        .map(|row| row["threshold"].clone());
    assert_eq!(row, Some(json!(0.45)), "the stored run knows the threshold that was set last");
}

#[test]
fn a_diagnosis_is_shown_and_its_page_stays() {
    let place = Place::new("view-diagnosis");
    let run = place.measured();
    let mut command = place.command(&["diagnose", "latest", "--view"]);
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it was built");
    let mut lines = BufReader::new(child.stderr.take().expect("it was piped")).lines();
    let mut next = || lines.next().expect("it says more").expect("text");
    let first = next();
    let url = first.strip_prefix("whyperf  view  http://").expect("the address");
    let (host, token) = url.split_once("/?token=").expect("an address");
    let stays =
        std::iter::repeat_with(&mut next).find(|line| line.contains("the diagnosis is made"));
    assert!(stays.is_some_and(|line| line.contains("until Ctrl-C")));
    let mut server = Server { child, host: host.to_owned(), token: token.to_owned() };
    let shown = server.get("/api/v1/run").json();
    let described = server.get("/api/v1/openapi.json").json();
    Schemas::of(&described).hold("Run", &shown);
    assert_eq!(shown["diagnosis_of"], run.as_str());
    assert!(shown["report"].is_object() && shown["progress"]["state"] == "over");
    let series = server.get(&format!("/api/v1/series?metric=wall&focus={WHOLE}"));
    assert_eq!(series.status, 200, "{series:?}");
    assert_eq!(server.end(), Some(0));
}
