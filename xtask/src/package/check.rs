//! What is packaged is unpacked elsewhere, read, and run: `cargo xtask test --only package`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::package::{VERSION, make};
use crate::workspace::{Workspace, succeed};

/// Makes all of it out of the release build that is there, and tries each.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let place = workspace.target.join("package-check");
    let made = make(workspace, &workspace.release(), &place)?;
    let [tarball, deb, container, _archive, recipe] = &made[..] else {
        unreachable!("there are five");
    };
    // A path that was not known when it was made.
    tarball_runs(tarball, &place.join("elsewhere"))?;
    deb_is_right(deb, &place.join("system"))?;
    let text = fs::read_to_string(container).context("reading the container file")?;
    let copied = deb.file_name().unwrap_or_default().to_string_lossy().into_owned();
    ensure!(text.contains(&format!("COPY {copied} ")), "the container file copies no package");
    recipe_is_right(recipe)?;
    fs::remove_dir_all(&place).with_context(|| format!("removing {}", place.display()))
}

fn tarball_runs(tarball: &Path, elsewhere: &Path) -> Result<()> {
    fs::create_dir_all(elsewhere).context("making a folder")?;
    succeed(Command::new("tar").arg("-xzf").arg(tarball).arg("-C").arg(elsewhere))?;
    let root = elsewhere.join(format!("whyperf-{VERSION}-x86_64-linux"));
    measures(&root.join("bin/whyperf"))?;
    module_is_right(&root)?;
    let completions = root.join("share/bash-completion/completions/whyperf");
    succeed(Command::new("bash").arg("-n").arg(completions))?;
    let page = fs::read_to_string(root.join("share/man/man1/whyperf-run.1"));
    ensure!(page.context("reading a man page")?.starts_with(".ie"), "it is no page for man");
    let notices = fs::read_to_string(root.join("share/doc/whyperf/third-party.txt"));
    ensure!(notices.context("reading notices")?.contains("\nclap "), "clap is not named");
    Ok(())
}

/// Runs a program under it, which is measured: so the library was found where it is now.
fn measures(whyperf: &Path) -> Result<()> {
    let mut command = Command::new(whyperf);
    command.args(["run", "--no-store", "--quiet", "--json", "-", "--", "cat", "/dev/null"]);
    command.env_remove("WHYPERF_LIBRARY");
    let printed = command.output().with_context(|| format!("running {}", whyperf.display()))?;
    let report: Value = serde_json::from_slice(&printed.stdout)
        .with_context(|| format!("{} reported nothing", whyperf.display()))?;
    ensure!(report["processes"] == 1, "{} measured nothing: {report}", whyperf.display());
    Ok(())
}

/// The module file, read as its two readers do, adds the folder that it lies in.
fn module_is_right(root: &Path) -> Result<()> {
    let file = root.join("share/modulefiles/whyperf").join(VERSION);
    let script = format!(
        "proc module-whatis args {{}}\nproc conflict args {{}}\n\
         proc prepend-path {{name value}} {{ puts \"$name=$value\" }}\n\
         set ModulesCurrentModulefile {{{0}}}\nsource {{{0}}}\n",
        file.display()
    );
    let path = root.with_file_name("module.tcl");
    fs::write(&path, script).context("writing a script")?;
    let printed = Command::new("tclsh").arg(&path).output().context("running `tclsh`")?;
    let root = root.canonicalize().context("the folder is there")?;
    let root = root.display();
    let expected = format!("PATH={root}/bin\nMANPATH={root}/share/man\nCPATH={root}/include\n");
    let said = String::from_utf8_lossy(&printed.stdout);
    ensure!(said == expected, "{said}{}", String::from_utf8_lossy(&printed.stderr));
    Ok(())
}

fn deb_is_right(deb: &Path, system: &Path) -> Result<()> {
    let listed = Command::new("dpkg-deb").arg("--contents").arg(deb).output();
    let listed = listed.context("running `dpkg-deb`")?;
    ensure!(listed.status.success(), "`dpkg-deb` cannot read {}", deb.display());
    let text = String::from_utf8_lossy(&listed.stdout);
    let files: BTreeSet<&str> = text.lines().filter_map(|line| line.split(" ./").nth(1)).collect();
    for file in FILES {
        ensure!(files.contains(file), "{file} is not in {}", deb.display());
    }
    let strange = |file: &&&str| !file.is_empty() && !file.ends_with('/') && !is_expected(file);
    let strange: Vec<_> = files.iter().filter(strange).collect();
    ensure!(strange.is_empty(), "what is that in the package: {strange:?}");
    let foreign = text.lines().find(|line| !line.contains(" root/root "));
    ensure!(foreign.is_none(), "a file is not root's: {foreign:?}");
    let depends = Command::new("dpkg-deb").arg("--field").arg(deb).arg("Depends").output();
    let depends = depends.context("running `dpkg-deb`")?.stdout;
    ensure!(depends.starts_with(b"libc6 (>= 2."), "it depends on no version of the C library");
    succeed(Command::new("dpkg-deb").arg("--extract").arg(deb).arg(system))?;
    measures(&system.join("usr/bin/whyperf"))
}

fn is_expected(file: &str) -> bool {
    let is_page = |folder: &str, ending: &str| file.starts_with(folder) && file.ends_with(ending);
    FILES.contains(&file)
        || is_page("usr/share/man/man1/whyperf-", ".1.gz")
        || is_page("usr/share/doc/whyperf/docs/", ".md")
}

/// What the package has beside the pages for `man` and the documents.
const FILES: [&str; 14] = [
    "usr/bin/whyperf",
    "usr/include/whyperf.f90",
    "usr/include/whyperf.h",
    "usr/lib/whyperf/libwhyperf.so",
    "usr/share/bash-completion/completions/whyperf",
    "usr/share/doc/whyperf/LICENSE-APACHE",
    "usr/share/doc/whyperf/LICENSE-MIT",
    "usr/share/doc/whyperf/README.md",
    "usr/share/doc/whyperf/SECURITY.md",
    "usr/share/doc/whyperf/copyright",
    "usr/share/doc/whyperf/third-party.txt.gz",
    "usr/share/fish/vendor_completions.d/whyperf.fish",
    "usr/share/man/man1/whyperf.1.gz",
    "usr/share/zsh/vendor-completions/_whyperf",
];

/// It is a program of Python's, and names the archive beside it by its sum.
fn recipe_is_right(recipe: &Path) -> Result<()> {
    let script = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
    succeed(Command::new("python3").args(["-c", script]).arg(recipe))?;
    let text = fs::read_to_string(recipe).context("reading the recipe")?;
    ensure!(!text.contains('@') || text.contains("rust@"), "something was left open: {text}");
    Ok(())
}
