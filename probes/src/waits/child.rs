//! Wrappers of calls that wait for another process to end: that process has the work meanwhile, as a joined thread has.

use whyperf_layout::ObjectKind;

use super::only;
use crate::wrapped::{nothing, wrapped};

wrapped! {
    wait(status) => Child, only(ObjectKind::Child), nothing;
    waitpid(process, status, options) => Child, only(ObjectKind::Child), nothing;
    wait3(status, options, usage) => Child, only(ObjectKind::Child), nothing;
    wait4(process, status, options, usage) => Child, only(ObjectKind::Child), nothing;
    waitid(which, process, description, options) => Child, only(ObjectKind::Child), nothing;
}
