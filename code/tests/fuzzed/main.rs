//! Feeds the inputs that fuzzing found and starts from to the reader and the planner: objects and machine code of any bytes
//! are answered or refused.

#[path = "../../../fuzz/corpus.rs"]
mod corpus;
mod machine_code;
mod object;

#[test]
fn objects_of_any_bytes_answer_or_are_refused() {
    corpus::each("object", object::feed);
}

#[test]
fn any_machine_code_is_planned_or_refused() {
    corpus::each("machine_code", machine_code::feed);
}
