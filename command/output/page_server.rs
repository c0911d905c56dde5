//! The page in a browser: where it is served, how its address is told, and until when.

use std::env;
use std::process::{Command, Stdio};

use crate::output::terminal::Screen;
use anyhow::{Context as _, Result};
use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use whyperf_viewer::{AccessRules, Shown, Token, ViewAddress, ViewServer};

/// How a page is served, beside where.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PageOptions {
    /// Answer requests for the host NAME, too, as a proxy sends them; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) view_host: Vec<String>,
    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// An address of the command line: `HOST:PORT`, a port alone, or `unix:PATH`.
pub(crate) fn address(text: &str) -> Result<ViewAddress, String> {
    if let Some(path) = text.strip_prefix("unix:") {
        return Ok(ViewAddress::Unix(path.into()));
    }
    if let Ok(port) = text.parse::<u16>() {
        return Ok(ViewAddress::Tcp(([127, 0, 0, 1], port).into()));
    }
    let named = text.replace("localhost:", "127.0.0.1:");
    let read = named.parse().map(ViewAddress::Tcp);
    read.map_err(|_| {
        format!("{text:?} is neither a port, nor ADDRESS:PORT as in 127.0.0.1:8400, nor unix:PATH")
    })
}

/// Begins to serve.
pub(crate) fn serve(shown: Shown, at: &ViewAddress, options: &PageOptions) -> Result<ViewServer> {
    let mut bytes = [0; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .context("making the token of the page")?;
    let mut hosts = options.view_host.clone();
    if let ViewAddress::Tcp(address) = at
        && !address.ip().is_loopback()
    {
        hosts.push(address.ip().to_string());
        hosts.push(host_name());
    }
    let server = ViewServer::start(shown, at, AccessRules { token: Token::of(bytes), hosts })?;
    Ok(server)
}

/// Tells where the page is, with what else helps to see it there: on standard error, also where little else is said.
pub(crate) fn tell(server: &ViewServer, options: &PageOptions, screen: &mut Screen) {
    let url = server.url();
    screen.put(&format!("whyperf  view  {url}\n"));
    help_to_see(server, options, screen);
}

/// The line that forwards the page to another machine, and the browser of the desktop, where they are wanted.
pub(crate) fn help_to_see(server: &ViewServer, options: &PageOptions, screen: &mut Screen) {
    if let Some(tunnel) = tunnel(server) {
        screen.say(&format!("whyperf  from another machine: {tunnel}\n"));
    }
    if options.open
        && let Err(why) = open_browser(&server.url())
    {
        screen.warn(&format!("no browser was opened: {why}"));
    }
}

/// What to type on the user's own machine, where this one is reached over the network.
fn tunnel(server: &ViewServer) -> Option<String> {
    let is_remote = env::var_os("SSH_CONNECTION").is_some();
    let is_socket = matches!(server.address(), ViewAddress::Unix(_));
    (is_remote || is_socket).then(|| server.tunnel(&host_name()))
}

/// Opens a page in the browser of the desktop; why not, if there is none.
fn open_browser(url: &str) -> Result<(), String> {
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    if !has_display {
        return Err("there is no display here to open a browser on".to_owned());
    }
    let mut opener = Command::new("xdg-open");
    let silent = opener.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.spawn().map(drop).map_err(|error| format!("running xdg-open: {error}"))
}

/// The end of a view: the user has seen enough. It is heard from when it is made, so that none is lost.
pub(crate) struct Interruption(Signals);

impl Interruption {
    /// Begins to listen; signals no longer end this process by themselves.
    pub(crate) fn listen() -> Result<Self> {
        Signals::new([SIGINT, SIGTERM, SIGHUP]).context("listening for Ctrl-C").map(Self)
    }

    /// Waits for it.
    pub(crate) fn wait(mut self) {
        self.0.forever().next();
    }
}

fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_port_an_address_or_a_path() {
        let tcp = |text: &str| ViewAddress::Tcp(text.parse().expect("an address"));
        assert_eq!(address("8400"), Ok(tcp("127.0.0.1:8400")));
        assert_eq!(address("localhost:0"), Ok(tcp("127.0.0.1:0")));
        assert_eq!(address("[::1]:80"), Ok(tcp("[::1]:80")));
        assert_eq!(address("unix:/tmp/a"), Ok(ViewAddress::Unix("/tmp/a".into())));
        assert!(address("somewhere").is_err_and(|said| said.contains("127.0.0.1:8400")));
        assert!(address("70000").is_err());
    }
}
