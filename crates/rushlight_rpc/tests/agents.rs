//! Two agents of one process call each other over the loopback device.

mod common;

use common::{free_address, group, leave, meeting_place, same};
use rushlight_rpc::{Agent, Meeting};
use rushlight_tensor::Tensor;
use rushlight_types::{RRef, Remote, Type, Value};
use std::sync::Arc;

fn pair(meeting: &Meeting) -> (Arc<Agent>, Arc<Agent>) {
    let mut members = group(meeting, 2, None);
    let other = members.pop().unwrap();
    (members.pop().unwrap(), other)
}

#[test]
fn values_travel_and_come_back() {
    let path = meeting_place("values");
    let (a, b) = pair(&Meeting::File(path.clone()));
    assert_eq!(same(&a, "worker1", Value::Int(-3)).as_int().unwrap(), -3);
    let tensor = Tensor::from_vec(vec![1.5f32, -2.0, 3.0, 4.0], &[2, 2]).unwrap();
    let back = same(&a, "worker1", tensor.transpose(0, 1).unwrap().into());
    let back = back.as_tensor().unwrap().to_vec::<f32>();
    assert_eq!(back, [1.5, 3.0, -2.0, 4.0]);
    for value in [
        Value::None,
        Value::Bool(true),
        Value::Float(0.1),
        Value::str("äöü"),
        vec![1i64, 2, 3].into(),
        Value::tuple(vec![Value::Int(1), vec![true].into(), Value::str("x")]),
    ] {
        let back = same(&a, "worker1", value.clone());
        assert_eq!(
            rushlight_types::repr_text(&back),
            rushlight_types::repr_text(&value)
        );
    }
    leave(&[a, b]);
    let _ = std::fs::remove_file(path);
}

#[test]
fn errors_of_every_kind_come_back() {
    let path = meeting_place("errors");
    let (a, b) = pair(&Meeting::File(path.clone()));
    let message = |function: &str, seconds: f64| {
        let future = a.call("worker1", function, vec![], seconds).unwrap();
        future.wait().unwrap_err().message().to_string()
    };
    assert_eq!(message("fail", -1.0), "no good");
    assert_eq!(
        message("missing", -1.0),
        "attempted to get undefined function missing"
    );
    assert!(message("slow", 0.1).contains("more than set timeout (100 ms)"));
    assert!(message("panic", -1.0).contains("panicked"));
    let nobody = a.call("nobody", "same", vec![], -1.0).err().unwrap();
    assert!(
        nobody
            .message()
            .contains("could not find destination name nobody")
    );
    leave(&[a, b]);
    let _ = std::fs::remove_file(path);
}

#[test]
fn references_are_fetched_from_their_owner() {
    let (a, b) = pair(&Meeting::Tcp(free_address()));
    let made = a
        .create("worker1", "same", vec![Value::Int(7)], -1.0)
        .unwrap();
    assert_eq!(&*made.owner.name, "worker1");
    assert!(made.local.is_none());
    assert_eq!(a.fetch(&made, -1.0).unwrap().as_int().unwrap(), 7);
    // Sent to its owner, the reference is the owner's own.
    let own = same(&a, "worker1", made.into_value());
    let own = RRef::of(&own).unwrap();
    assert_eq!(a.fetch(own, -1.0).unwrap().as_int().unwrap(), 7);
    let kept = b.keep(Value::Int(9));
    assert_eq!(
        kept.local
            .as_ref()
            .unwrap()
            .wait()
            .unwrap()
            .as_int()
            .unwrap(),
        9
    );
    assert_eq!(kept.ty, Type::Any);
    leave(&[a, b]);
}

#[test]
fn a_group_of_one_needs_no_secret() {
    let member = group(&Meeting::Tcp("0.0.0.0:1".into()), 1, None);
    let back = same(&member[0], "worker0", Value::Int(4));
    assert_eq!(back.as_int().unwrap(), 4);
    leave(&member);
}
