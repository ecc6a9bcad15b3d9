//! Meetings of groups, of groups with strangers, and of strangers alone.

use super::{Group, Meeting, meet};
use crate::secret::Secret;
use rushlight_tensor::{Fault, Result};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

const SECRET: &[u8] = b"a secret of the tests";

fn secret(bytes: &[u8]) -> Secret {
    Secret::new(bytes).unwrap()
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("rushlight_{name}_{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// Two members, each with its own world and secret.
fn two(meeting: &Meeting, worlds: [u32; 2], secrets: [Option<&Secret>; 2]) -> [Result<Group>; 2] {
    thread::scope(|scope| {
        let other = scope.spawn(|| meet(meeting, "b", 1, worlds[1], secrets[1], 4.0));
        let first = meet(meeting, "a", 0, worlds[0], secrets[0], 4.0);
        [first, other.join().unwrap()]
    })
}

fn agree(groups: &[Result<Group>; 2]) -> bool {
    let [Ok(a), Ok(b)] = groups else { return false };
    a.members == b.members && a.key.tag("x", &[]) == b.key.tag("x", &[])
}

fn message(result: Result<Group>) -> String {
    result
        .err()
        .map_or(String::new(), |fault: Fault| fault.message().to_string())
}

#[test]
fn all_know_the_same_afterwards() {
    let path = file("meeting");
    let both = secret(SECRET);
    for known in [None, Some(&both)] {
        let mut keys = Vec::new();
        for meeting in [
            Meeting::File(path.clone()),
            Meeting::Tcp(free_address()),
            Meeting::Tcp(free_address().replace("127.0.0.1", "localhost")),
        ] {
            let groups = two(&meeting, [2, 2], [known; 2]);
            assert!(agree(&groups), "{meeting:?}");
            let [Ok(group), _] = groups else { return };
            assert_eq!(group.members[1].name, "b");
            keys.push(group.key.tag("x", &[]));
            let _ = std::fs::remove_file(&path);
        }
        // Every group has a key of its own.
        assert!(keys[0] != keys[1] && keys[1] != keys[2]);
    }
}

#[test]
fn other_secrets_and_worlds_are_refused() {
    let (one, other) = (secret(SECRET), secret(b"another secret of the tests"));
    let path = file("differ");
    let tcp = || Meeting::Tcp(free_address());
    let cases = [
        (
            tcp(),
            [2, 2],
            [Some(&one), Some(&other)],
            "their secrets differ",
        ),
        (tcp(), [2, 2], [Some(&one), None], "RUSHLIGHT_RPC_SECRET"),
        (
            tcp(),
            [3, 2],
            [Some(&one); 2],
            "this is a group of 3 workers, not of 2",
        ),
        (
            Meeting::File(path.clone()),
            [2, 2],
            [Some(&one), Some(&other)],
            "1 of 2 workers",
        ),
    ];
    thread::scope(|scope| {
        for (meeting, worlds, secrets, expected) in &cases {
            scope.spawn(move || {
                let [first, second] = two(meeting, *worlds, *secrets);
                let told = message(second);
                assert!(told.contains(expected), "{told}");
                assert!(message(first).contains("Timed out while 1 of"));
            });
        }
    });
    std::fs::remove_file(path).unwrap();
}

#[test]
fn where_other_machines_can_come_a_secret_is_needed() {
    for (place, rank) in [
        ("0.0.0.0:29999", 0),
        ("192.0.2.1:29999", 1),
        ("[::]:29999", 0),
    ] {
        let meeting = Meeting::Tcp(place.into());
        let since = Instant::now();
        let told = message(meet(&meeting, "a", rank, 2, None, 30.0));
        for word in [
            place,
            "RUSHLIGHT_RPC_SECRET ",
            "RUSHLIGHT_RPC_SECRET_FILE",
            "127.0.0.1",
        ] {
            assert!(told.contains(word), "{told}");
        }
        assert!(since.elapsed() < Duration::from_secs(5));
    }
    // With one, the group meets there.
    let address = free_address();
    let port = address.rsplit(':').next().unwrap();
    let both = secret(SECRET);
    let everywhere = Meeting::Tcp(format!("0.0.0.0:{port}"));
    let here = Meeting::Tcp(address.clone());
    let groups = thread::scope(|scope| {
        let other = scope.spawn(|| meet(&here, "b", 1, 2, Some(&both), 5.0));
        let first = meet(&everywhere, "a", 0, 2, Some(&both), 5.0);
        [first, other.join().unwrap()]
    });
    let [Ok(first), Ok(second)] = groups else {
        panic!("they did not meet");
    };
    assert_eq!(first.key.tag("x", &[]), second.key.tag("x", &[]));
    assert!(second.members[0].address.ip().is_loopback());
}

#[test]
fn slow_strangers_do_not_stretch_a_meeting() {
    let address = free_address();
    let meeting = Meeting::Tcp(address.clone());
    thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| {
                let until = Instant::now() + Duration::from_secs(5);
                while Instant::now() < until {
                    let Ok(mut stranger) = TcpStream::connect(&address) else {
                        thread::sleep(Duration::from_millis(20));
                        continue;
                    };
                    while Instant::now() < until && stranger.write_all(b"R").is_ok() {
                        thread::sleep(Duration::from_millis(300));
                    }
                }
            });
        }
        let since = Instant::now();
        let told = message(meet(&meeting, "a", 0, 2, None, 2.0));
        assert_eq!(
            told,
            "Timed out while 1 of 2 workers had come to the meeting"
        );
        assert!(
            since.elapsed() < Duration::from_millis(4000),
            "{:?}",
            since.elapsed()
        );
    });
}

#[test]
fn a_silent_listener_does_not_stretch_a_meeting() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let meeting = Meeting::Tcp(listener.local_addr().unwrap().to_string());
    let since = Instant::now();
    assert!(meet(&meeting, "b", 1, 2, None, 2.0).is_err());
    assert!(since.elapsed() < Duration::from_millis(4000));
}

#[test]
fn whoever_claims_to_be_the_first_must_know_the_secret() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let meeting = Meeting::Tcp(listener.local_addr().unwrap().to_string());
    thread::scope(|scope| {
        scope.spawn(move || {
            // It sends a number and then claims to know, until the member gives up.
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut heard = [0; 48];
                if stream.read_exact(&mut heard).is_err() {
                    return;
                }
                let _ = stream.write_all(&[1; 64]);
                let _ = stream.read(&mut [0; 512]);
                if heard[8] == 9 {
                    return;
                }
            }
        });
        let both = secret(SECRET);
        let told = message(meet(&meeting, "b", 1, 2, Some(&both), 10.0));
        assert!(told.contains("does not know the secret"), "{told}");
        // Without a secret of one's own there is none of this user for that port.
        let told = message(meet(&meeting, "b", 1, 2, None, 10.0));
        assert!(told.contains("no secret for the meeting"), "{told}");
        let Meeting::Tcp(address) = &meeting else {
            return;
        };
        let mut last = TcpStream::connect(address).unwrap();
        last.write_all(&[9; 48]).unwrap();
    });
}

#[test]
fn a_rank_needs_a_secret() {
    let address = free_address();
    let meeting = Meeting::Tcp(address.clone());
    thread::scope(|scope| {
        let first = scope.spawn(|| meet(&meeting, "a", 0, 2, None, 10.0));
        // The stranger is there before the member is.
        let mut stranger = loop {
            if let Ok(stream) = TcpStream::connect(&address) {
                break stream;
            }
            thread::sleep(Duration::from_millis(5));
        };
        let hello = [
            b"RLRPC\x02\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00".as_slice(),
            &[4; 32],
        ];
        stranger.write_all(&hello.concat()).unwrap();
        stranger.read_exact(&mut [0; 32]).unwrap();
        let mut card = b"2\t1\t127.0.0.1:9\tb".to_vec();
        card.resize(256 + 32, 0);
        stranger.write_all(&card).unwrap();
        let mut verdict = Vec::new();
        stranger.read_to_end(&mut verdict).unwrap();
        assert_eq!(verdict, [0; 32]);
        assert!(!first.is_finished());
        let second = meet(&meeting, "b", 1, 2, None, 10.0);
        assert!(agree(&[first.join().unwrap(), second]));
    });
}

#[test]
fn a_member_that_comes_again_takes_its_own_place() {
    let address = free_address();
    let meeting = Meeting::Tcp(address.clone());
    let groups = thread::scope(|scope| {
        let first = scope.spawn(|| meet(&meeting, "a", 0, 3, None, 10.0));
        let again = scope.spawn(|| meet(&meeting, "b", 1, 3, None, 10.0));
        thread::sleep(Duration::from_millis(300));
        let second = scope.spawn(|| meet(&meeting, "b", 1, 3, None, 10.0));
        let told = message(again.join().unwrap());
        assert_eq!(told, "another worker of the rank 1 has come");
        let third = meet(&meeting, "c", 2, 3, None, 10.0);
        assert!(third.is_ok());
        [first.join().unwrap(), second.join().unwrap()]
    });
    assert!(agree(&groups));
}

#[cfg(unix)]
#[test]
fn files_of_others_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let path = file("open");
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let meeting = Meeting::File(path.clone());
    let told = message(meet(&meeting, "a", 0, 2, None, 1.0));
    assert!(told.contains("chmod 600"), "{told}");
    assert_eq!(std::fs::read(&path).unwrap(), b"");
    // A group that brings its secret keeps none in the file; lines of others do not count.
    let both = secret(SECRET);
    let line = format!(
        "1\t127.0.0.1:9\t{}\t{}\tmallory\n",
        "ab".repeat(32),
        "cd".repeat(32)
    );
    std::fs::write(&path, line.repeat(3) + "0\tnonsense\n\n\t\t\t\t\n").unwrap();
    let groups = two(&meeting, [2, 2], [Some(&both); 2]);
    assert!(agree(&groups));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("a secret of the tests"));
    let link = file("link");
    symlink(&path, &link).unwrap();
    assert!(meet(&Meeting::File(link.clone()), "a", 0, 2, Some(&both), 1.0).is_err());
    std::fs::remove_file(link).unwrap();
    std::fs::remove_file(path).unwrap();
    assert!(meet(&Meeting::File(std::env::temp_dir()), "a", 0, 2, None, 1.0).is_err());
}

#[test]
fn names_and_ranks_are_looked_at() {
    let meeting = Meeting::Tcp(free_address());
    for name in ["", "a\tb", "a\nb", "a\0", &"x".repeat(129)] {
        assert!(message(meet(&meeting, name, 0, 1, None, 1.0)).contains("no name for a worker"));
    }
    assert!(message(meet(&meeting, "a", 2, 2, None, 1.0)).contains("cannot have the rank 2"));
}
