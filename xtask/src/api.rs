//! Asks the server of the page what its description allows, and more: schemathesis makes requests out of `viewer/openapi.json`, and holds what is
//! answered against it.
//!
//! It is a program of PyPI, in an environment of its own below the target folder.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

use crate::python_environment;
use crate::workspace::{Workspace, succeed};

/// What is installed.
const TOOL: &str = "schemathesis==4.32.5";
/// What is looked at in each answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,\
                      positive_data_acceptance,negative_data_rejection,ignored_auth";
/// Of each kind of request.
const EXAMPLES: &str = "30";

/// Runs it against a stored run. It needs the release build.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    if python_environment::is_left_out() {
        println!(
            "the interface is NOT held against its description: WHYPERF_TEST_WITHOUT names pypi"
        );
        return Ok(());
    }
    let programs =
        python_environment::with_packages(&workspace.target.join("schemathesis"), &[TOOL])?;
    let tool = programs.join("schemathesis");
    let folder = workspace.target.join("api");
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let server = Server::start(workspace, &folder)?;
    let mut requests = Command::new(tool);
    requests.current_dir(&folder).arg("run");
    requests.arg(workspace.root.join("viewer/openapi.json"));
    requests.args(["--url", &server.address, "--checks", CHECKS, "--max-examples", EXAMPLES]);
    requests.args(["--header", &format!("Authorization: Bearer {}", server.token)]);
    // A stream of events does not end by itself, and a fixed seed asks the same each time.
    requests.args(["--exclude-path", "/api/v1/events", "--seed", "1", "--no-color"]);
    succeed(&mut requests).context("the server answers otherwise than viewer/openapi.json says")
}

/// A server of a short run; it ends with the value.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(workspace: &Workspace, folder: &Path) -> Result<Self> {
        let whyperf = workspace.release().join("whyperf");
        let mut measure = Command::new(&whyperf);
        measure.current_dir(folder).args(["run", "-q", "--", "cat", "/etc/hostname"]);
        succeed(measure.stdout(Stdio::null()))?;
        let stream = folder.join("stream.csv");
        fs::write(&stream, "t,v\n0.1,1\n0.2,x\n0.3,3\n")
            .with_context(|| format!("writing {}", stream.display()))?;
        let mut view = Command::new(&whyperf);
        view.current_dir(folder).args(["view", "--print-url", "--stream"]).arg(stream);
        let mut child = view.stdout(Stdio::piped()).spawn().context("starting the server")?;
        let printed = child.stdout.take().context("reading the address of the server")?;
        let mut url = String::new();
        BufReader::new(printed).read_line(&mut url).context("reading the address of the server")?;
        let told = url.trim().split_once("/?token=");
        let (address, token) = told.with_context(|| format!("{url:?} is no address of a page"))?;
        Ok(Self { child, address: address.to_owned(), token: token.to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
