//! Tells from a function's name whether the function takes all its arguments in registers.
//!
//! A jump to a function of another object ends a proof that follows code. Mangled names spell out parameters, and the C
//! library's prototypes are known; an interposer that replaces such a function has to take the same arguments.

use cpp_demangle::{DemangleOptions, Symbol};

/// Whether all arguments of a function of this name are passed in registers. What is not known is not so.
pub(crate) fn takes_registers(name: &str) -> bool {
    if name.starts_with("_Z") { is_small_cpp(name) } else { C.contains(&name) }
}

fn is_small_cpp(name: &str) -> bool {
    let plain = name.split('.').next().unwrap_or(name);
    let options = DemangleOptions::new();
    let text =
        Symbol::new(plain).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    let Some(parameters) = text.as_deref().and_then(parameters) else { return false };
    let (mut integers, mut floats) = (HIDDEN, 0);
    for parameter in parameters {
        match class(parameter) {
            Some(ParameterClass::Integer) => integers += 1,
            Some(ParameterClass::Float) => floats += 1,
            Some(ParameterClass::None) => {}
            None => return false,
        }
    }
    integers <= 6 && floats <= 8
}

/// The object a method is of, and the place for a large result: neither is in the name.
const HIDDEN: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParameterClass {
    Integer,
    Float,
    None,
}

/// The parameters of a demangled function.
fn parameters(text: &str) -> Option<Vec<&str>> {
    let end = text.rfind(')')?;
    let is_plain_tail = text[end + 1..]
        .split(' ')
        .all(|word| matches!(word, "" | "const" | "volatile" | "&" | "&&"));
    if !is_plain_tail {
        return None;
    }
    let mut depth = 0_i32;
    let mut stops = vec![end];
    for (at, letter) in text[..end].char_indices().rev() {
        match letter {
            ')' | '>' | ']' | '}' => depth += 1,
            '(' if depth == 0 => {
                // What is returned would be a pointer to a function, with parameters of its own.
                if text[..at].ends_with(')') && !text[..at].ends_with("operator()") {
                    return None;
                }
                stops.push(at);
                stops.reverse();
                return Some(
                    stops.windows(2).map(|pair| text[pair[0] + 1..pair[1]].trim()).collect(),
                );
            }
            '(' | '<' | '[' | '{' => depth -= 1,
            ',' if depth == 0 => stops.push(at),
            _ => {}
        }
    }
    None
}

fn class(parameter: &str) -> Option<ParameterClass> {
    let bare = parameter.trim_end_matches(" const").trim_end_matches(" volatile");
    if bare.ends_with(['*', '&']) || bare.contains("(*)(") || bare.contains("(&)(") {
        return Some(ParameterClass::Integer);
    }
    match bare {
        "" | "void" => Some(ParameterClass::None),
        "float" | "double" => Some(ParameterClass::Float),
        _ if INTEGERS.contains(&bare) => Some(ParameterClass::Integer),
        _ => None,
    }
}

const INTEGERS: [&str; 15] = [
    "bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "wchar_t",
    "char16_t",
    "char32_t",
];

/// Functions of the C library that others like to end by calling: at most six words each.
const C: [&str; 61] = [
    "free",
    "malloc",
    "realloc",
    "reallocarray",
    "calloc",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "mempcpy",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strcpy",
    "stpcpy",
    "strncpy",
    "strcat",
    "strchr",
    "strrchr",
    "strstr",
    "strdup",
    "strndup",
    "strtol",
    "strtoul",
    "strtod",
    "wmemcpy",
    "wmemset",
    "wmemmove",
    "wmemchr",
    "wmemcmp",
    "wcslen",
    "fputs",
    "fputc",
    "fwrite",
    "fread",
    "fflush",
    "fclose",
    "putc",
    "puts",
    "read",
    "write",
    "close",
    "qsort",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_mutex_trylock",
    "pthread_mutex_destroy",
    "pthread_rwlock_unlock",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_key_delete",
    "pthread_setspecific",
    "pthread_getspecific",
    "sem_post",
];

#[cfg(test)]
mod tests {
    use super::takes_registers;

    #[test]
    fn parameters_of_a_mangled_name_are_counted() {
        for name in [
            "free",
            "_ZdlPvm",
            "_ZNSt6locale5facetD2Ev",
            "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm",
            "_ZNKSt5ctypeIcE8do_widenEc",
            "_Z1fPFiiiiiiiiiE",
            "_Z1fddddffff",
        ] {
            assert!(takes_registers(name), "{name}");
        }
    }

    #[test]
    fn what_may_be_on_the_stack_is_not_proved() {
        for name in [
            "printf",
            "main",
            "_Z1fz",
            "_Z1fPKcz",
            "_Z1fe",
            "_Z1fn",
            "_Z1f4Pair",
            "_Z1fiiiii",
            "_Z1fddddddddd",
            "_Z1fSt6vectorIiSaIiEE",
            "_ZTV3Foo",
            "_Zgarbage",
            "",
        ] {
            assert!(!takes_registers(name), "{name}");
        }
    }
}
