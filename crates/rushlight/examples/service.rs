//! A model behind HTTP: every request has limits of its own and can be cancelled.
//!
//!     cargo run --release -p rushlight --example service -- examples/digits/digits.pt 1,28,28
//!     curl --data-binary @image.f32 localhost:8080/forward      # elements as little-endian float32
//!     curl localhost:8080/running                                # numbers of the requests that are running
//!     curl -X DELETE localhost:8080/running/7

use rushlight::{Context, Error, ErrorClass, Limits, Module, Result, Tensor, values};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tiny_http::{Method, Request, Response, Server};

const WORKERS: usize = 4;

struct Service {
    model: Module,
    sizes: Vec<usize>,
    running: Mutex<BTreeMap<u64, Arc<Context>>>,
    next: AtomicU64,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(sizes)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: service MODEL SIZES [ADDRESS]");
        std::process::exit(2);
    };
    let address = arguments.next().unwrap_or("127.0.0.1:8080".to_string());
    let service = Service {
        model: rushlight::Loader::new().eval().load(path)?,
        sizes: sizes.split(',').filter_map(|s| s.parse().ok()).collect(),
        running: Mutex::default(),
        next: AtomicU64::new(1),
    };
    let server = Server::http(&address).map_err(std::io::Error::other)?;
    println!("listening on {address}");
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                for mut request in server.incoming_requests() {
                    let (code, text) = service.answer(&mut request);
                    // A client that has gone needs no answer.
                    let _ = request.respond(Response::from_string(text).with_status_code(code));
                }
            });
        }
    });
    Ok(())
}

impl Service {
    fn answer(&self, request: &mut Request) -> (u16, String) {
        let url = request.url().to_string();
        match (request.method(), url.as_str()) {
            (Method::Post, "/forward") => match self.forward(request.as_reader()) {
                Ok(scores) => (200, format!("{scores:?}\n")),
                Err(error) => (code(&error), format!("{error}\n")),
            },
            (Method::Get, "/running") => {
                let numbers: Vec<u64> = self.running().keys().copied().collect();
                (200, format!("{numbers:?}\n"))
            }
            (Method::Delete, url) => {
                let number = url.strip_prefix("/running/").and_then(|n| n.parse().ok());
                let running = self.running();
                match number.and_then(|number: u64| running.get(&number)) {
                    Some(context) => {
                        context.cancel(true);
                        (200, "cancelled\n".to_string())
                    }
                    None => (404, "no such request is running\n".to_string()),
                }
            }
            _ => (
                404,
                "POST /forward, GET /running, DELETE /running/N\n".to_string(),
            ),
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Arc<Context>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forward(&self, body: &mut dyn Read) -> Result<Vec<f32>> {
        let count: usize = self.sizes.iter().product();
        let mut bytes = Vec::new();
        // One byte more than there should be, so that longer bodies are noticed and not kept.
        body.take(4 * count as u64 + 1).read_to_end(&mut bytes)?;
        let elements = bytes
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        if bytes.len() != 4 * count {
            let told = format!("{count} elements of 4 bytes were expected");
            return Err(rushlight::Fault::value(told).into());
        }
        let input = Tensor::from_vec(elements.collect(), &self.sizes)?;

        let context = Context::silent().shared();
        context.set_limits(Limits {
            millis: 2000,
            bytes: 256 << 20,
            ..Limits::default()
        });
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.running().insert(number, context.clone());
        let result = self.model.with_context(context).forward(&values![input]);
        self.running().remove(&number);
        Ok(result?.as_tensor()?.try_to_vec()?)
    }
}

/// What the client did wrong, or what the service could not do.
fn code(error: &Error) -> u16 {
    match error.kind() {
        rushlight::ErrorKind::Call(ErrorClass::Value) => 400,
        _ => 503,
    }
}
