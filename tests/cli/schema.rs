//! Holds JSON against a description of it: the part of JSON Schema that `viewer/openapi.json` uses.

use serde_json::Value;

/// The schemas of a description, by name.
pub(crate) struct Schemas<'a>(&'a Value);

impl<'a> Schemas<'a> {
    pub(crate) fn of(description: &'a Value) -> Self {
        Self(&description["components"]["schemas"])
    }

    /// Fails when a value is not what the schema of a name says.
    pub(crate) fn hold(&self, name: &str, value: &Value) {
        let schema = &self.0[name];
        assert!(schema.is_object(), "nothing is called {name}");
        let complaint = self.complaint(schema, value, name);
        assert_eq!(complaint, None, "{name} is not as described");
    }

    fn complaint(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap_or_default();
            return self.complaint(&self.0[name], value, at);
        }
        if let Some(ways) = schema["anyOf"].as_array() {
            let fits = ways.iter().any(|way| self.complaint(way, value, at).is_none());
            return (!fits).then(|| format!("{at}: {value} fits nothing"));
        }
        if !is_of_type(&schema["type"], value) {
            return Some(format!("{at}: {value} is no {}", schema["type"]));
        }
        let listed = schema["enum"].as_array();
        if listed.is_some_and(|all| !all.contains(value)) {
            return Some(format!("{at}: {value} is none of {}", schema["enum"]));
        }
        match value {
            Value::Object(members) if schema["properties"].is_object() => {
                self.of_members(schema, members, at)
            }
            Value::Array(items) => {
                let each = items.iter().enumerate();
                each.map(|(n, item)| self.complaint(&schema["items"], item, &format!("{at}[{n}]")))
                    .find_map(|complaint| complaint)
            }
            _ => None,
        }
    }

    fn of_members(
        &self,
        schema: &Value,
        members: &serde_json::Map<String, Value>,
        at: &str,
    ) -> Option<String> {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let is_missing =
            |name: &&Value| !name.as_str().is_some_and(|name| members.contains_key(name));
        if let Some(missing) = required.iter().find(is_missing) {
            return Some(format!("{at} has no {missing}"));
        }
        members.iter().find_map(|(name, value)| match &schema["properties"][name] {
            Value::Null => Some(format!("{at}.{name} is not described")),
            described => self.complaint(described, value, &format!("{at}.{name}")),
        })
    }
}

fn is_of_type(wanted: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the type {other} is not looked at"),
    };
    match wanted {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        // Where nothing is said all is right.
        _ => true,
    }
}

#[test]
fn what_is_not_described_is_refused() {
    let described = serde_json::json!({ "components": { "schemas": { "A": {
        "type": "object", "required": ["n"],
        "properties": { "n": { "type": ["integer", "null"] }, "all": { "type": "array", "items": { "$ref": "#/x/A" } } }
    } } } });
    let schemas = Schemas::of(&described);
    let complaint = |value: Value| schemas.complaint(&schemas.0["A"], &value, "A");
    assert_eq!(complaint(serde_json::json!({ "n": 1, "all": [{ "n": null }] })), None);
    for wrong in [
        serde_json::json!({}),
        serde_json::json!({ "n": "1" }),
        serde_json::json!({ "n": 1, "more": 1 }),
        serde_json::json!({ "n": 1, "all": [{ "n": 0.5 }] }),
    ] {
        assert!(complaint(wrong.clone()).is_some(), "{wrong}");
    }
}
