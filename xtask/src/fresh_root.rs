//! `cargo xtask study fresh-root`: a new system of the smallest kind, into which the Debian package is installed by its package manager; there the
//! demo's program is built and run under whyperf by an ordinary user. It needs the rights of root, `debootstrap`, and packages to be had.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::package;
use crate::packages;
use crate::workspace::{Workspace, succeed};

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let is_built = match words {
        [] => false,
        ["--built"] => true,
        _ => bail!("`study fresh-root` takes --built; got {}", words.join(" ")),
    };
    ensure!(packages::is_root(), "only root may make a new system in a folder");
    let workspace = Workspace::find()?;
    if !is_built {
        workspace.build_release()?;
    }
    let place = workspace.target.join("package");
    let deb = package::make_deb(&workspace, &place)?;
    let root = FreshRoot::make(&workspace.target.join("fresh-root"))?;
    root.install(&deb)?;
    root.demonstrate(&workspace)?;
    Ok(ExitCode::SUCCESS)
}

/// A system in a folder; what is mounted in it goes with the value.
struct FreshRoot(PathBuf);

impl FreshRoot {
    fn make(folder: &Path) -> Result<Self> {
        let release = fs::read_to_string("/etc/os-release").context("which system is this")?;
        let name = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
        let name = name.context("this system is no Debian with a name")?;
        // One that was made before would not be fresh.
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("removing {}", folder.display()))?;
        }
        succeed(Command::new("debootstrap").args(["--variant=minbase", name]).arg(folder))?;
        for file in ["etc/resolv.conf", "etc/hosts"] {
            fs::copy(Path::new("/").join(file), folder.join(file)).context("copying a file")?;
        }
        let root = Self(folder.to_owned());
        for (kind, to) in MOUNTS {
            fs::create_dir_all(folder.join(to)).context("making a folder")?;
            let mut mount = Command::new("mount");
            succeed(mount.args(["-t", kind, kind]).arg(folder.join(to)))?;
        }
        Ok(root)
    }

    /// By the package manager, which finds what the package depends on.
    fn install(&self, deb: &Path) -> Result<()> {
        fs::copy(deb, self.0.join("root/whyperf.deb")).context("copying the package")?;
        self.shell(
            "apt-get update && apt-get install --yes --no-install-recommends /root/whyperf.deb",
        )?;
        // What the demo needs beside it.
        self.shell("apt-get install --yes --no-install-recommends openmpi-bin libopenmpi-dev gcc libc6-dev make")?;
        self.shell("useradd --create-home somebody")
    }

    fn demonstrate(&self, workspace: &Workspace) -> Result<()> {
        let home = self.0.join("home/somebody");
        let programs = workspace.root.join("tests/programs");
        succeed(Command::new("cp").arg("-r").arg(programs).arg(home.join("programs")))?;
        self.shell("chown -R somebody: /home/somebody")?;
        self.somebody(
            "make -s -C programs MPI=openmpi OUT=/home/somebody /home/somebody/poisson_a",
        )?;
        self.somebody("whyperf doctor")?;
        self.somebody(
            "whyperf run --json report.json -- mpirun --oversubscribe -n 4 ./poisson_a 600 6000",
        )?;
        self.somebody("man -w whyperf-run 2>/dev/null || ls /usr/share/man/man1/whyperf-run.1.gz")?;
        self.somebody("whyperf show latest >/dev/null && whyperf clean")?;
        let report = fs::read(home.join("report.json")).context("reading the report")?;
        let report: Value = serde_json::from_slice(&report).context("it is JSON")?;
        println!("{}", report["answer"]);
        ensure!(report["processes"] == 4 && report["exit_status"] == 0, "that is not the demo");
        let place = report["answer"].as_str().unwrap_or_default();
        ensure!(place.contains("exchng1"), "the answer names no place");
        Ok(())
    }

    fn somebody(&self, script: &str) -> Result<()> {
        self.shell(&format!("su somebody --shell /bin/sh --command 'cd && {script}'"))
    }

    fn shell(&self, script: &str) -> Result<()> {
        let mut command = Command::new("chroot");
        command
            .arg(&self.0)
            .args(["/bin/sh", "-ec", script])
            .env("DEBIAN_FRONTEND", "noninteractive");
        succeed(command.env("LC_ALL", "C.UTF-8").env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"))
    }
}

impl Drop for FreshRoot {
    fn drop(&mut self) {
        for (_, to) in MOUNTS.iter().rev() {
            // One that was not mounted is not there.
            let _ = Command::new("umount").arg(self.0.join(to)).status();
        }
    }
}

/// What programs need to be there: a kind of file system, and where.
const MOUNTS: [(&str, &str); 2] = [("proc", "proc"), ("tmpfs", "dev/shm")];
