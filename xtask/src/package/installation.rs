//! The files of an installation: what is built, what the command says of itself, and what is read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::package::{VERSION, filled, notices, write};
use crate::workspace::{Workspace, succeed};

/// Where an installation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstallationForm {
    /// A folder of its own, with a module file in it.
    Prefix,
    /// `/usr` of a system with packages.
    System,
}

/// What is installed from where, and how.
#[derive(Debug)]
pub(crate) struct Installation<'a> {
    workspace: &'a Workspace,
    release: &'a Path,
    form: InstallationForm,
}

impl<'a> Installation<'a> {
    /// Of the release build in this folder.
    pub(crate) const fn of(
        workspace: &'a Workspace,
        release: &'a Path,
        form: InstallationForm,
    ) -> Self {
        Self { workspace, release, form }
    }

    /// Writes all files into a folder.
    pub(crate) fn write(&self, prefix: &Path) -> Result<()> {
        let command = prefix.join("bin/whyperf");
        self.binary("whyperf", &command)?;
        self.binary("libwhyperf.so", &prefix.join(self.library()))?;
        for header in ["whyperf.h", "whyperf.f90"] {
            self.copy(&format!("include/{header}"), &prefix.join("include").join(header))?;
        }
        self.pages(&prefix.join("share/man/man1"))?;
        self.completions(&prefix.join("share"))?;
        self.documents(&prefix.join("share/doc/whyperf"))?;
        if self.form == InstallationForm::Prefix {
            let module = filled(include_str!("templates/module"), &[("VERSION", VERSION)]);
            write(&prefix.join("share/modulefiles/whyperf").join(VERSION), module)?;
        }
        Ok(())
    }

    /// Where the command finds it from its own place.
    fn library(&self) -> PathBuf {
        let folder = match self.form {
            InstallationForm::Prefix => "lib",
            InstallationForm::System => "lib/whyperf",
        };
        Path::new(folder).join("libwhyperf.so")
    }

    /// Without what only a debugger reads.
    fn binary(&self, name: &str, to: &Path) -> Result<()> {
        let from = self.release.join(name);
        let bytes = fs::read(&from).with_context(|| format!("reading {}", from.display()))?;
        write(to, bytes)?;
        succeed(Command::new("strip").arg("--strip-debug").arg(to))?;
        let mode = if name == "whyperf" { 0o755 } else { 0o644 };
        fs::set_permissions(to, fs::Permissions::from_mode(mode))
            .with_context(|| format!("changing {}", to.display()))
    }

    fn copy(&self, name: &str, to: &Path) -> Result<()> {
        let from = self.workspace.root.join(name);
        write(to, fs::read(&from).with_context(|| format!("reading {}", from.display()))?)
    }

    fn pages(&self, folder: &Path) -> Result<()> {
        succeed(self.command().arg("manual").arg(folder))
    }

    fn completions(&self, share: &Path) -> Result<()> {
        let zsh = match self.form {
            InstallationForm::Prefix => "zsh/site-functions/_whyperf",
            InstallationForm::System => "zsh/vendor-completions/_whyperf",
        };
        let places = [
            ("bash", "bash-completion/completions/whyperf"),
            ("zsh", zsh),
            ("fish", "fish/vendor_completions.d/whyperf.fish"),
        ];
        for (shell, place) in places {
            let printed = self.command().args(["completions", shell]).output();
            let printed = printed.with_context(|| format!("asking for completions of {shell}"))?;
            ensure!(printed.status.success(), "`whyperf completions {shell}` failed");
            write(&share.join(place), printed.stdout)?;
        }
        Ok(())
    }

    fn documents(&self, folder: &Path) -> Result<()> {
        for name in ["README.md", "SECURITY.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            self.copy(name, &folder.join(name))?;
        }
        write(&folder.join("third-party.txt"), notices::of_crates(self.workspace)?)?;
        let docs = self.workspace.root.join("docs");
        let pages = fs::read_dir(&docs).with_context(|| format!("reading {}", docs.display()))?;
        for page in pages {
            let name = page?.file_name();
            let name = name.to_string_lossy();
            if name.ends_with(".md") {
                self.copy(&format!("docs/{name}"), &folder.join("docs").join(&*name))?;
            }
        }
        Ok(())
    }

    fn command(&self) -> Command {
        Command::new(self.release.join("whyperf"))
    }
}
