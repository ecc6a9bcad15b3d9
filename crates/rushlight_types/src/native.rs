//! Classes that the reference writes in C++ and archives hold by name: packed weights of quantized layers and their kin.
//!
//! An object of such a class keeps what its archive holds for it, as it is: the attribute `state` is the value that
//! pickles carry, `prepared` whatever the operators that use the object make of it once. So every class loads and is
//! saved again, also those that no operator here knows.

use crate::{AttributeKind, ClassType, Object, Type, Value};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

const PREFIX: &str = "__torch__.torch.classes.";

/// The classes that operators take and give: name after the prefix, and methods with the operators that do their work.
const KNOWN: &[(&str, &[(&str, &str)])] = &[
    (
        "quantized.LinearPackedParamsBase",
        &[("unpack", "quantized::linear_unpack")],
    ),
    (
        "quantized.Conv2dPackedParamsBase",
        &[
            ("unpack", "quantized::conv2d_unpack"),
            ("stride", "quantized::conv2d_stride"),
            ("padding", "quantized::conv2d_padding"),
            ("output_padding", "quantized::conv2d_output_padding"),
            ("dilation", "quantized::conv2d_dilation"),
            ("groups", "quantized::conv2d_groups"),
            ("transpose", "quantized::conv2d_transpose"),
        ],
    ),
    (
        "quantized.Conv3dPackedParamsBase",
        &[
            ("unpack", "quantized::conv3d_unpack"),
            ("stride", "quantized::conv3d_stride"),
            ("padding", "quantized::conv3d_padding"),
            ("output_padding", "quantized::conv3d_output_padding"),
            ("dilation", "quantized::conv3d_dilation"),
            ("groups", "quantized::conv3d_groups"),
            ("transpose", "quantized::conv3d_transpose"),
        ],
    ),
    (
        "quantized.EmbeddingPackedParamsBase",
        &[("unpack", "quantized::embedding_bag_unpack")],
    ),
    (
        "cuda.Event",
        &[
            ("record", "cuda::event_record"),
            ("wait", "cuda::event_wait"),
            ("query", "cuda::event_query"),
            ("synchronize", "cuda::event_synchronize"),
            ("elapsed_time", "cuda::event_elapsed_time"),
        ],
    ),
    (
        "cuda.Stream",
        &[
            ("query", "cuda::stream_query"),
            ("synchronize", "cuda::stream_synchronize"),
            ("wait_stream", "cuda::stream_wait_stream"),
            ("wait_event", "cuda::stream_wait_event"),
            ("record_event", "cuda::stream_record_event"),
        ],
    ),
    ("rnn.CellParamsBase", &[]),
    ("profiler._RecordFunction", &[]),
];

/// Whether a qualified name is that of a class which archives do not define.
pub fn is_native(qualified: &str) -> bool {
    qualified.starts_with(PREFIX)
}

/// The class of this name among those that operators use. There is one of each, which schemas and archives share.
pub fn known_class(qualified: &str) -> Option<Arc<ClassType>> {
    static CLASSES: OnceLock<HashMap<&str, Arc<ClassType>>> = OnceLock::new();
    let classes = CLASSES.get_or_init(|| {
        let make = |name: &str| new_class(&format!("{PREFIX}{name}"));
        KNOWN.iter().map(|(name, _)| (*name, make(name))).collect()
    });
    classes.get(qualified.strip_prefix(PREFIX)?).cloned()
}

/// A class of any native name.
pub fn new_class(qualified: &str) -> Arc<ClassType> {
    let class = ClassType::new(qualified, false);
    class.add_attribute("state", Type::Any, AttributeKind::Plain);
    class.add_attribute("prepared", Type::Any, AttributeKind::Plain);
    class
}

/// The operator that does the work of a method.
pub fn method(qualified: &str, name: &str) -> Option<&'static str> {
    let class = qualified.strip_prefix(PREFIX)?;
    let (_, methods) = KNOWN.iter().find(|(known, _)| *known == class)?;
    methods.iter().find(|(m, _)| *m == name).map(|(_, op)| *op)
}

/// An object of a native class.
pub fn object(class: Arc<ClassType>, state: Value) -> Arc<Object> {
    let object = Object::new(class);
    object.set_slot(0, state);
    object.set_slot(1, Value::None);
    object
}

/// What pickles carry for an object of a native class.
pub fn state(object: &Object) -> Option<Value> {
    is_native(object.class().name()).then(|| object.slot(0))
}
