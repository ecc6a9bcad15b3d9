//! Calls that sleep or wait for other calls do not keep the rest from being served.

mod common;

use common::{AT_GATE, group, leave, meeting_place, same, set_gate};
use rushlight_rpc::Meeting;
use rushlight_types::{Remote, Value};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[test]
fn hundreds_of_blocked_calls_leave_room_for_more() {
    let path = meeting_place("blocked");
    let members = group(&Meeting::File(path.clone()), 2, None);
    let calls: Vec<_> = (0..300)
        .map(|_| members[0].call("worker1", "gate", vec![], 60.0).unwrap())
        .collect();
    let since = Instant::now();
    while AT_GATE.load(Ordering::SeqCst) < 300 {
        assert!(since.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    // A call that waits for a call that waits for a call ..., a hundred deep on each side.
    let deep = members[0].call("worker1", "relay", vec![Value::Int(200)], 20.0);
    let deep = deep.unwrap().wait().unwrap();
    assert_eq!(rushlight_types::repr_text(&deep), "\"there\"");
    assert_eq!(
        same(&members[0], "worker1", Value::Int(1))
            .as_int()
            .unwrap(),
        1
    );
    set_gate(true);
    for call in calls {
        call.wait().unwrap();
    }
    leave(&members);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_value_that_is_not_there_yet_takes_no_thread() {
    let path = meeting_place("later");
    let members = group(&Meeting::File(path.clone()), 2, None);
    let made = members[0].create("worker1", "slow", vec![], -1.0).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| assert!(members[0].fetch(&made, -1.0).is_ok()));
        }
        assert_eq!(
            same(&members[0], "worker1", Value::Int(1))
                .as_int()
                .unwrap(),
            1
        );
    });
    leave(&members);
    std::fs::remove_file(path).unwrap();
}
