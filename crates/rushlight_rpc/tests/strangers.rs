//! Strangers at the port of an agent: they hear nothing, cost no thread, and members do not notice them.

mod common;

use common::{
    ByHand, SECRET, greeting, group, group_key, hear, leave, line_of, meeting_place, same, start,
};
use rushlight_rpc::{Agent, Meeting};
use rushlight_types::{Remote, Value};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// Threads of the process are counted: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// A group of three that met in a file; the last member never calls.
struct Three {
    members: Vec<Arc<Agent>>,
    path: PathBuf,
    /// Where worker1 listens.
    address: SocketAddr,
    _alone: MutexGuard<'static, ()>,
}

fn three(name: &str) -> Three {
    let alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let path = meeting_place(name);
    let members = group(&Meeting::File(path.clone()), 3, Some(SECRET));
    let address = line_of(&path, 1).0;
    Three {
        members,
        path,
        address,
        _alone: alone,
    }
}

impl Three {
    fn works(&self) {
        let since = Instant::now();
        for value in 0..20 {
            let back = same(&self.members[0], "worker1", Value::Int(value));
            assert_eq!(back.as_int().unwrap(), value);
        }
        assert!(since.elapsed() < Duration::from_secs(5));
    }

    fn end(self) {
        leave(&self.members);
        std::fs::remove_file(&self.path).unwrap();
    }
}

/// How many threads (`task`) or open files (`fd`) this process has.
#[cfg(target_os = "linux")]
fn count(what: &str) -> usize {
    std::fs::read_dir(format!("/proc/self/{what}"))
        .unwrap()
        .count()
}

#[cfg(not(target_os = "linux"))]
fn count(_: &str) -> usize {
    0
}

#[test]
fn who_says_nothing_or_garbage_is_sent_away() {
    let three = three("garbage");
    three.works();
    let limit = Duration::from_secs(12);
    let mut silent = TcpStream::connect(three.address).unwrap();
    let mut half = TcpStream::connect(three.address).unwrap();
    half.write_all(&greeting(2, 0, 1, [0; 32])[..20]).unwrap();
    let since = Instant::now();
    for garbage in [
        vec![0; 48],
        vec![0xff; 300],
        b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: everything there is\r\n\r\n".to_vec(),
        greeting(3, 0, 1, [0; 32]),
        (4u64 << 30).to_le_bytes().repeat(8),
    ] {
        let mut stranger = TcpStream::connect(three.address).unwrap();
        stranger.write_all(&garbage).unwrap();
        assert_eq!(hear(&mut stranger, limit), Some(Vec::new()));
    }
    assert!(since.elapsed() < Duration::from_secs(4));
    three.works();
    // The others must go when their time is over.
    assert_eq!(hear(&mut silent, limit), Some(Vec::new()));
    assert_eq!(hear(&mut half, limit), Some(Vec::new()));
    assert!(since.elapsed() < limit);
    three.end();
}

#[test]
fn who_does_not_know_the_secret_is_refused() {
    let three = three("claims");
    let limit = Duration::from_secs(5);
    // Whatever it claims, it is refused, and hears no proof of the other end.
    for (purpose, from, to) in [(2, 0, 1), (2, 2, 1), (2, 1, 1), (2, 77, 1), (1, 1, 0)] {
        let mut stranger = TcpStream::connect(three.address).unwrap();
        stranger
            .write_all(&greeting(purpose, from, to, [1; 32]))
            .unwrap();
        let mut nonce = [0; 32];
        stranger.read_exact(&mut nonce).unwrap();
        let mut proof = vec![9; 32];
        if purpose == 1 {
            proof.resize(256 + 32, 9);
        }
        stranger.write_all(&proof).unwrap();
        assert_eq!(hear(&mut stranger, limit), Some(vec![0; 32]));
    }
    let key = group_key(&three.path);
    let wrong = ByHand::call(three.address, [5; 32], 2, 1);
    assert!(wrong.is_none());
    // Who knows the key but is nobody here, or calls somebody else, is not served.
    for (from, to) in [(3, 1), (2, 0), (u32::MAX, 1)] {
        let mut nobody = ByHand::call(three.address, key, from, to).unwrap();
        assert_eq!(hear(&mut nobody.stream, limit), Some(Vec::new()));
    }
    assert!(ByHand::call(three.address, key, 2, 1).is_some());
    three.works();
    three.end();
}

#[test]
fn a_byte_a_second_does_not_stretch_the_time() {
    let three = three("drip");
    let mut stranger = TcpStream::connect(three.address).unwrap();
    let since = Instant::now();
    let hello = greeting(2, 0, 1, [3; 32]);
    let gone = hello.iter().take(12).find(|byte| {
        let sent = stranger.write_all(&[**byte]);
        sent.is_err() || hear(&mut stranger, Duration::from_secs(1)).is_some()
    });
    assert!(gone.is_some());
    assert!(since.elapsed() < Duration::from_secs(11));
    three.works();
    three.end();
}

#[test]
fn a_recorded_handshake_is_worth_nothing() {
    let three = three("replay");
    let key = group_key(&three.path);
    let mut member = ByHand::call(three.address, key, 2, 1).unwrap();
    // A request that is answered by an error: the answer shows that it was heard.
    member.send(&[1, 0, 0, 0, 0, 0, 0, 0, 99]).unwrap();
    let mut heard = [0; 8];
    member.stream.read_exact(&mut heard).unwrap();
    let mut stranger = TcpStream::connect(three.address).unwrap();
    stranger.write_all(&member.sent).unwrap();
    let heard = hear(&mut stranger, Duration::from_secs(5)).unwrap();
    // A new number and the refusal, or less where the end came over what was not read.
    assert!(heard.len() <= 64);
    assert!(heard.iter().skip(32).all(|byte| *byte == 0));
    // The recorded connection goes on.
    member.send(&[2, 0, 0, 0, 0, 0, 0, 0, 99]).unwrap();
    // A message of it, repeated, ends it.
    let last = member.sent[member.sent.len() - 49..].to_vec();
    member.stream.write_all(&last).unwrap();
    assert!(hear(&mut member.stream, Duration::from_secs(5)).is_some());
    three.works();
    three.end();
}

#[test]
fn nonsense_of_a_member_is_answered() {
    let three = three("nonsense");
    let key = group_key(&three.path);
    let mut member = ByHand::call(three.address, key, 2, 1).unwrap();
    for kind in 0..=255u8 {
        for tail in [&[][..], &[kind; 40], &[255; 64]] {
            let mut body = vec![1, 0, 0, 0, 0, 0, 0, 0, kind];
            body.extend(tail);
            member.send(&body).unwrap();
        }
    }
    three.works();
    // A body that is announced and does not come takes no memory, and one that is too long ends the connection.
    member
        .stream
        .write_all(&(1u64 << 31).to_le_bytes())
        .unwrap();
    three.works();
    let mut other = ByHand::call(three.address, key, 2, 1).unwrap();
    other.stream.write_all(&(4u64 << 30).to_le_bytes()).unwrap();
    assert!(hear(&mut other.stream, Duration::from_secs(5)).is_some());
    three.works();
    three.end();
}

#[test]
fn a_thousand_strangers_cost_no_thread() {
    let three = three("thousand");
    three.works();
    let before = (count("task"), count("fd"));
    // The limit on open files may be low: some stay, and all that they meet is counted with them.
    let mut strangers = std::collections::VecDeque::new();
    let mut came = 0;
    for at in 0..1000 {
        let Ok(mut stranger) = TcpStream::connect(three.address) else {
            continue;
        };
        if at % 2 == 0 {
            let _ = stranger.write_all(&greeting(2, 0, 1, [7; 32]));
        }
        strangers.push_back(stranger);
        came += 1;
        if strangers.len() > 300 {
            strangers.pop_front();
        }
        if at % 100 == 99 {
            // A few come and go with the calls of members.
            let now = (count("task"), count("fd"));
            assert!(now.0 < before.0 + 10, "{now:?} after {before:?}");
            assert!(
                now.1 < before.1 + strangers.len() + 64 + 20,
                "{now:?} after {before:?}"
            );
            three.works();
        }
    }
    assert!(came > 900);
    // Members who come now are let in all the same.
    let key = group_key(&three.path);
    assert!((0..10).any(|_| ByHand::call(three.address, key, 2, 1).is_some()));
    three.works();
    three.end();
}

/// Connects without end, saying this and that, until told to stop.
fn pester(address: SocketAddr, stop: &AtomicBool) {
    let mut kept = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        let limit = Duration::from_millis(200);
        if let Ok(mut stranger) = TcpStream::connect_timeout(&address, limit) {
            match kept.len() % 3 {
                0 => drop(stranger.write_all(&greeting(1, 1, 0, [7; 32]))),
                1 => drop(stranger.write_all(b"garbage")),
                _ => {}
            }
            kept.push(stranger);
        }
        if kept.len() > 200 {
            kept.drain(..100);
        }
        thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn a_group_meets_while_strangers_pester() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let place = common::free_address();
    let address: SocketAddr = place.parse().unwrap();
    let meeting = Meeting::Tcp(place);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| pester(address, &stop));
        scope.spawn(|| pester(address, &stop));
        let since = Instant::now();
        let started: Vec<_> = (0..3)
            .map(|rank| {
                let meeting = &meeting;
                scope.spawn(move || start(meeting, rank, 3, Some(SECRET)))
            })
            .collect();
        let members: Vec<_> = started.into_iter().map(|m| m.join().unwrap()).collect();
        let took = since.elapsed();
        stop.store(true, Ordering::SeqCst);
        let members: Vec<Arc<Agent>> = members.into_iter().map(|m| m.unwrap()).collect();
        assert!(took < Duration::from_secs(20), "{took:?}");
        assert_eq!(
            same(&members[2], "worker1", Value::Int(5))
                .as_int()
                .unwrap(),
            5
        );
        leave(&members);
    });
}

#[test]
fn members_call_while_strangers_pester() {
    let three = three("pester");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| pester(three.address, &stop));
        scope.spawn(|| pester(line_of(&three.path, 2).0, &stop));
        thread::sleep(Duration::from_millis(100));
        // New connections are made meanwhile.
        for (from, to) in [
            (0, "worker1"),
            (0, "worker2"),
            (1, "worker2"),
            (2, "worker1"),
        ] {
            let back = three.members[from].call(to, "same", vec![Value::Int(6)], -1.0);
            let back = back.and_then(|future| future.wait());
            assert_eq!(back.unwrap().as_int().unwrap(), 6);
        }
        stop.store(true, Ordering::SeqCst);
    });
    three.end();
}
