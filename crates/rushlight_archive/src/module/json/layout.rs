//! `model.json` as data: messages of a schema in their JSON form, in which whole numbers are strings and what has its
//! default value is left out.

use serde_json::{Map, Value as Json};

type Read<T> = Result<T, String>;

/// The whole description.
pub(super) struct Model {
    pub main: Module,
    /// Parameters, buffers, tensors in attributes and constants of the code, by number.
    pub tensors: Vec<TensorEntry>,
}

/// A module.
#[derive(Default)]
pub(super) struct Module {
    pub name: String,
    pub submodules: Vec<Module>,
    pub parameters: Vec<Parameter>,
    pub attributes: Vec<Attribute>,
    /// The record with its methods.
    pub code: Option<String>,
    /// The record that says which source the methods come from.
    pub ranges: Option<String>,
    /// The attribute that `__setstate__` takes.
    pub state: Option<usize>,
}

/// A parameter or buffer.
pub(super) struct Parameter {
    pub name: String,
    pub is_buffer: bool,
    pub tensor: usize,
}

/// An attribute of another kind.
pub(super) struct Attribute {
    pub name: String,
    /// As annotations spell it.
    pub ty: String,
    /// Its place in the pickle of attributes.
    pub index: Option<usize>,
}

/// A tensor.
pub(super) struct TensorEntry {
    pub sizes: Vec<usize>,
    pub strides: Vec<usize>,
    pub offset: usize,
    pub requires_grad: bool,
    /// The dtype's name or number in the schema.
    pub dtype: String,
    /// The record with its elements.
    pub record: String,
    /// Scale and zero point of a quantized tensor.
    pub quantized: Option<(f64, i64)>,
}

impl Model {
    /// Reads the text of a description.
    pub fn read(text: &str) -> Read<Model> {
        let json: Json = serde_json::from_str(text).map_err(|e| format!("this is no JSON: {e}"))?;
        let message = Message::of(&json, "the model")?;
        let main = match message.get("mainModule") {
            Some(main) => Module::read(main)?,
            None => return Err("the description has no main module".into()),
        };
        let tensors = message.each("tensors", TensorEntry::read)?;
        Ok(Model { main, tensors })
    }
}

impl Module {
    fn read(json: &Json) -> Read<Module> {
        let message = Message::of(json, "a module")?;
        Ok(Module {
            name: message.text("name")?,
            submodules: message.each("submodules", Module::read)?,
            parameters: message.each("parameters", Parameter::read)?,
            attributes: message.each("attributes", Attribute::read)?,
            code: message.record("torchscriptArena")?,
            ranges: message.record("torchscriptDebugArena")?,
            state: message.index("getStateAttributeId")?,
        })
    }

    /// The code records of this module and those inside.
    pub fn code_records(&self) -> Vec<&str> {
        let mut records: Vec<&str> = self.code.as_deref().into_iter().collect();
        for inner in &self.submodules {
            records.extend(inner.code_records());
        }
        records
    }
}

impl Parameter {
    fn read(json: &Json) -> Read<Parameter> {
        let message = Message::of(json, "a parameter")?;
        Ok(Parameter {
            name: message.text("name")?,
            is_buffer: message.flag("isBuffer")?,
            tensor: message.size("tensorId")?,
        })
    }
}

impl Attribute {
    fn read(json: &Json) -> Read<Attribute> {
        let message = Message::of(json, "an attribute")?;
        Ok(Attribute {
            name: message.text("name")?,
            ty: message.text("type")?,
            // Number 0 is left out like any default; what has no value has number -1.
            index: match message.get("id") {
                None => Some(0),
                Some(_) => message.index("id")?,
            },
        })
    }
}

impl TensorEntry {
    fn read(json: &Json) -> Read<TensorEntry> {
        let message = Message::of(json, "a tensor")?;
        let quantized = match message.flag("isQuantized")? {
            true => Some((message.real("scale")?, message.whole("zeroPoint")?)),
            false => None,
        };
        Ok(TensorEntry {
            sizes: message.sizes("dims")?,
            strides: message.sizes("strides")?,
            offset: message.size("offset")?,
            requires_grad: message.flag("requiresGrad")?,
            dtype: match message.get("dataType") {
                Some(Json::Number(number)) => number.to_string(),
                _ => message.text("dataType")?,
            },
            record: message
                .record("data")?
                .ok_or("a tensor has no record of its elements")?,
            quantized,
        })
    }
}

/// A message: fields by name, in `camelCase` or as the schema spells them.
struct Message<'j> {
    fields: &'j Map<String, Json>,
    what: &'static str,
}

impl<'j> Message<'j> {
    fn of(json: &'j Json, what: &'static str) -> Read<Message<'j>> {
        match json {
            Json::Object(fields) => Ok(Message { fields, what }),
            _ => Err(format!("{what} is no object")),
        }
    }

    fn get(&self, name: &str) -> Option<&'j Json> {
        let found = self.fields.get(name);
        found.or_else(|| self.fields.get(&snake_case(name)))
    }

    fn wrong(&self, name: &str) -> String {
        format!("`{name}` of {} has a value of the wrong kind", self.what)
    }

    fn text(&self, name: &str) -> Read<String> {
        match self.get(name) {
            None => Ok(String::new()),
            Some(Json::String(text)) => Ok(text.clone()),
            Some(_) => Err(self.wrong(name)),
        }
    }

    fn flag(&self, name: &str) -> Read<bool> {
        match self.get(name) {
            None => Ok(false),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(name)),
        }
    }

    fn whole(&self, name: &str) -> Read<i64> {
        match self.get(name) {
            None => Ok(0),
            Some(json) => whole(json).ok_or_else(|| self.wrong(name)),
        }
    }

    fn real(&self, name: &str) -> Read<f64> {
        match self.get(name) {
            None => Ok(0.0),
            Some(json) => json.as_f64().ok_or_else(|| self.wrong(name)),
        }
    }

    fn size(&self, name: &str) -> Read<usize> {
        usize::try_from(self.whole(name)?).map_err(|_| self.wrong(name))
    }

    /// A number that is negative, or absent, where there is none.
    fn index(&self, name: &str) -> Read<Option<usize>> {
        match self.get(name) {
            None => Ok(None),
            Some(_) => Ok(usize::try_from(self.whole(name)?).ok()),
        }
    }

    fn sizes(&self, name: &str) -> Read<Vec<usize>> {
        let size = |json: &Json| whole(json).and_then(|n| usize::try_from(n).ok());
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Json::Array(items)) => items
                .iter()
                .map(|item| size(item).ok_or_else(|| self.wrong(name)))
                .collect(),
            Some(_) => Err(self.wrong(name)),
        }
    }

    fn each<T>(&self, name: &str, read: fn(&Json) -> Read<T>) -> Read<Vec<T>> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Json::Array(items)) => items.iter().map(read).collect(),
            Some(_) => Err(self.wrong(name)),
        }
    }

    /// `{"key": "code/model.py"}`.
    fn record(&self, name: &str) -> Read<Option<String>> {
        match self.get(name) {
            None => Ok(None),
            Some(json) => match json.get("key") {
                Some(Json::String(key)) => Ok(Some(key.clone())),
                _ => Err(self.wrong(name)),
            },
        }
    }
}

fn whole(json: &Json) -> Option<i64> {
    match json {
        Json::String(text) => text.parse().ok(),
        other => other.as_i64(),
    }
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_fields_and_of_numbers_are_read() {
        let camel =
            r#"{"mainModule": {"parameters": [{"isBuffer": true, "tensorId": "7", "name": "b"}]}}"#;
        let snake = r#"{"main_module": {"parameters": [{"is_buffer": true, "tensor_id": 7, "name": "b"}]}}"#;
        for text in [camel, snake] {
            let model = Model::read(text).unwrap();
            let parameter = &model.main.parameters[0];
            assert!(parameter.is_buffer);
            assert_eq!((parameter.tensor, parameter.name.as_str()), (7, "b"));
        }
    }

    #[test]
    fn what_is_no_description_is_refused() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"mainModule": 3}"#,
            r#"{"mainModule": {"submodules": {}}}"#,
            r#"{"mainModule": {}, "tensors": [{}]}"#,
            r#"{"mainModule": {}, "tensors": [{"data": {"key": "t"}, "dims": ["-1"]}]}"#,
            r#"{"mainModule": {"parameters": [{"tensorId": "many"}]}}"#,
        ] {
            assert!(Model::read(text).is_err(), "{text}");
        }
        let deep = format!("{}{}", r#"{"mainModule":"#.repeat(1000), "}".repeat(1000));
        assert!(Model::read(&deep).is_err());
    }
}
