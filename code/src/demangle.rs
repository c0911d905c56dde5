//! Names as the programmer wrote them: C++, Rust, Fortran, and what compilers append.

use cpp_demangle::{DemangleOptions, Symbol};

/// A symbol's name for people; `fortran` where the function is known to be written in it.
pub(crate) fn demangled(name: &str, fortran: bool) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    if is_mangled(name) {
        let options = DemangleOptions::new().no_params().no_return_type();
        let plain = without_suffix(name);
        let demangled =
            Symbol::new(plain).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
        return demangled.unwrap_or_else(|| name.to_owned());
    }
    let name = without_suffix(name);
    fortran_module(name)
        .or_else(|| fortran.then(|| name.trim_end_matches('_').to_owned()))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| name.to_owned())
}

/// Whether it is a name of C++'s, with all that the function is a part of.
pub(crate) fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z")
}

/// Without what GCC and LLVM append to parts and copies of a function: `f.cold`, `f._omp_fn.0`.
fn without_suffix(name: &str) -> &str {
    match name.split_once('.') {
        Some((function, _)) if !function.is_empty() => function,
        _ => name,
    }
}

/// A procedure of a Fortran module: gfortran, Intel and LLVM spell it differently.
fn fortran_module(name: &str) -> Option<String> {
    let parts = name
        .strip_prefix("__")
        .and_then(|rest| rest.split_once("_MOD_"))
        .or_else(|| name.strip_prefix("_QM").and_then(|rest| rest.split_once('P')))
        .or_else(|| {
            name.split_once("_mp_").map(|(module, rest)| (module, rest.trim_end_matches('_')))
        });
    match parts {
        Some((module, procedure)) if !module.is_empty() && !procedure.is_empty() => {
            Some(format!("{module}::{procedure}"))
        }
        _ => name.strip_prefix("_QP").map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_they_were_written() {
        for (symbol, fortran, name) in [
            ("exchng1", false, "exchng1"),
            ("exchng1.constprop.0", false, "exchng1"),
            ("main._omp_fn.0", false, "main"),
            ("exchng1_", true, "exchng1"),
            ("keep_", false, "keep_"),
            ("__halo_MOD_exchange", true, "halo::exchange"),
            ("halo_mp_exchange_", true, "halo::exchange"),
            ("_QMhaloPexchange", true, "halo::exchange"),
            ("_QPexchng1", true, "exchng1"),
            ("_ZN4grid5sweepEPdi", false, "grid::sweep"),
            ("_ZN4grid5sweepEPdi.cold", false, "grid::sweep"),
            ("_RNvC6solver5sweep", false, "solver::sweep"),
            ("_", true, "_"),
        ] {
            assert_eq!(demangled(symbol, fortran), name, "{symbol}");
        }
    }
}
