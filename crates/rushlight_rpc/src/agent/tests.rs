//! An agent on a system that has no thread to give now and then.

use super::{Agent, Host, Options};
use crate::door::Door;
use crate::handshake::{self, Hello, Purpose, Until};
use crate::message;
use crate::pool::tests::{refuse, refuse_after};
use crate::rendezvous::Meeting;
use rushlight_tensor::{Fault, Result};
use rushlight_types::{Callable, Context, RRef, Remote, Value, Worker};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// A host without functions.
struct Empty;

impl Host for Empty {
    fn function(&self, _: &str) -> Option<Arc<dyn Callable>> {
        None
    }

    fn context(&self) -> Arc<Context> {
        Arc::new(Context::silent())
    }

    fn encode(&self, _: &Value) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn decode(&self, _: &[u8]) -> Result<Value> {
        Err(Fault::runtime("nothing"))
    }

    fn shared(&self, _: &RRef) {}

    fn reference(&self, owner: Worker, key: (u32, u64)) -> RRef {
        RRef {
            owner,
            key,
            ty: rushlight_types::Type::Any,
            local: None,
            handle: None,
        }
    }
}

fn alone() -> Result<Arc<Agent>> {
    let options = Options {
        meeting: Meeting::Tcp("127.0.0.1:1".into()),
        rank: 0,
        world: 1,
        secret: None,
        threads: 1,
        seconds: 5.0,
    };
    Agent::start("me", &options, |_| Box::new(Empty))
}

fn missing(agent: &Agent) -> Result<String> {
    let future = agent.call("me", "missing", vec![], -1.0)?;
    Ok(future.wait().unwrap_err().message().to_string())
}

#[test]
fn an_agent_says_when_it_cannot_start() {
    // Each of its four threads in turn.
    for before in 0..4 {
        refuse_after(before);
        let told = alone().err().unwrap().message().to_string();
        assert!(told.contains("no thread"), "{told}");
    }
    refuse(0);
    let agent = alone().unwrap();
    assert!(missing(&agent).unwrap().contains("undefined function"));
    agent.stop();
}

#[test]
fn a_call_without_a_thread_fails_and_the_next_does_not() {
    let agent = alone().unwrap();
    refuse(1);
    let told = missing(&agent).unwrap_err().message().to_string();
    assert!(told.contains("no thread"), "{told}");
    assert!(missing(&agent).unwrap().contains("undefined function"));
    agent.stop();
}

#[test]
fn a_member_without_a_thread_is_served_later() {
    let agent = alone().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut door = Door::new(listener).unwrap();
    let until = Instant::now() + Duration::from_secs(5);
    let key = agent.key.clone();
    let member = thread::spawn(move || {
        let stream = TcpStream::connect(address).unwrap();
        let hello = Hello {
            purpose: Purpose::Calls,
            from: 0,
            to: 0,
        };
        let seals = handshake::call(&stream, hello, &[], || Ok(key), until);
        (stream, seals.ok().unwrap())
    });
    let mut entered = Vec::new();
    while entered.is_empty() {
        entered = door.turn(Duration::from_millis(50), &[], &agent.key);
    }
    let entered = Box::new(entered.pop().unwrap());
    let (stream, mut seals) = member.join().unwrap();
    message::send(
        &mut Until(&stream, until),
        &mut seals.out,
        &[7, 0, 0, 0, 0, 0, 0, 0, 99],
    )
    .unwrap();
    refuse(1);
    let entered = agent.welcome(entered).err().unwrap();
    assert!(agent.welcome(entered).is_ok());
    let answer = message::receive(&mut Until(&stream, until), &mut seals.back, 1000).unwrap();
    assert_eq!(answer[0], 7);
    assert!(String::from_utf8_lossy(&answer).contains("unknown kind"));
    agent.stop();
}
