//! What operands had and others had not: ⊕ of two, or of all that are compared.

use serde::Serialize;
use whyperf_model::Resource;

use super::operand::{ComparedRun, Operand};
use crate::program_event::{EventGroup, ProgramEvent, RunLabel};

/// A resource that not all operands had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StructuralDifference {
    /// Its name.
    pub resource: String,
    /// The sum of the identifiers of the operands that had it: 1 is the first, 2 the second, 3 both, 4 the third.
    pub label: u64,
}

impl StructuralDifference {
    /// Whether the operand with this identifier had it.
    #[must_use]
    pub const fn is_of(&self, run: &ComparedRun) -> bool {
        self.label & run.label != 0
    }
}

/// What an operand is made of, without what it came to.
#[derive(Clone, Debug)]
pub struct OperandOutline {
    described: ComparedRun,
    event: ProgramEvent,
}

impl OperandOutline {
    /// That of an operand.
    #[must_use]
    pub fn of(operand: &Operand) -> Self {
        Self { described: operand.described(1), event: operand.usual_event() }
    }
}

/// ⊕ of all operands. Serialized, it is `all` of what `whyperf compare --json` writes of more than two.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointStructure {
    /// The operands with their identifiers: 1, 2, 4, ...
    pub runs: Vec<ComparedRun>,
    /// What only some of them had.
    pub structure: Vec<StructuralDifference>,
}

impl JointStructure {
    /// That of these, the reference first; none of more than have identifiers.
    #[must_use]
    pub fn of(outlines: &[OperandOutline]) -> Option<Self> {
        let group = EventGroup::of_all(outlines.iter().map(|outline| &outline.event))?;
        let run = |(position, outline): (u32, &OperandOutline)| {
            let label = RunLabel::of(position).0;
            ComparedRun { label, ..outline.described.clone() }
        };
        let runs = (0..).zip(outlines).map(run).collect();
        Some(Self { runs, structure: differing(&group) })
    }
}

/// What only some of a group had, the topmost resource of each subtree.
pub(super) fn differing(group: &EventGroup) -> Vec<StructuralDifference> {
    let difference = |(resource, label): (&Resource, RunLabel)| StructuralDifference {
        resource: resource.to_string(),
        label: label.0,
    };
    own(group.differing()).map(difference).collect()
}

/// Without what the machine did to the runs: how often it kept them from a processor is no matter of what they are made of.
fn own(differing: Vec<(&Resource, RunLabel)>) -> impl Iterator<Item = (&Resource, RunLabel)> {
    let surroundings = ["/SyncObject/Kernel", "/SyncObject/Processor"];
    let is_of = |resource: &Resource, above: &str| {
        let rest = resource.path().strip_prefix(above);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_own =
        move |resource: &Resource| !surroundings.iter().any(|above| is_of(resource, above));
    differing.into_iter().filter(move |(resource, _)| is_own(resource))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program_event::StatedResults;

    #[test]
    fn what_the_machine_did_is_no_difference_in_structure() {
        let resource = |name: &str| name.parse::<Resource>().expect("well formed");
        let names = [
            "/SyncObject/Kernel",
            "/SyncObject/Processor/host",
            "/SyncObject/Processors",
            "/SyncObject/Barrier",
        ];
        let all = names.map(resource);
        let differing = all.iter().map(|one| (one, RunLabel(1))).collect();
        let told: Vec<&str> = own(differing).map(|(one, _)| one.path()).collect();
        assert_eq!(told, ["/SyncObject/Processors", "/SyncObject/Barrier"]);
    }

    /// The paper's Figure 8: machines that several runs share.
    #[test]
    fn each_of_three_operands_has_an_identifier() {
        let of = |nodes: &[&str]| {
            let lines = nodes.iter().map(|node| format!("cpu </Machine/{node}> 1 s\n"));
            let text = format!("whyperf results 1\n{}", lines.collect::<String>());
            let results = StatedResults::parse(&text).expect("well formed");
            OperandOutline::of(&Operand::stated(nodes.join("+"), results))
        };
        let outlines = [of(&["cow03", "cow07"]), of(&["cow09"]), of(&["cow03", "cow09"])];
        let all = JointStructure::of(&outlines).expect("three");
        let labels: Vec<u64> = all.runs.iter().map(|run| run.label).collect();
        assert_eq!(labels, [1, 2, 4]);
        let told: Vec<(&str, u64)> =
            all.structure.iter().map(|one| (&*one.resource, one.label)).collect();
        assert_eq!(told, [("/Machine/cow03", 5), ("/Machine/cow07", 1), ("/Machine/cow09", 6)]);
        assert!(all.structure[0].is_of(&all.runs[2]) && !all.structure[0].is_of(&all.runs[1]));
        assert_eq!(JointStructure::of(&vec![outlines[0].clone(); 65]), None);
    }
}
