//! The agent of a process: it serves the requests of others and sends this process's own.

use crate::codec::{self, Reader, Writer};
use crate::door::Door;
use crate::handshake::{self, Entered, Hello, PATIENCE, Purpose, Refusal};
use crate::message::{self, LONGEST, Seal};
use crate::pool::{self, Pool, spawn};
use crate::rendezvous::{self, Group, Meeting, Member};
use crate::secret::{Key as GroupKey, Secret};
use parking_lot::Mutex;
use rushlight_runtime::error_text;
use rushlight_types::{
    Callable, Context, ErrorClass, Fault, Future, RRef, Remote, Result, Type, Value, Worker,
};
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// What the host program does for its agent.
pub trait Host: Send + Sync {
    /// A function by its qualified name.
    fn function(&self, name: &str) -> Option<Arc<dyn Callable>>;
    /// The context of calls that others ask for.
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
    /// What the members of the group know and others do not. Without it the group must be on one machine, where its
    /// processes find one that no other user can read.
    pub secret: Option<Secret>,
    /// Threads that serve requests. When all are busy for more than a moment, more start: 1024 at most, after which 8192
    /// requests may wait; those that come then are answered by an error.
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
    key: GroupKey,
    host: Box<dyn Host>,
    seconds: f64,
    /// The connections to the others, by rank; each lock is held while its connection is made.
    links: Vec<Mutex<Option<Arc<Link>>>>,
    /// The connections from the others, by rank: one each, with a number of its own.
    callers: Mutex<HashMap<u32, (u64, TcpStream)>>,
    /// The values that this process keeps.
    kept: Mutex<HashMap<Key, Arc<Future>>>,
    /// References that went on to others: they are kept until the end.
    shared: Mutex<HashSet<Key>>,
    /// The number of the next request.
    next: AtomicU64,
    /// The number of the next reference; one with the next number stands for its copy here.
    next_key: AtomicU64,
    work: Arc<Pool>,
    /// Those who have said that they leave, with where to answer them; only the first process asks.
    leaving: Mutex<Vec<(u32, Answer)>>,
    stopped: AtomicBool,
    itself: Weak<Agent>,
}

/// A connection to a worker: requests go out, answers come back.
struct Link {
    out: Mutex<Sealed>,
    waiting: Mutex<HashMap<u64, Waiting>>,
}

/// One way out.
struct Sealed {
    stream: TcpStream,
    seal: Seal,
}

impl Sealed {
    /// A message that goes out in part ends the connection, for nothing can follow it.
    fn send(&mut self, body: &[u8]) -> std::io::Result<()> {
        let sent = message::send(&mut self.stream, &mut self.seal, body);
        if let Err(error) = &sent
            && error.kind() != ErrorKind::InvalidInput
        {
            let _ = self.stream.shutdown(Shutdown::Both);
        }
        sent
    }
}

struct Waiting {
    future: Arc<Future>,
    until: Option<(Instant, f64)>,
}

/// Where a request is answered.
#[derive(Clone)]
struct Answer {
    out: Arc<Mutex<Sealed>>,
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
            // A worker that has gone keeps nothing.
            let link = agent.links[self.owner as usize].lock().clone();
            if let Some(link) = link {
                let mut out = Writer::default();
                out.byte(RELEASE);
                write_key(&mut out, self.key);
                let _ = agent.send_on(&link, self.owner, &out.0, 0.0);
            }
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

fn no_thread(error: &std::io::Error) -> Fault {
    Fault::runtime(format!(
        "the system has no thread for remote calls: {error}"
    ))
}

/// How often those look up who wait for others.
const BEAT: Duration = Duration::from_millis(20);

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
        let secret = options.secret.as_ref();
        let group = rendezvous::meet(&options.meeting, name, rank, world, secret, seconds)?;
        let Group {
            members,
            listener,
            key,
        } = group;
        let door = Door::new(listener)
            .map_err(|error| Fault::runtime(format!("cannot listen for other workers: {error}")))?;
        let work = Pool::new(options.threads).map_err(|error| no_thread(&error))?;
        let agent = Arc::new_cyclic(|itself| Agent {
            me: Worker {
                id: rank,
                name: name.into(),
            },
            key,
            host: host(itself.clone()),
            seconds: options.seconds,
            links: members.iter().map(|_| Mutex::default()).collect(),
            callers: Mutex::default(),
            kept: Mutex::default(),
            shared: Mutex::default(),
            next: AtomicU64::new(0),
            next_key: AtomicU64::new(0),
            work,
            leaving: Mutex::default(),
            stopped: AtomicBool::new(false),
            members,
            itself: itself.clone(),
        });
        let (porter, clock, tender) = (agent.clone(), agent.clone(), agent.clone());
        let started = spawn("rpc-door", move || porter.listen(door))
            .and_then(|()| spawn("rpc-clock", move || clock.watch()))
            .and_then(|()| spawn("rpc-pool", move || tender.tend()));
        started.map_err(|error| {
            agent.stop();
            no_thread(&error)
        })?;
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
        self.work.stop();
        for place in &self.links {
            // A connection that is being made is not used any more.
            if let Some(link) = place.try_lock().and_then(|mut link| link.take()) {
                let _ = link.out.lock().stream.shutdown(Shutdown::Both);
            }
        }
        // What was answered still goes out.
        for (_, (_, stream)) in self.callers.lock().drain() {
            let _ = stream.shutdown(Shutdown::Read);
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

    /// Serves the door: strangers cost no thread here, members get one.
    fn listen(self: Arc<Self>, mut door: Door) {
        let mut unserved: Vec<(Instant, Box<Entered>)> = Vec::new();
        while !self.stopped.load(Ordering::SeqCst) {
            let longest = if unserved.is_empty() { 5 * BEAT } else { BEAT };
            for entered in door.turn(longest, &[], &self.key) {
                let Hello { purpose, from, to } = entered.hello;
                let known = from < self.members.len() as u32 && to == self.me.id;
                if purpose == Purpose::Calls && known {
                    unserved.retain(|(_, other)| other.hello.from != from);
                    unserved.push((Instant::now() + 2 * PATIENCE, Box::new(entered)));
                }
            }
            let waiting = std::mem::take(&mut unserved);
            for (until, entered) in waiting {
                if let Err(entered) = self.welcome(entered)
                    && Instant::now() < until
                {
                    unserved.push((until, entered));
                }
            }
        }
    }

    /// Serves a member, whose earlier connection ends; gives it back where there is no thread for it now.
    fn welcome(self: &Arc<Self>, entered: Box<Entered>) -> std::result::Result<(), Box<Entered>> {
        let place = Arc::new(Mutex::new(Some(entered)));
        let (agent, taken) = (self.clone(), place.clone());
        // Members are welcomed in the order in which they came, whichever thread runs first.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let started = spawn("rpc-member", move || {
            let entered = taken.lock().take();
            if let Some(entered) = entered {
                agent.receive(*entered, number);
            }
        });
        match started {
            Ok(()) => Ok(()),
            Err(_) => place.lock().take().map_or(Ok(()), Err),
        }
    }

    /// Takes the requests of a member.
    fn receive(self: Arc<Self>, entered: Entered, number: u64) {
        let Entered {
            mut stream,
            hello,
            mut seals,
            ..
        } = entered;
        let streams = stream.set_nonblocking(false);
        let streams = streams.and_then(|()| Ok((stream.try_clone()?, stream.try_clone()?)));
        let Ok((out, known)) = streams else { return };
        let rank = hello.from;
        let earlier = {
            let mut callers = self.callers.lock();
            match callers.get(&rank) {
                // The member has come anew meanwhile.
                Some((newer, _)) if *newer > number => return,
                _ => callers.insert(rank, (number, known)),
            }
        };
        if let Some((_, earlier)) = earlier {
            let _ = earlier.shutdown(Shutdown::Both);
        }
        let out = Arc::new(Mutex::new(Sealed {
            stream: out,
            seal: seals.out,
        }));
        let ended = loop {
            if self.stopped.load(Ordering::SeqCst) {
                break ErrorKind::UnexpectedEof;
            }
            let body = match message::receive(&mut stream, &mut seals.back, LONGEST) {
                Ok(body) => body,
                Err(error) => break error.kind(),
            };
            if self.accept(rank, body, &out).is_err() {
                break ErrorKind::InvalidData;
            }
        };
        // Who has only said its last may still hear answers.
        if ended != ErrorKind::UnexpectedEof {
            let _ = stream.shutdown(Shutdown::Both);
        }
        let mut callers = self.callers.lock();
        if callers
            .get(&rank)
            .is_some_and(|(known, _)| *known == number)
        {
            callers.remove(&rank);
        }
    }

    /// Hands one request of a member to the threads that serve.
    fn accept(self: &Arc<Self>, by: u32, body: Vec<u8>, out: &Arc<Mutex<Sealed>>) -> Result<()> {
        let mut from = Reader(&body);
        let answer = Answer {
            number: from.number()?,
            out: out.clone(),
        };
        let start = body.len() - from.0.len();
        // A value that is asked for right after it must be known, whoever serves what.
        let mut made = None;
        if from.byte().is_ok_and(|kind| kind == CREATE)
            && let Ok(key) = read_key(&mut from)
            && key.0 == by
        {
            let future = Future::new(Type::Any);
            self.kept.lock().insert(key, future.clone());
            made = Some(future);
        }
        let (agent, back) = (self.clone(), answer.clone());
        let task = Box::new(move || agent.handle(by, &body[start..], &back));
        if let Err(busy) = self.work.push(task) {
            let fault = self.too_busy(busy);
            if let Some(future) = made {
                let _ = future.complete(Err(fault.clone()));
            }
            self.answer(&answer, &Err(fault));
        }
        Ok(())
    }

    #[cold]
    fn too_busy(&self, busy: pool::Busy) -> Fault {
        Fault::runtime(format!(
            "worker {} has too much to do: {} calls run and {} wait",
            self.me.name, busy.run, busy.wait
        ))
    }

    /// Has enough threads for the requests.
    fn tend(self: Arc<Self>) {
        while !self.stopped.load(Ordering::SeqCst) {
            self.work.tend(BEAT);
        }
    }

    /// Ends calls that take too long.
    fn watch(self: Arc<Self>) {
        while !self.stopped.load(Ordering::SeqCst) {
            thread::sleep(BEAT);
            let now = Instant::now();
            // A connection that is being made has no calls yet.
            let links = self.links.iter().filter_map(|place| place.try_lock());
            let links: Vec<Arc<Link>> = links.filter_map(|link| link.clone()).collect();
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

    /// Does what a request of a member asks for and answers it.
    fn handle(self: Arc<Self>, by: u32, request: &[u8], answer: &Answer) {
        let mut from = Reader(request);
        match from.byte() {
            Ok(LEAVE) => self.somebody_leaves(by, answer.clone()),
            Ok(FETCH) => match self.wanted(&mut from) {
                Ok(future) => {
                    // No thread waits for a value that is not there yet.
                    let (agent, answer) = (self.clone(), answer.clone());
                    future.on_done(Box::new(move |result| agent.answer(&answer, result)));
                }
                Err(fault) => self.answer(answer, &Err(fault)),
            },
            Ok(kind) => {
                let result = self.perform(by, kind, &mut from);
                self.answer(answer, &result);
            }
            Err(fault) => self.answer(answer, &Err(fault)),
        }
    }

    /// The value that a request asks for.
    fn wanted(&self, from: &mut Reader<'_>) -> Result<Arc<Future>> {
        let kept = self.kept.lock().get(&read_key(from)?).cloned();
        kept.ok_or_else(|| Fault::runtime("the referenced value is gone"))
    }

    fn perform(&self, by: u32, kind: u8, from: &mut Reader<'_>) -> Result<Value> {
        let host = &*self.host;
        match kind {
            CALL => {
                let name = from.text()?;
                let arguments = codec::read(from, host, 0)?;
                self.run(name, arguments)
            }
            CREATE => {
                let key = read_key(from)?;
                if key.0 != by {
                    return Err(Fault::runtime("a reference of another worker"));
                }
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
        let _ = answer.out.lock().send(&out.0);
    }

    /// Answers everybody once the whole group wants to leave.
    fn somebody_leaves(&self, rank: u32, answer: Answer) {
        let mut leaving = self.leaving.lock();
        leaving.retain(|(known, _)| *known != rank);
        leaving.push((rank, answer));
        if leaving.len() == self.members.len() {
            // This process may end as soon as it is answered itself.
            rushlight_tensor::order::sort_by_key(&mut leaving, |(rank, _)| *rank == self.me.id);
            for (_, answer) in leaving.drain(..) {
                self.answer(&answer, &Ok(Value::None));
            }
        }
    }

    /// The connection to a worker, made when it is first needed.
    fn link(&self, to: u32) -> Result<Arc<Link>> {
        let no_such = || Fault::runtime("there is no such worker");
        let place = self.links.get(to as usize).ok_or_else(no_such)?;
        let mut place = place.lock();
        if let Some(link) = &*place {
            return Ok(link.clone());
        }
        if self.stopped.load(Ordering::SeqCst) {
            return Err(Fault::runtime("RPC has been shut down"));
        }
        let member = &self.members[to as usize];
        let name = member.name.clone();
        let (stream, seals) = self.connect(member)?;
        let mut back = stream.try_clone().map_err(|_| lost(&name))?;
        let link = Arc::new(Link {
            out: Mutex::new(Sealed {
                stream,
                seal: seals.out,
            }),
            waiting: Mutex::default(),
        });
        let (agent, answers, mut seal) = (self.itself.clone(), link.clone(), seals.back);
        spawn("rpc-answers", move || {
            while let Ok(body) = message::receive(&mut back, &mut seal, LONGEST) {
                let Some(agent) = agent.upgrade() else { break };
                agent.settle(&answers, &body);
            }
            let _ = back.shutdown(Shutdown::Both);
            if let Some(agent) = agent.upgrade() {
                let mut place = agent.links[to as usize].lock();
                if place.as_ref().is_some_and(|l| Arc::ptr_eq(l, &answers)) {
                    *place = None;
                }
            }
            let left: Vec<Waiting> = answers.waiting.lock().drain().map(|(_, w)| w).collect();
            for waiting in left {
                let _ = waiting.future.complete(Err(lost(&name)));
            }
        })
        .map_err(|error| no_thread(&error))?;
        if self.stopped.load(Ordering::SeqCst) {
            let _ = link.out.lock().stream.shutdown(Shutdown::Both);
        }
        *place = Some(link.clone());
        Ok(link)
    }

    /// Connects to a worker, and shows it that this is one too. Strangers may crowd its door: one attempt is not enough.
    fn connect(&self, member: &Member) -> Result<(TcpStream, handshake::Seals)> {
        let until = Instant::now() + 2 * PATIENCE;
        let hello = Hello {
            purpose: Purpose::Calls,
            from: self.me.id,
            to: member.rank,
        };
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stopped.load(Ordering::SeqCst) {
                return Err(lost(&member.name));
            }
            let stream = match TcpStream::connect_timeout(&member.address, left) {
                Ok(stream) => stream,
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    return Err(lost(&member.name));
                }
                Err(_) => {
                    thread::sleep(BEAT);
                    continue;
                }
            };
            let _ = stream.set_nodelay(true);
            match handshake::call(&stream, hello, &[], || Ok(self.key.clone()), until) {
                Ok(seals) => {
                    handshake::without_limit(&stream).map_err(|_| lost(&member.name))?;
                    return Ok((stream, seals));
                }
                Err(Refusal::Lost(_)) => thread::sleep(BEAT),
                Err(Refusal::Here(fault)) => return Err(fault),
                Err(Refusal::Refused | Refusal::Impostor) => {
                    return Err(Fault::runtime(format!(
                        "whoever listens at {} is not worker {} of this group",
                        member.address, member.name
                    )));
                }
            }
        }
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
        self.send_on(&link, to, &request, seconds)
    }

    fn send_on(&self, link: &Link, to: u32, request: &[u8], seconds: f64) -> Result<Arc<Future>> {
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
        let sent = link.out.lock().send(&out.0);
        if let Err(error) = sent {
            link.waiting.lock().remove(&number);
            return Err(match error.kind() {
                ErrorKind::InvalidInput => Fault::runtime(error.to_string()),
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

#[cfg(test)]
mod tests;
