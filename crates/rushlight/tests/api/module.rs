//! What programs ask of modules and scripts: state by path, copies, contexts, errors as data.

use rushlight::{
    Context, DType, Error, ErrorClass, ErrorKind, Limits, Loader, Tensor, Value, values,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn digits() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits/digits.pt")
}

fn loaded() -> rushlight::Module {
    Loader::new().eval().load(digits()).expect("loads")
}

fn image() -> Tensor {
    let pixels = (0..28 * 28).map(|i| (i % 17) as f32 / 17.0).collect();
    Tensor::from_vec(pixels, &[1, 28, 28]).expect("fits")
}

#[test]
fn methods_have_schemas_and_are_called_by_keyword() {
    let model = loaded();
    let forward = model.bound_method("forward").expect("is there");
    let schema = forward.schema();
    let name = &*schema.arguments[1].name;
    let by_name = forward.call_with(&[], &[(name, image().into())]);
    let by_place = model.forward(&values![image()]);
    let parts = |v: Value| match v {
        Value::Tensor(t) => t.to_vec::<f32>(),
        other => other.as_tuple().unwrap()[0]
            .as_tensor()
            .map(|t| t.to_vec::<f32>())
            .unwrap_or_default(),
    };
    assert_eq!(parts(by_name.unwrap()), parts(by_place.unwrap()));
    assert!(model.methods().iter().any(|m| m.name() == "forward"));
    let told = model.bound_method("backward").expect_err("is missing");
    assert!(told.message().contains("it has: "), "{told}");
}

#[test]
fn state_is_found_by_path_and_a_copy_has_its_own() {
    let model = loaded();
    let parameters = model.parameters();
    assert!(!parameters.is_empty());
    let (path, weight) = &parameters[0];
    let same = model.attribute(path).unwrap();
    assert!(same.as_tensor().unwrap().is(weight));

    let copy = model.deep_copy().unwrap();
    let before = weight.to_vec::<f32>();
    let zeros = Tensor::zeros(weight.sizes(), DType::F32).unwrap();
    copy.set_attribute(path, zeros).unwrap();
    assert_eq!(model.parameters()[0].1.to_vec::<f32>(), before);
    assert!(
        copy.parameters()[0]
            .1
            .to_vec::<f32>()
            .iter()
            .all(|x| *x == 0.0)
    );

    assert!(model.set_attribute(path, "text").is_err());
    let told = model.attribute("nowhere.weight").unwrap_err();
    assert_eq!(told.class(), ErrorClass::Attribute);
    let (path, module) = &model.named_modules()[1];
    assert!(module.submodule("").is_err());
    let found = model.submodule(path).unwrap();
    assert!(std::sync::Arc::ptr_eq(found.object(), module.object()));
}

#[test]
fn dtypes_and_modes_go_down_the_tree() {
    let model = loaded();
    model.to_dtype(DType::F64).unwrap();
    assert!(
        model
            .parameters()
            .iter()
            .all(|(_, p)| p.dtype() == DType::F64)
    );
    assert!(model.to_dtype(DType::I64).is_err());
    model.train(true);
    let modes = |m: &rushlight::Module| m.object().get("training").map(|v| v.as_bool().unwrap());
    assert!(
        model
            .named_modules()
            .iter()
            .all(|(_, m)| modes(m) != Some(false))
    );
    model.eval();
    assert!(
        model
            .named_modules()
            .iter()
            .all(|(_, m)| modes(m) != Some(true))
    );
    let shown = format!("{model:?}");
    assert!(shown.lines().count() > 2 && shown.ends_with(')'), "{shown}");
}

#[test]
fn errors_say_the_file_and_the_frames() {
    let error = Loader::new().load("/nowhere/model.pt").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.path(), Some(Path::new("/nowhere/model.pt")));
    let error = Loader::new()
        .load_bytes(b"no archive".to_vec())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Archive);

    let wrong = Error::from(rushlight::compile("def f(x: int):\n    return y\n").unwrap_err());
    assert_eq!(
        (wrong.kind(), wrong.diagnostics().len()),
        (ErrorKind::Compile, 1)
    );

    let fault = loaded().forward(&values![Tensor::zeros(&[1, 3], DType::F32).unwrap()]);
    let error = Error::from(fault.unwrap_err());
    let frame = error.frames().first().expect("a script was running");
    assert_eq!(frame.function, "forward");
    assert!(frame.at.as_ref().is_some_and(|place| place.line > 0));
    assert!(error.traceback().contains("Traceback of TorchScript"));
}

#[test]
fn contexts_differ_by_call() {
    let source = "def forever(n: int):\n    while n > 0:\n        n += 1\n";
    let script = rushlight::compile(source).unwrap();
    let limited = Context::silent().shared();
    limited.set_limits(Limits {
        instructions: 100_000,
        ..Limits::default()
    });
    let told = script.with_context(limited).call("forever", &values![1]);
    assert!(told.unwrap_err().message().contains("100000 instructions"));

    let context = Context::silent().shared();
    let other = script.with_context(context.clone());
    let started = Instant::now();
    let told = std::thread::scope(|scope| {
        let running = scope.spawn(|| other.call("forever", &values![1]));
        std::thread::sleep(Duration::from_millis(20));
        context.cancel(true);
        running.join().expect("no panic")
    });
    assert!(told.is_err() && started.elapsed() < Duration::from_secs(20));
    assert!(script.call("never", &[]).is_err());
}
