//! Which part of a container of modules an index picks: parts have types of their own, so it is a literal.

use rushlight_types::Value;

const NO_KEY: &str = "Unable to extract string literal index. ModuleDict indexing is only supported with string literals. For example, 'i = \"a\"; self.layers[i](x)' will fail because i is not a literal. Enumeration of ModuleDict is supported, e.g. 'for k, v in self.items(): out = v(inp)'";

const NO_INDEX: &str = "Expected integer literal for index but got a variable or non-integer. ModuleList/Sequential indexing is only supported with integer literals. For example, 'i = 4; self.layers[i](x)' will fail because i is not a literal. Enumeration is supported, e.g. 'for index, v in enumerate(self): out = v(inp)'";

/// The place of the part that an index picks of those with these names, or why there is none. Where names are not known, `None`
/// is the place.
pub fn place(
    index: Option<&Value>,
    is_dict: bool,
    names: Option<&[&str]>,
) -> Result<Option<usize>, String> {
    if is_dict {
        let Some(Value::Str(key)) = index else {
            return Err(NO_KEY.to_string());
        };
        let (key, Some(names)) = (key.to_string(), names) else {
            return Ok(None);
        };
        let found = names.iter().position(|name| *name == key);
        return found.map(Some).ok_or_else(|| format!("Key Error, {key}"));
    }
    let Some(Value::Int(at)) = index else {
        return Err(NO_INDEX.to_string());
    };
    let Some(names) = names else {
        return Ok(None);
    };
    let count = names.len() as i64;
    let place = if *at < 0 { *at + count } else { *at };
    let place = usize::try_from(place).ok().filter(|i| *i < names.len());
    let missing = || format!("Index {at} out of range of length {count}");
    place.map(Some).ok_or_else(missing)
}
