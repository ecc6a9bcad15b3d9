//! The agent of a process: it serves the requests of others and sends this process's own.

use crate::codec::{self, Reader, Writer};
use crate::message::{self, LONGEST};
use crate::rendezvous::{self, Group, Meeting, Member};
use parking_lot::{Condvar, Mutex};
use rushlight_runtime::error_text;
use rushlight_types::{
    Callable, Context, ErrorClass, Fault, Future, RRef, Remote, Result, Type, Value, Worker,
};
use std::collections::{HashMap, HashSet, VecDeque};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// What the host program does for its agent.
pub trait Host: Send + Sync {
    /// A function by its qualified name.
    fn function(&self, name: &str) -> Option<Arc<dyn Callable>>;
    /// The surroundings of calls that others ask for.
    fn context(&self) -> Arc<Context>;
    /// A value that only the host knows, as bytes; `None` where it does not.
    fn encode(&self, value: &Value) -> Result<Option<Vec<u8>>>;
    /// The value of such bytes.
    fn decode(&self, bytes: &[u8]) -> Result<Value>;
    /// Called with each reference that leaves the process.
    fn shared(&self, reference: &RRef);
    /// The reference of a value that `owner` keeps.
    fn reference(&self, owner: Worker, key: (u32, u64)) -> RRef;
}

/// How an agent starts.
#[derive(Clone, Debug)]
pub struct Options {
    pub meeting: Meeting,
    pub rank: u32,
    pub world: u32,
    /// Threads that serve requests.
    pub threads: usize,
    /// The limit of a call in seconds; zero for none.
    pub seconds: f64,
}

/// The key of a value that a process keeps for others: who asked for it, and its number there.
type Key = (u32, u64);

/// What the requests of others are.
const CALL: u8 = 0;
const CREATE: u8 = 1;
const FETCH: u8 = 2;
const RELEASE: u8 = 3;
const LEAVE: u8 = 4;

/// One process's part in a group.
pub struct Agent {
    me: Worker,
    members: Vec<Member>,
    secret: String,
    host: Box<dyn Host>,
    seconds: f64,
    links: Mutex<HashMap<u32, Arc<Link>>>,
    /// The values that this process keeps.
    kept: Mutex<HashMap<Key, Arc<Future>>>,
    /// References that went on to others: they are kept until the end.
    shared: Mutex<HashSet<Key>>,
    /// The number of the next request.
    next: AtomicU64,
    /// The number of the next reference; one with the next number stands for its copy here.
    next_key: AtomicU64,
    work: Queue,
    /// Those who have said that they leave, with where to answer them; only the first process asks.
    leaving: Mutex<Vec<(u32, Answer)>>,
    stopped: AtomicBool,
    address: std::net::SocketAddr,
    itself: Weak<Agent>,
}

/// Requests that wait for a thread.
#[derive(Default)]
struct Queue {
    tasks: Mutex<VecDeque<Task>>,
    ready: Condvar,
}

type Task = Box<dyn FnOnce() + Send>;

/// A connection to a worker: requests go out, answers come back.
struct Link {
    stream: Mutex<TcpStream>,
    waiting: Mutex<HashMap<u64, Waiting>>,
}

struct Waiting {
    future: Arc<Future>,
    until: Option<(Instant, f64)>,
}

/// Where a request is answered.
#[derive(Clone)]
struct Answer {
    stream: Arc<Mutex<TcpStream>>,
    number: u64,
}

/// Lets a value go when the last reference of this process does.
struct Release {
    agent: Weak<Agent>,
    owner: u32,
    key: Key,
}

impl Drop for Release {
    fn drop(&mut self) {
        if let Some(agent) = self.agent.upgrade()
            && !agent.shared.lock().contains(&self.key)
        {
            let mut out = Writer::default();
            out.byte(RELEASE);
            write_key(&mut out, self.key);
            // A worker that has gone keeps nothing.
            let _ = agent.send(self.owner, out.0, 0.0);
        }
    }
}

fn write_key(out: &mut Writer, key: Key) {
    out.number(u64::from(key.0));
    out.number(key.1);
}

fn read_key(from: &mut Reader<'_>) -> Result<Key> {
    Ok((from.number()? as u32, from.number()?))
}

/// What went wrong at the other end. Wrong values are told from the rest.
fn read_fault(from: &mut Reader<'_>) -> Result<Fault> {
    let class = match from.byte()? {
        1 => ErrorClass::Value,
        _ => ErrorClass::Runtime,
    };
    Ok(Fault::new(class, from.text()?))
}

fn lost(name: &str) -> Fault {
    Fault::runtime(format!("the connection to worker {name} is lost"))
}

impl Agent {
    /// Meets the group and begins to serve it.
    pub fn start(
        name: &str,
        options: &Options,
        host: impl FnOnce(Weak<Agent>) -> Box<dyn Host>,
    ) -> Result<Arc<Agent>> {
        let (rank, world) = (options.rank, options.world);
        // The meeting may take longer than a call: processes start at different times.
        let seconds = if options.seconds > 0.0 {
            options.seconds.max(60.0)
        } else {
            3600.0
        };
        let group = rendezvous::meet(&options.meeting, name, rank, world, seconds)?;
        let secret = group.secret().to_string();
        let Group { members, listener } = group;
        let agent = Arc::new_cyclic(|itself| Agent {
            me: Worker {
                id: rank,
                name: name.into(),
            },
            secret,
            host: host(itself.clone()),
            seconds: options.seconds,
            links: Mutex::default(),
            kept: Mutex::default(),
            shared: Mutex::default(),
            next: AtomicU64::new(0),
            next_key: AtomicU64::new(0),
            work: Queue::default(),
            leaving: Mutex::default(),
            stopped: AtomicBool::new(false),
            address: members[rank as usize].address,
            members,
            itself: itself.clone(),
        });
        for _ in 0..options.threads.clamp(1, 256) {
            let agent = agent.clone();
            thread::spawn(move || agent.serve());
        }
        let door = agent.clone();
        thread::spawn(move || door.listen(&listener));
        let clock = agent.clone();
        thread::spawn(move || clock.watch());
        Ok(agent)
    }

    /// Every worker, in order of rank.
    pub fn workers(&self) -> Vec<Worker> {
        let all = self.members.iter().map(|m| Worker {
            id: m.rank,
            name: m.name.as_str().into(),
        });
        all.collect()
    }

    /// Waits until every process of the group wants to leave, and leaves.
    pub fn leave(&self) -> Result<()> {
        let mut out = Writer::default();
        out.byte(LEAVE);
        out.number(u64::from(self.me.id));
        let result = self.send(0, out.0, 0.0).and_then(|future| future.wait());
        self.stop();
        result.map(drop)
    }

    /// Stops at once.
    pub fn stop(&self) {
        if self.stopped.swap(true, Ordering::SeqCst) {
            return;
        }
        // Whoever listens looks up.
        let _ = TcpStream::connect(self.address);
        self.work.ready.notify_all();
        for (_, link) in self.links.lock().drain() {
            let _ = link.stream.lock().shutdown(Shutdown::Both);
        }
        self.kept.lock().clear();
    }

    /// Keeps a value of this process for others.
    pub fn keep(&self, value: Value) -> RRef {
        let key = (self.me.id, self.next_key.fetch_add(2, Ordering::Relaxed));
        let future = Future::ready(Type::Any, value);
        self.kept.lock().insert(key, future.clone());
        RRef {
            owner: self.me.clone(),
            key,
            ty: Type::Any,
            local: Some(future),
            handle: None,
        }
    }

    /// See [`Host::shared`].
    pub fn note_shared(&self, reference: &RRef) {
        self.shared.lock().insert(reference.key);
    }

    /// See [`Host::reference`].
    pub fn reference(&self, owner: Worker, key: Key) -> RRef {
        let own = owner.id == self.me.id;
        let local = own.then(|| self.kept.lock().get(&key).cloned()).flatten();
        RRef {
            owner,
            key,
            ty: Type::Any,
            local,
            handle: None,
        }
    }

    /// The worker of a name.
    pub fn find(&self, name: &str) -> Result<Worker> {
        let found = self.workers().into_iter().find(|w| *w.name == *name);
        found.ok_or_else(|| {
            Fault::runtime(format!(
                "name:{},rank:{} could not find destination name {name}",
                self.me.name, self.me.id
            ))
        })
    }

    /// Takes connections.
    fn listen(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.stopped.load(Ordering::SeqCst) {
                return;
            }
            let Ok(stream) = stream else { continue };
            let agent = self.clone();
            thread::spawn(move || agent.receive(stream));
        }
    }

    /// Takes the requests of one connection, which must first show the secret.
    fn receive(self: Arc<Self>, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
        let shown = message::receive(&mut stream, 1 << 10).unwrap_or_default();
        if shown != self.secret.as_bytes() {
            return;
        }
        let _ = stream.set_read_timeout(None);
        let Ok(back) = stream.try_clone() else { return };
        let back = Arc::new(Mutex::new(back));
        while let Ok(body) = message::receive(&mut stream, LONGEST) {
            let mut from = Reader(&body);
            let Ok(number) = from.number() else { return };
            let answer = Answer {
                stream: back.clone(),
                number,
            };
            let request = from.0.to_vec();
            // A value that is asked for right after it must be known, whoever serves what.
            if from.byte().is_ok_and(|kind| kind == CREATE)
                && let Ok(key) = read_key(&mut from)
            {
                self.kept.lock().insert(key, Future::new(Type::Any));
            }
            let agent = self.clone();
            self.work
                .tasks
                .lock()
                .push_back(Box::new(move || agent.handle(&request, answer)));
            self.work.ready.notify_one();
        }
    }

    /// A thread that serves requests.
    fn serve(self: Arc<Self>) {
        loop {
            let task = {
                let mut tasks = self.work.tasks.lock();
                loop {
                    if let Some(task) = tasks.pop_front() {
                        break task;
                    }
                    if self.stopped.load(Ordering::SeqCst) {
                        return;
                    }
                    self.work.ready.wait(&mut tasks);
                }
            };
            task();
        }
    }

    /// Ends calls that take too long.
    fn watch(self: Arc<Self>) {
        while !self.stopped.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(20));
            let now = Instant::now();
            let links: Vec<Arc<Link>> = self.links.lock().values().cloned().collect();
            for link in links {
                let mut late = Vec::new();
                link.waiting.lock().retain(|_, waiting| {
                    let over = waiting.until.is_some_and(|(until, _)| until < now);
                    if over {
                        let seconds = waiting.until.map_or(0.0, |(_, s)| s);
                        late.push((waiting.future.clone(), seconds));
                    }
                    !over
                });
                for (future, seconds) in late {
                    let _ = future.complete(Err(Fault::runtime(format!(
                        "RPCErr:1:RPC ran for more than set timeout ({} ms) and will now be marked with an error",
                        (seconds * 1e3) as u64
                    ))));
                }
            }
        }
    }

    /// Does what a request asks for and answers it.
    fn handle(self: Arc<Self>, request: &[u8], answer: Answer) {
        let mut from = Reader(request);
        if request.first() == Some(&LEAVE) {
            from.0 = &request[1..];
            if let Ok(rank) = from.number() {
                self.somebody_leaves(rank as u32, answer);
            }
            return;
        }
        let result = self.perform(&mut from);
        self.answer(&answer, &result);
    }

    fn perform(&self, from: &mut Reader<'_>) -> Result<Value> {
        let host = &*self.host;
        match from.byte()? {
            CALL => {
                let name = from.text()?;
                let arguments = codec::read(from, host, 0)?;
                self.run(name, arguments)
            }
            CREATE => {
                let key = read_key(from)?;
                let name = from.text()?;
                let arguments = codec::read(from, host, 0)?;
                let kept = self.kept.lock().get(&key).cloned();
                let result = self.run(name, arguments);
                let outcome = result.as_ref().map(|_| Value::None).map_err(Clone::clone);
                // Who asked for the value may have let it go already.
                if let Some(future) = kept {
                    future.complete(result)?;
                }
                outcome
            }
            FETCH => {
                let key = read_key(from)?;
                let kept = self.kept.lock().get(&key).cloned();
                kept.ok_or_else(|| Fault::runtime("the referenced value is gone"))?
                    .wait()
            }
            RELEASE => {
                let key = read_key(from)?;
                if !self.shared.lock().contains(&key) {
                    self.kept.lock().remove(&key);
                }
                Ok(Value::None)
            }
            _ => Err(Fault::runtime("a request of an unknown kind")),
        }
    }

    fn run(&self, name: &str, arguments: Value) -> Result<Value> {
        let Value::Tuple(arguments) = arguments else {
            return Err(Fault::runtime("a request without arguments"));
        };
        let shown = name.strip_prefix("__torch__.").unwrap_or(name);
        let function = self.host.function(name).ok_or_else(|| {
            Fault::runtime(format!("attempted to get undefined function {shown}"))
        })?;
        let context = self.host.context();
        let schema = function.schema();
        let mut arguments = arguments.items.to_vec();
        for missing in schema.arguments.iter().skip(arguments.len()) {
            arguments.extend(missing.repeated_default());
        }
        // A panic of ours must not leave the caller waiting.
        let call = std::panic::AssertUnwindSafe(|| function.invoke(&context, arguments));
        std::panic::catch_unwind(call)
            .unwrap_or_else(|_| Err(Fault::internal(format!("{shown} has panicked"))))
    }

    fn answer(&self, answer: &Answer, result: &Result<Value>) {
        let mut out = Writer::default();
        out.number(answer.number);
        let written = match result {
            Ok(value) => {
                out.byte(1);
                codec::write(&mut out, value, &*self.host, 0)
            }
            Err(fault) => Err(fault.clone()),
        };
        if let Err(fault) = written {
            out = Writer::default();
            out.number(answer.number);
            out.byte(0);
            out.byte(u8::from(
                fault.class() == ErrorClass::Value && fault.trace().is_none(),
            ));
            out.text(&error_text(&fault));
        }
        // A caller that has gone needs no answer.
        let _ = message::send(&mut *answer.stream.lock(), &out.0);
    }

    /// Answers everybody once the whole group wants to leave.
    fn somebody_leaves(&self, rank: u32, answer: Answer) {
        let mut leaving = self.leaving.lock();
        leaving.retain(|(known, _)| *known != rank);
        leaving.push((rank, answer));
        if leaving.len() == self.members.len() {
            for (_, answer) in leaving.drain(..) {
                self.answer(&answer, &Ok(Value::None));
            }
        }
    }

    /// The connection to a worker, made when it is first needed.
    fn link(&self, to: u32) -> Result<Arc<Link>> {
        let mut links = self.links.lock();
        if let Some(link) = links.get(&to) {
            return Ok(link.clone());
        }
        if self.stopped.load(Ordering::SeqCst) {
            return Err(Fault::runtime("RPC has been shut down"));
        }
        let member = self
            .members
            .get(to as usize)
            .ok_or_else(|| Fault::runtime("there is no such worker"))?;
        let name = member.name.clone();
        let mut stream = TcpStream::connect(member.address).map_err(|_| lost(&name))?;
        let _ = stream.set_nodelay(true);
        message::send(&mut stream, self.secret.as_bytes()).map_err(|_| lost(&name))?;
        let mut back = stream.try_clone().map_err(|_| lost(&name))?;
        let link = Arc::new(Link {
            stream: Mutex::new(stream),
            waiting: Mutex::default(),
        });
        links.insert(to, link.clone());
        let (agent, answers) = (self.itself.clone(), link.clone());
        thread::spawn(move || {
            while let Ok(body) = message::receive(&mut back, LONGEST) {
                let Some(agent) = agent.upgrade() else { break };
                agent.settle(&answers, &body);
            }
            if let Some(agent) = agent.upgrade() {
                agent.links.lock().remove(&to);
            }
            let left: Vec<Waiting> = answers.waiting.lock().drain().map(|(_, w)| w).collect();
            for waiting in left {
                let _ = waiting.future.complete(Err(lost(&name)));
            }
        });
        Ok(link)
    }

    /// Gives an answer to who waits for it.
    fn settle(&self, link: &Link, body: &[u8]) {
        let mut from = Reader(body);
        let Ok(number) = from.number() else { return };
        let Some(waiting) = link.waiting.lock().remove(&number) else {
            return;
        };
        let result = match from.byte() {
            Ok(1) => codec::read(&mut from, &*self.host, 0),
            Ok(_) => Err(read_fault(&mut from).unwrap_or_else(|fault| fault)),
            Err(fault) => Err(fault),
        };
        let _ = waiting.future.complete(result);
    }

    /// Sends a request; the future completes with the answer.
    fn send(&self, to: u32, request: Vec<u8>, seconds: f64) -> Result<Arc<Future>> {
        let link = self.link(to)?;
        let future = Future::new(Type::Any);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let limit = if seconds < 0.0 { self.seconds } else { seconds };
        let until = (limit > 0.0 && limit < 1e9)
            .then(|| (Instant::now() + Duration::from_secs_f64(limit), limit));
        link.waiting.lock().insert(
            number,
            Waiting {
                future: future.clone(),
                until,
            },
        );
        let mut out = Writer::default();
        out.number(number);
        out.0.extend(request);
        let sent = message::send(&mut *link.stream.lock(), &out.0);
        if let Err(error) = sent {
            link.waiting.lock().remove(&number);
            return Err(match error.kind() {
                std::io::ErrorKind::InvalidInput => Fault::runtime(error.to_string()),
                _ => lost(&self.members[to as usize].name),
            });
        }
        Ok(future)
    }

    fn request(&self, head: Writer, function: &str, arguments: Vec<Value>) -> Result<Vec<u8>> {
        let mut out = head;
        out.text(function);
        codec::write(&mut out, &Value::tuple(arguments), &*self.host, 0)?;
        Ok(out.0)
    }
}

impl Remote for Agent {
    fn call(
        &self,
        to: &str,
        function: &str,
        arguments: Vec<Value>,
        seconds: f64,
    ) -> Result<Arc<Future>> {
        let to = self.find(to)?;
        let mut out = Writer::default();
        out.byte(CALL);
        let request = self.request(out, function, arguments)?;
        self.send(to.id, request, seconds)
    }

    fn create(
        &self,
        to: &str,
        function: &str,
        arguments: Vec<Value>,
        seconds: f64,
    ) -> Result<RRef> {
        let owner = self.find(to)?;
        let key = (self.me.id, self.next_key.fetch_add(2, Ordering::Relaxed));
        let mut out = Writer::default();
        out.byte(CREATE);
        write_key(&mut out, key);
        let request = self.request(out, function, arguments)?;
        let id = owner.id;
        let made = self.send(id, request, seconds)?;
        if id == self.me.id {
            made.wait()?;
            return Ok(self.reference(owner, key));
        }
        Ok(RRef {
            owner,
            key,
            ty: Type::Any,
            local: None,
            handle: Some(Arc::new(Release {
                agent: self.itself.clone(),
                owner: id,
                key,
            })),
        })
    }

    fn fetch(&self, reference: &RRef, seconds: f64) -> Result<Value> {
        let mut out = Writer::default();
        out.byte(FETCH);
        write_key(&mut out, reference.key);
        self.send(reference.owner.id, out.0, seconds)?.wait()
    }

    fn me(&self) -> Worker {
        self.me.clone()
    }
}
