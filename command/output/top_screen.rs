//! A run on the terminal that whyperf was started from: it is drawn while the run goes on, and what the program prints meanwhile waits.
//!
//! ```text
//!   the program ──► standard output and error, where they are the terminal ──► a file that nobody else sees ─┐
//!   the run that is shown ──► ratatui ──► another screen of the terminal                                     │
//!                                            └─ `q`, or the end of the run ──► the first screen again ◄──────┘
//! ```
//! Output that goes to a file or a pipe is not touched.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, Result};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use rustix::stdio::{dup2_stderr, dup2_stdout};
use whyperf_viewer::{ViewedRun, draw_top};

/// A run on the terminal, until this is closed.
#[derive(Debug)]
pub(crate) struct TopScreen {
    drawer: JoinHandle<()>,
    state: Arc<ScreenState>,
    held: HeldOutput,
}

/// Whether the screen is wanted, and what is seen of it.
#[derive(Debug, Default)]
struct ScreenState {
    is_over: AtomicBool,
}

/// There is one terminal for each process, so there is one screen: whether it is up, left by its user, and how far it was moved.
static IS_UP: AtomicBool = AtomicBool::new(false);
static IS_LEFT: AtomicBool = AtomicBool::new(false);
static FIRST: AtomicIsize = AtomicIsize::new(0);

/// Between two drawings.
const INTERVAL: Duration = Duration::from_millis(250);

/// A key was pressed that may mean the screen.
pub(crate) fn press(key: u8) {
    match key {
        b'q' => IS_LEFT.store(true, Ordering::Relaxed),
        // Arrows end in these.
        b'j' | b'B' => _ = FIRST.fetch_add(1, Ordering::Relaxed),
        b'k' | b'A' => FIRST.store((FIRST.load(Ordering::Relaxed) - 1).max(0), Ordering::Relaxed),
        _ => {}
    }
}

/// Whether the user has left the screen.
pub(crate) fn is_left() -> bool {
    IS_LEFT.load(Ordering::Relaxed)
}

/// The first screen of the terminal again, if another one is up.
pub(crate) fn put_back() {
    if IS_UP.swap(false, Ordering::Relaxed)
        && let Ok(mut terminal) = terminal()
    {
        let _ = execute!(terminal, LeaveAlternateScreen, Show);
    }
}

/// Draws runs on the terminal.
pub(crate) struct RunDrawer(Terminal<CrosstermBackend<File>>);

impl RunDrawer {
    /// Another screen of the terminal.
    pub(crate) fn begin() -> Result<Self> {
        let mut file = terminal().context("opening the terminal")?;
        execute!(file, EnterAlternateScreen).context("drawing on the terminal")?;
        IS_UP.store(true, Ordering::Relaxed);
        let terminal = Terminal::new(CrosstermBackend::new(file));
        terminal.context("drawing on the terminal").map(Self)
    }

    /// Draws a run as it is known by now. A terminal that is gone shows nothing.
    pub(crate) fn draw(&mut self, run: &ViewedRun) {
        let first = usize::try_from(FIRST.load(Ordering::Relaxed)).unwrap_or(0);
        let mut top = first;
        let _ = self.0.draw(|frame| top = draw_top(frame, run, first));
        // Keys may have moved it meanwhile; what is beyond the end is no step on the way back.
        let moved = isize::try_from(first.saturating_sub(top)).unwrap_or(0);
        FIRST.fetch_sub(moved, Ordering::Relaxed);
    }
}

impl Drop for RunDrawer {
    fn drop(&mut self) {
        put_back();
    }
}

fn terminal() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}

impl TopScreen {
    /// Draws this run from now on.
    pub(crate) fn begin(run: Arc<ViewedRun>) -> Result<Self> {
        let drawer = RunDrawer::begin()?;
        let held = HeldOutput::hold().context("holding back what the program prints")?;
        let state = Arc::<ScreenState>::default();
        let (seen, reader) = (Arc::clone(&state), held.reader()?);
        let work = move || show(run, drawer, &seen, reader);
        let drawer = thread::Builder::new().name("whyperf-top".into()).spawn(work);
        let drawer = drawer.context("starting the thread that draws")?;
        Ok(Self { drawer, state, held })
    }

    /// Shows the terminal as it was, with what was printed meanwhile.
    pub(crate) fn close(self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        self.drawer.thread().unpark();
        let _ = self.drawer.join();
        put_back();
        self.held.release();
    }
}

/// Draws until the run is over, or until the screen is left: then what the program prints goes to the terminal as it comes.
fn show(run: Arc<ViewedRun>, drawer: RunDrawer, state: &ScreenState, mut held: HeldReader) {
    let mut drawer = Some(drawer);
    while !state.is_over.load(Ordering::Relaxed) {
        match &mut drawer {
            Some(_) if is_left() => drawer = None,
            Some(drawer) => drawer.draw(&run),
            None => held.copy(),
        }
        thread::park_timeout(INTERVAL);
    }
    drop(drawer);
    held.copy();
}

/// Standard output and error that go to a file for a while.
#[derive(Debug)]
struct HeldOutput {
    file: Option<File>,
    /// Where they went before; nothing of one that is not the terminal.
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
}

/// Copies what is held to the terminal.
struct HeldReader {
    file: Option<File>,
    to: Option<File>,
    shown: u64,
}

impl HeldOutput {
    /// Holds back what is written to the terminal.
    fn hold() -> io::Result<Self> {
        let [stdout, stderr] = [io::stdout().is_terminal(), io::stderr().is_terminal()];
        if !stdout && !stderr {
            return Ok(Self { file: None, stdout: None, stderr: None });
        }
        let path = std::env::temp_dir().join(format!("whyperf-top.{}", std::process::id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        // Nobody else needs its name.
        fs::remove_file(&path)?;
        let before = |stream: BorrowedFd<'_>| stream.try_clone_to_owned();
        let stdout = stdout.then(|| before(io::stdout().as_fd())).transpose()?;
        let stderr = stderr.then(|| before(io::stderr().as_fd())).transpose()?;
        if stdout.is_some() {
            dup2_stdout(&file)?;
        }
        if stderr.is_some() {
            dup2_stderr(&file)?;
        }
        Ok(Self { file: Some(file), stdout, stderr })
    }

    fn reader(&self) -> io::Result<HeldReader> {
        let file = self.file.as_ref().map(File::try_clone).transpose()?;
        let to = self.stderr.as_ref().or(self.stdout.as_ref());
        let to = to.map(OwnedFd::try_clone).transpose()?.map(File::from);
        Ok(HeldReader { file, to, shown: 0 })
    }

    /// Both go where they went before.
    fn release(self) {
        let _ = io::stdout().flush();
        if let Some(stdout) = &self.stdout {
            let _ = dup2_stdout(stdout);
        }
        if let Some(stderr) = &self.stderr {
            let _ = dup2_stderr(stderr);
        }
    }
}

impl HeldReader {
    /// Copies what came since the last time; the place that is written to is not moved by that.
    fn copy(&mut self) {
        let (Some(file), Some(to)) = (&self.file, &mut self.to) else { return };
        let mut piece = [0; 1 << 13];
        while let Ok(read @ 1..) = file.read_at(&mut piece, self.shown) {
            if to.write_all(&piece[..read]).is_err() {
                return;
            }
            self.shown += read as u64;
        }
    }
}
