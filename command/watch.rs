//! Measuring and searching while a program runs (not yet).
use crate::arguments::Options;
use crate::report::Report;
use crate::terminal::Screen;
use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;
#[derive(Debug)]
pub(crate) struct Watch {}
impl Watch {
    pub(crate) fn begin(_options: &Options, _command: &[OsString]) -> anyhow::Result<Self> {
        anyhow::bail!("no daemon")
    }
    pub(crate) fn directory(&self) -> &Path {
        Path::new("/")
    }
    pub(crate) fn next_sample(&self) -> Instant {
        Instant::now()
    }
    pub(crate) fn sample(&mut self, _screen: &mut Screen) {}
    pub(crate) fn has_living(&mut self) -> bool {
        false
    }
    pub(crate) fn take_stock(&mut self, _report: &mut Report) {}
    pub(crate) fn complete(self, _report: &mut Report) {}
}
