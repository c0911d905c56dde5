//! Wrappers of calls that close descriptors and streams. A descriptor is removed from the table *before* it is closed,
//! measured or not: afterwards another thread may already have opened another file under the same number.

use super::file::{directory_gone, stream_gone};
use super::moved::nothing;
use crate::io::descriptor::take;
use crate::wrapped::wrapped;

wrapped! {
    close(fd) with known = take(fd as i32) => Close, known, nothing;
    fclose(file) with known = stream_gone(file) => Close, known, nothing;
    pclose(file) with known = stream_gone(file) => Close, known, nothing;
    closedir(directory) with known = directory_gone(directory) => Close, known, nothing;
}
