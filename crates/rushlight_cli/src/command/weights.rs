//! The tensors of a module by path: taken out, and put back from a file that must fit to the letter.

use crate::compare::{Tolerance, difference, kind};
use crate::{Done, Failure};
use rushlight::types::{AttributeKind, Object};
use rushlight::{Context, DType, Module, Tensor, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Names of tensors that are listed for one remark; more are counted.
const SHOWN: usize = 20;

/// Where a parameter or a buffer is kept.
struct Place {
    path: String,
    tensor: Tensor,
}

/// Parameters and buffers by path, in the order of the module.
pub fn taken(module: &Module) -> Done<Vec<(String, Tensor)>> {
    let places = places(module)?.into_iter();
    Ok(places.map(|place| (place.path, place.tensor)).collect())
}

fn places(module: &Module) -> Done<Vec<Place>> {
    let mut found = Vec::new();
    gather(module.object(), "", &mut found)?;
    Ok(found)
}

fn gather(object: &Arc<Object>, prefix: &str, found: &mut Vec<Place>) -> Done {
    for (slot, attribute) in object.class().attributes().iter().enumerate() {
        let path = format!("{prefix}{}", attribute.name);
        match object.slot(slot) {
            Value::Object(inner) if inner.class().is_module() => {
                gather(&inner, &format!("{path}."), found)?;
            }
            Value::Tensor(tensor) if attribute.kind != AttributeKind::Plain => {
                found.push(Place { path, tensor });
            }
            Value::Uninitialized if attribute.kind != AttributeKind::Plain => {
                return Err(Failure(format!(
                    "{path} is computed by the __setstate__ of {}, which converting does not run",
                    object.class().name()
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes tensors into parameters and buffers. All of them must be there, with their shapes and dtypes, and nothing else;
/// of two that are one tensor one is enough. The error lists all that does not fit.
pub fn put(module: &Module, tensors: Vec<(String, Tensor)>) -> Done<usize> {
    let places = places(module)?;
    let given: HashMap<&str, &Tensor> = tensors.iter().map(|(n, t)| (n.as_str(), t)).collect();
    let pairs: Vec<(&Place, &Tensor)> = places
        .iter()
        .filter_map(|place| Some((place, *given.get(place.path.as_str())?)))
        .collect();
    let mut problems: Vec<String> = Vec::new();
    let mut hint = "";
    for (place, new) in &pairs {
        let [wanted, found] = [&place.tensor, *new].map(|t| kind(&Value::Tensor(t.clone())));
        if place.tensor.dtype() != new.dtype() && place.tensor.sizes() == new.sizes() {
            hint =
                "\n--dtype brings the model into another precision before the weights are put in";
        }
        if wanted != found {
            let path = &place.path;
            problems.push(format!(
                "{path} is {wanted} in the model and {found} in the file"
            ));
        }
    }
    let written: HashSet<Sharing> = pairs.iter().map(|(p, _)| sharing(&p.tensor)).collect();
    let missing = places
        .iter()
        .filter(|p| !written.contains(&sharing(&p.tensor)));
    problems.extend(missing.map(|place| format!("{} is missing in the file", place.path)));
    let unknown = tensors
        .iter()
        .filter(|(name, _)| !places.iter().any(|p| p.path == *name));
    problems
        .extend(unknown.map(|(name, _)| format!("{name} is in the file, but not in the model")));
    if problems.is_empty() {
        problems = write(&pairs)?;
    }
    match problems.is_empty() {
        true => Ok(tensors.len()),
        false => Err(Failure(format!(
            "the weights do not fit the model:\n  {}{hint}",
            listed(&problems, "\n  ")
        ))),
    }
}

/// Writes elements where the old ones are, so that tensors that share memory go on sharing it. Gives those whose elements
/// the file has otherwise under the name of another.
fn write(pairs: &[(&Place, &Tensor)]) -> Done<Vec<String>> {
    let context = Context::silent();
    let copy = rushlight::table()
        .find("aten::copy_")
        .ok_or_else(|| Failure("there is no aten::copy_".into()))?;
    for (place, new) in pairs {
        let tensors = [&place.tensor, *new].map(|t| Value::Tensor(t.clone()));
        let arguments = tensors.into_iter().chain([Value::Bool(false)]).collect();
        copy.call_vec(&context, arguments)
            .map_err(|fault| Failure(format!("{}: {}", place.path, fault.message())))?;
    }
    let exact = Tolerance {
        rtol: Some(0.0),
        atol: Some(0.0),
    };
    let differs =
        |(place, new): &&(&Place, &Tensor)| difference(new, &place.tensor, exact).outside > 0;
    let told = |(place, _): &(&Place, &Tensor)| {
        format!(
            "{} shares memory with another tensor in the model, and has other elements in the file",
            place.path
        )
    };
    Ok(pairs.iter().filter(differs).map(told).collect())
}

/// What tells tensors apart that do not share their elements.
type Sharing = (usize, Vec<usize>, Vec<usize>, usize);

fn sharing(tensor: &Tensor) -> Sharing {
    let layout = tensor.layout();
    (
        // Nothing is shared by what has no elements.
        match tensor.numel() {
            0 => tensor.id(),
            _ => tensor.storage_id(),
        },
        layout.sizes().to_vec(),
        layout.strides().to_vec(),
        layout.offset(),
    )
}

/// A warning where the tensors of a module have several floating point dtypes.
pub fn mixed(module: &Module) -> Option<String> {
    let mut by_dtype: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (path, tensor) in taken(module).ok()? {
        let dtype: DType = tensor.dtype();
        if dtype.is_float() {
            by_dtype.entry(dtype.name()).or_default().push(path);
        }
    }
    if by_dtype.len() < 2 {
        return None;
    }
    let kinds: Vec<String> = by_dtype
        .iter()
        .map(|(name, paths)| format!("  {} {name}: {}", paths.len(), listed(paths, ", ")))
        .collect();
    Some(format!(
        "warning: the tensors are of several floating point dtypes, and operators may refuse to mix them; --dtype changes all\n{}",
        kinds.join("\n")
    ))
}

fn listed(items: &[String], between: &str) -> String {
    let shown = items[..items.len().min(SHOWN)].join(between);
    match items.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}{between}and {more} more"),
    }
}
