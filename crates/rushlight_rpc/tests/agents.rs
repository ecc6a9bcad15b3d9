//! Two agents of one process call each other over the loopback device.

use rushlight_rpc::{Agent, Host, Meeting, Options};
use rushlight_tensor::Tensor;
use rushlight_types::{
    Callable, Context, Fault, RRef, Remote, Result, Schema, Type, Value, Worker,
};
use std::any::Any;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

struct Function(&'static str);

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
            _ => panic!("a function of ours that panics"),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct Plain(Weak<Agent>);

impl Host for Plain {
    fn function(&self, name: &str) -> Option<Arc<dyn Callable>> {
        let known = ["same", "slow", "fail", "panic"];
        let name = known.into_iter().find(|k| *k == name)?;
        Some(Arc::new(Function(name)))
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

fn meeting_place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("rushlight_{name}_{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn start(meeting: &Meeting, rank: u32) -> Arc<Agent> {
    let options = Options {
        meeting: meeting.clone(),
        rank,
        world: 2,
        threads: 2,
        seconds: 5.0,
    };
    Agent::start(&format!("worker{rank}"), &options, |agent| {
        Box::new(Plain(agent))
    })
    .unwrap()
}

fn pair(meeting: &Meeting) -> (Arc<Agent>, Arc<Agent>) {
    thread::scope(|scope| {
        let other = scope.spawn(|| start(meeting, 1));
        (start(meeting, 0), other.join().unwrap())
    })
}

fn leave(a: &Agent, b: &Agent) {
    thread::scope(|scope| {
        scope.spawn(|| a.leave().unwrap());
        b.leave().unwrap();
    });
}

fn same(agent: &Agent, value: Value) -> Value {
    let future = agent.call("worker1", "same", vec![value], -1.0).unwrap();
    future.wait().unwrap()
}

#[test]
fn values_travel_and_come_back() {
    let path = meeting_place("values");
    let (a, b) = pair(&Meeting::File(path.clone()));
    assert_eq!(same(&a, Value::Int(-3)).as_int().unwrap(), -3);
    let tensor = Tensor::from_vec(vec![1.5f32, -2.0, 3.0, 4.0], &[2, 2]).unwrap();
    let back = same(&a, tensor.transpose(0, 1).unwrap().into());
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
        let back = same(&a, value.clone());
        assert_eq!(
            rushlight_types::repr_text(&back),
            rushlight_types::repr_text(&value)
        );
    }
    leave(&a, &b);
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
    leave(&a, &b);
    let _ = std::fs::remove_file(path);
}

#[test]
fn references_are_fetched_from_their_owner() {
    let (a, b) = pair(&Meeting::Tcp("127.0.0.1:29731".into()));
    let made = a
        .create("worker1", "same", vec![Value::Int(7)], -1.0)
        .unwrap();
    assert_eq!(&*made.owner.name, "worker1");
    assert!(made.local.is_none());
    assert_eq!(a.fetch(&made, -1.0).unwrap().as_int().unwrap(), 7);
    // Sent to its owner, the reference is the owner's own.
    let own = same(&a, made.into_value());
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
    leave(&a, &b);
}

#[test]
fn strangers_and_nonsense_do_no_harm() {
    let path = meeting_place("strangers");
    let (a, b) = pair(&Meeting::File(path.clone()));
    let text = std::fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|l| l.starts_with("1\t")).unwrap();
    let address = line.split('\t').nth(1).unwrap();
    let first = text.lines().find(|l| l.starts_with("0\t")).unwrap();
    let secret = first.split('\t').nth(2).unwrap();
    let send = |stream: &mut TcpStream, body: &[u8]| {
        let _ = stream.write_all(&(body.len() as u64).to_le_bytes());
        let _ = stream.write_all(body);
    };
    // Without the secret the connection ends.
    let mut stranger = TcpStream::connect(address).unwrap();
    send(&mut stranger, b"open");
    let mut rest = Vec::new();
    stranger.read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty());
    // With it, nonsense is answered by errors.
    let mut member = TcpStream::connect(address).unwrap();
    send(&mut member, secret.as_bytes());
    for kind in 0..=255u8 {
        if kind == 4 {
            continue;
        }
        for tail in [&[][..], &[kind; 40], &[255; 64]] {
            let mut body = vec![1, 0, 0, 0, 0, 0, 0, 0, kind];
            body.extend(tail);
            send(&mut member, &body);
        }
    }
    member.write_all(&u64::MAX.to_le_bytes()).unwrap();
    assert_eq!(same(&a, Value::Int(1)).as_int().unwrap(), 1);
    leave(&a, &b);
    let _ = std::fs::remove_file(path);
}
