//! A web server for tests, on this machine only, with scripted responses.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) path: String,
    /// The first requested byte.
    pub(super) from: Option<usize>,
    pub(super) if_range: Option<String>,
}

/// A response.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    head: String,
    body: Vec<u8>,
}

impl Reply {
    /// The whole file.
    pub(super) fn whole(file: &[u8]) -> Reply {
        Reply { head: format!("200 OK\r\nContent-Length: {}", file.len()), body: file.to_vec() }
    }

    /// The file from a byte on.
    pub(super) fn from(file: &[u8], from: usize) -> Reply {
        let (length, total) = (file.len() - from, file.len());
        let head = format!(
            "206 Partial Content\r\nContent-Length: {length}\r\nContent-Range: bytes {from}-{}/{total}",
            total - 1
        );
        Reply { head, body: file[from..].to_vec() }
    }

    /// A status without content.
    pub(super) fn status(status: &str) -> Reply {
        Reply { head: format!("{status}\r\nContent-Length: 0"), body: Vec::new() }
    }

    /// A response that announces a length and ends.
    pub(super) fn announcing(bytes: u64) -> Reply {
        Reply { head: format!("200 OK\r\nContent-Length: {bytes}"), body: Vec::new() }
    }

    /// Adds a header.
    pub(super) fn with(mut self, header: &str) -> Reply {
        self.head.push_str("\r\n");
        self.head.push_str(header);
        self
    }

    /// Breaks the connection after this many bytes.
    pub(super) fn cut_after(mut self, bytes: usize) -> Reply {
        self.body.truncate(bytes);
        self
    }
}

/// A server that runs until it is dropped.
pub(super) struct Server {
    pub(super) base: String,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    address: std::net::SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server; `answer` receives the number of earlier requests.
    pub(super) fn start(answer: impl Fn(usize, &Request) -> Reply + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (log, stopped) = (Arc::clone(&requests), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let mut stream = stream.unwrap();
                let request = read(&stream);
                let reply = {
                    let mut log = log.lock().unwrap();
                    let reply = answer(log.len(), &request);
                    log.push(request);
                    reply
                };
                // The client may be gone, which is fine.
                let _ = write!(stream, "HTTP/1.1 {}\r\nConnection: close\r\n\r\n", reply.head)
                    .and_then(|()| stream.write_all(&reply.body));
            }
        });
        Server { base: format!("http://{address}/"), requests, stop, address, thread: Some(thread) }
    }

    /// The requests so far.
    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // One more connection wakes it up.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(stream: &TcpStream) -> Request {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut request = Request { path, from: None, if_range: None };
    for line in lines.take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(": ").unwrap();
        match name.to_lowercase().as_str() {
            "range" => {
                request.from = Some(value.strip_prefix("bytes=").unwrap().strip_suffix('-').unwrap().parse().unwrap());
            }
            "if-range" => request.if_range = Some(value.to_owned()),
            _ => {}
        }
    }
    request
}
