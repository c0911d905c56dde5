//! Writes the functions of a random program in C++: as members of namespaces, templates, methods and lambdas.

use super::super::manner::FunctionForm;

/// The definition of a function with this body.
pub(super) fn defined(form: FunctionForm, at: usize, body: &str) -> String {
    match form {
        FunctionForm::Namespace => {
            format!("namespace mill {{ NOINLINE long f{at}(long r) {{ {body} }} }}\n")
        }
        FunctionForm::Nameless => {
            format!("namespace {{ NOINLINE long f{at}(long r) {{ {body} }} }}\n")
        }
        FunctionForm::Template => {
            format!("template <typename Real> NOINLINE long f{at}(long r) {{ {body} }}\n")
        }
        FunctionForm::Virtual => format!(
            "struct Tool{at} {{ virtual long f{at}(long r) = 0; }};\n\
             struct Mill{at} : Tool{at} {{ NOINLINE long f{at}(long r) override {{ {body} }} }};\n\
             static Mill{at} mill{at};\n\
             static Tool{at} *volatile tool{at} = &mill{at};\n"
        ),
        // Every other one is seen by the linker.
        FunctionForm::Lambda => {
            let seen = if at.is_multiple_of(2) { "static inline" } else { "inline" };
            format!(
                "{seen} __attribute__((always_inline)) auto f{at}() {{\n\
                 return [](long r) NOINLINE -> long {{ {body} }}; }}\n"
            )
        }
        _ => format!("static NOINLINE long f{at}(long r) {{ {body} }}\n"),
    }
}

/// A call of it.
pub(super) fn call(form: FunctionForm, at: usize, argument: &str) -> String {
    match form {
        FunctionForm::Namespace => format!("mill::f{at}({argument})"),
        FunctionForm::Template => format!("f{at}<double>({argument})"),
        FunctionForm::Virtual => format!("tool{at}->f{at}({argument})"),
        FunctionForm::Lambda => format!("f{at}()({argument})"),
        _ => format!("f{at}({argument})"),
    }
}

/// A call of it by itself.
pub(super) fn call_from_inside(form: FunctionForm, at: usize) -> String {
    let instance = if form == FunctionForm::Template { "<Real>" } else { "" };
    format!("f{at}{instance}(r)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_called_as_it_is_defined() {
        assert!(defined(FunctionForm::Template, 3, "").contains("f3("));
        assert_eq!(call(FunctionForm::Template, 3, "r"), "f3<double>(r)");
        assert_eq!(call_from_inside(FunctionForm::Template, 3), "f3<Real>(r)");
        assert_eq!(call(FunctionForm::Lambda, 3, "0"), "f3()(0)");
        assert_eq!(
            [call(FunctionForm::Plain, 3, "r"), call_from_inside(FunctionForm::Virtual, 3)],
            ["f3(r)"; 2]
        );
    }
}
