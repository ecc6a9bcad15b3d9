//! What the tests of agents share: a host with a few functions, groups on the loopback device, and a member that speaks
//! the protocol by hand.
#![allow(dead_code, reason = "each test file uses its own part")]

use hmac::{Hmac, KeyInit, Mac};
use rushlight_rpc::{Agent, Host, Meeting, Options, Secret};
use rushlight_types::{Callable, Context, Fault, RRef, Remote, Result, Schema, Value, Worker};
use sha2::Sha256;
use std::any::Any;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::thread;
use std::time::Duration;

/// Those who wait at the gate.
pub static AT_GATE: AtomicUsize = AtomicUsize::new(0);
static OPEN: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Opens or shuts the gate.
pub fn set_gate(open: bool) {
    *OPEN.0.lock().unwrap() = open;
    OPEN.1.notify_all();
}

const FUNCTIONS: &[&str] = &["same", "slow", "fail", "panic", "gate", "relay"];

struct Function(&'static str, Weak<Agent>);

impl Callable for Function {
    fn name(&self) -> &str {
        self.0
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::new(Schema::new(self.0, Vec::new(), Vec::new()))
    }

    fn invoke(&self, _: &Context, mut arguments: Vec<Value>) -> Result<Value> {
        match self.0 {
            "same" => Ok(arguments.remove(0)),
            "slow" => {
                thread::sleep(Duration::from_millis(400));
                Ok(Value::None)
            }
            "fail" => Err(Fault::runtime("no good")),
            "gate" => {
                AT_GATE.fetch_add(1, Ordering::SeqCst);
                let mut open = OPEN.0.lock().unwrap();
                while !*open {
                    open = OPEN.1.wait(open).unwrap();
                }
                AT_GATE.fetch_sub(1, Ordering::SeqCst);
                Ok(Value::None)
            }
            "relay" => {
                let left = arguments.remove(0).as_int()?;
                let agent = self.1.upgrade().unwrap();
                let other = format!("worker{}", 1 - agent.me().id);
                match left {
                    0 => Ok(Value::str("there")),
                    _ => agent
                        .call(&other, "relay", vec![Value::Int(left - 1)], -1.0)?
                        .wait(),
                }
            }
            _ => panic!("a function of ours that panics"),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

pub struct Plain(pub Weak<Agent>);

impl Host for Plain {
    fn function(&self, name: &str) -> Option<Arc<dyn Callable>> {
        let name = FUNCTIONS.iter().find(|k| **k == name)?;
        Some(Arc::new(Function(name, self.0.clone())))
    }

    fn context(&self) -> Arc<Context> {
        Arc::new(Context::silent())
    }

    fn encode(&self, _: &Value) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn decode(&self, _: &[u8]) -> Result<Value> {
        Err(Fault::runtime("nothing of that kind"))
    }

    fn shared(&self, reference: &RRef) {
        self.0.upgrade().unwrap().note_shared(reference);
    }

    fn reference(&self, owner: Worker, key: (u32, u64)) -> RRef {
        self.0.upgrade().unwrap().reference(owner, key)
    }
}

pub fn meeting_place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("rushlight_{name}_{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// A port of the loopback device that nobody uses now.
pub fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

pub const SECRET: &[u8] = b"a secret that all members know";

pub fn start(
    meeting: &Meeting,
    rank: u32,
    world: u32,
    secret: Option<&[u8]>,
) -> Result<Arc<Agent>> {
    let options = Options {
        meeting: meeting.clone(),
        rank,
        world,
        secret: secret.map(|bytes| Secret::new(bytes).unwrap()),
        threads: 2,
        seconds: 20.0,
    };
    Agent::start(&format!("worker{rank}"), &options, |agent| {
        Box::new(Plain(agent))
    })
}

/// All members of a group.
pub fn group(meeting: &Meeting, world: u32, secret: Option<&[u8]>) -> Vec<Arc<Agent>> {
    thread::scope(|scope| {
        let members: Vec<_> = (0..world)
            .map(|rank| scope.spawn(move || start(meeting, rank, world, secret).unwrap()))
            .collect();
        members.into_iter().map(|m| m.join().unwrap()).collect()
    })
}

pub fn leave(members: &[Arc<Agent>]) {
    thread::scope(|scope| {
        for member in members {
            scope.spawn(|| member.leave().unwrap());
        }
    });
}

pub fn same(agent: &Agent, to: &str, value: Value) -> Value {
    let future = agent.call(to, "same", vec![value], -1.0).unwrap();
    future.wait().unwrap()
}

fn tag(key: &[u8], purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Hmac::<Sha256>::new_from_slice(key).unwrap();
    for part in [purpose.as_bytes()].iter().chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into_bytes().into()
}

/// What a meeting file says of a rank: its address and its bytes.
pub fn line_of(path: &Path, rank: u32) -> (SocketAddr, [u8; 32]) {
    let text = std::fs::read_to_string(path).unwrap();
    let parts = |line: &str| line.split('\t').map(str::to_string).collect::<Vec<_>>();
    let line = text
        .lines()
        .map(parts)
        .find(|parts| parts[0] == rank.to_string())
        .unwrap();
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&line[2][2 * at..2 * at + 2], 16).unwrap();
    }
    (line[1].parse().unwrap(), bytes)
}

/// The key of the group that met in a file with [`SECRET`].
pub fn group_key(path: &Path) -> [u8; 32] {
    tag(SECRET, "group", &[&line_of(path, 0).1])
}

/// The greeting of a caller.
pub fn greeting(purpose: u8, from: u32, to: u32, nonce: [u8; 32]) -> Vec<u8> {
    let mut bytes = b"RLRPC\x02".to_vec();
    bytes.extend([purpose, 0]);
    bytes.extend(from.to_le_bytes());
    bytes.extend(to.to_le_bytes());
    bytes.extend(nonce);
    bytes
}

/// A member, or who knows as much, with all that it has sent.
pub struct ByHand {
    pub stream: TcpStream,
    pub sent: Vec<u8>,
    key: [u8; 32],
    count: u64,
}

impl ByHand {
    /// Calls an agent with the key of its group; `None` if it refuses.
    pub fn call(address: SocketAddr, key: [u8; 32], from: u32, to: u32) -> Option<ByHand> {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut said = greeting(2, from, to, [(from as u8).wrapping_add(1); 32]);
        let mut sent = said.clone();
        stream.write_all(&said).unwrap();
        let mut nonce = [0; 32];
        stream.read_exact(&mut nonce).ok()?;
        said.extend(nonce);
        let proof = tag(&key, "caller", &[&said]);
        stream.write_all(&proof).unwrap();
        sent.extend(proof);
        let mut verdict = [0; 32];
        stream.read_exact(&mut verdict).ok()?;
        (verdict == tag(&key, "other", &[&said])).then(|| ByHand {
            key: tag(&key, "from caller", &[&said]),
            stream,
            sent,
            count: 0,
        })
    }

    pub fn send(&mut self, body: &[u8]) -> std::io::Result<()> {
        let tag = tag(&self.key, "message", &[&self.count.to_le_bytes(), body]);
        self.count += 1;
        let length = (body.len() as u64).to_le_bytes();
        let bytes = [&length, body, &tag].concat();
        self.sent.extend(&bytes);
        self.stream.write_all(&bytes)
    }
}

/// What a stranger hears until the connection ends, within `limit`; `None` where it does not end.
pub fn hear(stream: &mut TcpStream, limit: Duration) -> Option<Vec<u8>> {
    stream.set_read_timeout(Some(limit)).unwrap();
    let mut heard = Vec::new();
    match stream.read_to_end(&mut heard) {
        Ok(_) => Some(heard),
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Some(heard),
        Err(_) => None,
    }
}
