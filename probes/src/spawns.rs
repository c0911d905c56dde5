//! Wrappers of calls that make processes with every signal blocked: no code must change meanwhile.

use whyperf_runtime::patch::gate;

use crate::next::Next;
use crate::wrapped::{c_name, keep_errno, real};

macro_rules! guarded {
    ($($name:ident($($argument:ident),*);)*) => {
        $(
            mod $name {
                use super::{gate, keep_errno, real};

                pub(super) static NEXT: super::Next = super::Next::new(super::c_name!($name));

                pub(super) unsafe extern "C" fn wrapper(
                    $($argument: $crate::wrapped::word!($argument)),*
                ) -> usize {
                    keep_errno(gate::enter);
                    let result = real!(NEXT, $($argument),*);
                    keep_errno(gate::leave);
                    result
                }
            }
        )*

        crate::stub::entry! { $($name => $name::wrapper, before $name::NEXT;)* }

        /// Looks every function of this table up.
        pub(crate) fn resolve() {
            $($name::NEXT.address();)*
        }
    };
}

guarded! {
    posix_spawn(child, path, actions, attributes, arguments, environment);
    posix_spawnp(child, file, actions, attributes, arguments, environment);
    system(command);
    popen(command, mode);
}
