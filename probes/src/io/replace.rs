//! Wrappers of calls that close or replace descriptors and are no events themselves.

use super::descriptor::{forget, forget_all};
use crate::wrapped::accompanied;

accompanied! {
    dup2(old, new) forget(new as i32);
    dup3(old, new, flags) forget(new as i32);
    close_range(first, last, flags) forget_all(first as u32, last as u32);
    closefrom(first) forget_all(first as u32, u32::MAX);
}
