//! A server of PostgreSQL for the tests of one program: started by the first, in a temporary folder, and gone with the program.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// The server.
pub(crate) struct PostgresServer {
    /// It ends when the program's end of this one's input does.
    _keeper: Child,
    /// Where its socket is, and beside it `ca.crt`, which signed its certificate, and `other.crt`, which did not.
    pub(crate) folder: PathBuf,
    /// Of its socket, and of this machine's own network.
    pub(crate) port: u16,
}

/// What the shell does, which outlives the program by the moment that it takes to stop the server.
const KEEPER: &str = r#"
set -e
folder=$(mktemp -d /tmp/whyperf-server-XXXXXX)
trap 'cd /; rm -rf "$folder"' EXIT
cd "$folder"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.crt 2>log
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -keyout server.key -out server.csr 2>log
printf 'subjectAltName=DNS:localhost' > names
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt 2>log
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=another -keyout other.key -out other.crt 2>log
"$1/initdb" -D data -U postgres -E UTF8 --locale C.UTF-8 -A trust --no-sync --no-instructions >log 2>&1 || { cat log >&2; exit 1; }
cat > data/pg_hba.conf <<END
local all member scram-sha-256
local all elder md5
local all all trust
hostssl all all 127.0.0.1/32 trust
END
cat >> data/postgresql.conf <<END
unix_socket_directories = '$folder'
listen_addresses = '127.0.0.1'
port = $2
fsync = off
full_page_writes = off
shared_buffers = 16MB
ssl = on
ssl_cert_file = '$folder/server.crt'
ssl_key_file = '$folder/server.key'
END
"$1/pg_ctl" -D data -l log -w start >>log 2>&1 || { cat log >&2; exit 1; }
chmod 755 "$folder"
echo "$folder"
read -r gone || true
"$1/pg_ctl" -D data -m immediate stop >/dev/null 2>&1
"#;

impl PostgresServer {
    /// The one server of this program.
    pub(crate) fn shared() -> &'static Self {
        static SERVER: OnceLock<PostgresServer> = OnceLock::new();
        SERVER.get_or_init(Self::start)
    }

    fn start() -> Self {
        let programs = programs();
        // Nobody else can have it between this moment and the server's start but by chance; then the start fails and says so.
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = port.expect("this machine has a network of its own").port();
        let mut keeper = if rustix::process::geteuid().is_root() {
            // The server refuses to be root.
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "sh"]);
            command
        } else {
            Command::new("sh")
        };
        keeper.args(["-c", KEEPER, "keeper"]).arg(&programs).arg(port.to_string());
        keeper.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut keeper = keeper.spawn().expect("a shell, and setpriv of util-linux");
        let mut folder = String::new();
        let output = keeper.stdout.take().expect("it is a pipe");
        let read = BufReader::new(output).read_line(&mut folder);
        assert!(read.is_ok_and(|count| count > 0), "the server of PostgreSQL does not start");
        Self { _keeper: keeper, folder: folder.trim_end().into(), port }
    }

    /// A store of its own for a test: that of a user of this name, who has a schema that is called so, too.
    pub(crate) fn store(&self, user: &str) -> PathBuf {
        self.sql(&format!(
            "CREATE ROLE {user} LOGIN PASSWORD 'secret'; CREATE SCHEMA {user} AUTHORIZATION {user};"
        ));
        self.url(user, "")
    }

    /// The same store by another way to it: `:password` behind the user, or nothing.
    pub(crate) fn url(&self, user: &str, password: &str) -> PathBuf {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://{user}{password}@{folder}:{}/postgres", self.port).into()
    }

    /// Does something behind whyperf's back.
    pub(crate) fn sql(&self, statements: &str) {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", "postgres", "-h"]);
        psql.arg(&self.folder).args(["-p", &self.port.to_string(), "-c", statements]);
        let done = psql.stdout(Stdio::null()).status().expect("psql is installed with the server");
        assert!(done.success(), "{statements}");
    }
}

/// Where Debian keeps the programs of the newest server.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions.filter_map(|version| {
        let number: u32 = version.file_name().to_str()?.parse().ok()?;
        Some((number, version.path().join("bin")))
    });
    let programs = newest.max().map(|(_, programs)| programs);
    let programs = programs.filter(|programs| Path::new(programs).join("postgres").exists());
    programs.expect("the package postgresql is installed: `cargo xtask packages` does it")
}
