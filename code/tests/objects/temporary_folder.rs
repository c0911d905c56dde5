//! A folder in which programs are compiled, and the answers of this machine's tools about them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use whyperf_code::{FunctionId, Object};

use crate::needs;

/// A temporary folder, removed at the end.
pub(crate) struct TemporaryFolder(pub(crate) PathBuf);

impl TemporaryFolder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("whyperf-code-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("the temporary directory is writable");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the folder is ours");
    }

    /// Runs a command here; arguments have no spaces.
    pub(crate) fn run(&self, line: &str) {
        let output = self.command(line).output().expect("compilers and binutils are installed");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut words = line.split_ascii_whitespace();
        let mut command = Command::new(words.next().expect("a command has a name"));
        command.args(words).current_dir(&self.0);
        command
    }

    pub(crate) fn open(&self, name: &str) -> Object {
        Object::open(&self.path(name)).expect("the program was just made")
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A compiler of each family.
pub(crate) fn compilers() -> Vec<&'static str> {
    let families: [&[&str]; 2] = [&["gcc"], &["clang", "clang-14", "clang-15", "clang-16"]];
    families.into_iter().filter_map(needs::one_of).collect()
}

/// Libraries and programs of this machine.
pub(crate) fn installed() -> Vec<PathBuf> {
    let library = Path::new("/usr/lib/x86_64-linux-gnu");
    let names = [
        "libc.so.6",
        "libm.so.6",
        "libstdc++.so.6",
        "libgfortran.so.5",
        "libmpi.so.40",
        "libmpich.so.12",
        "libgcc_s.so.1",
        "ld-linux-x86-64.so.2",
    ];
    let mut paths: Vec<PathBuf> = names.map(|name| library.join(name)).to_vec();
    paths.extend(["/usr/bin/python3", "/bin/ls"].map(PathBuf::from));
    // This very program stands for what rustc makes.
    paths.extend(std::env::current_exe());
    paths.retain(|path| needs::is_met(&path.display().to_string(), path.exists()));
    paths
}

/// What a tool prints about a file.
pub(crate) fn told(tool: &str, arguments: &[&str], path: &Path) -> String {
    let output = Command::new(tool).args(arguments).arg(path).output();
    let output = output.expect("binutils are installed");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A symbol as `readelf` prints it.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) size: u64,
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// Symbols of functions by address, as `readelf` lists them.
pub(crate) fn listed(path: &Path) -> BTreeMap<u64, Vec<Listed>> {
    let mut found: BTreeMap<u64, Vec<Listed>> = BTreeMap::new();
    for line in told("readelf", &["-sW"], path).lines() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, address, size, kind @ ("FUNC" | "IFUNC"), _, _, section, name, ..] = fields[..]
        else {
            continue;
        };
        if section == "UND" {
            continue;
        }
        let address = u64::from_str_radix(address, 16).expect("readelf prints hexadecimal");
        let size = size
            .strip_prefix("0x")
            .map_or_else(|| size.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok());
        found.entry(address).or_default().push(Listed {
            size: size.expect("readelf prints a size"),
            kind: kind.to_owned(),
            name: name.split('@').next().expect("a part before").to_owned(),
        });
    }
    found
}

/// The function of a name.
pub(crate) fn named(object: &Object, name: &str) -> FunctionId {
    let ids = (0..object.functions().len() as u32).map(FunctionId);
    let mut found = ids.filter(|id| {
        let is_stub = object.functions()[id.index()].kind == whyperf_code::FunctionKind::PltStub;
        !is_stub && object.names(*id).iter().any(|known| known.text == name)
    });
    found.next().unwrap_or_else(|| panic!("there is no function {name}"))
}
