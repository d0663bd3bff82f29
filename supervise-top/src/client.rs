//! The client: HTTP/1.1 over TCP or a unix socket, one connection for each request.

use std::fmt;
use std::io;
use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::address::{Address, Place};
use crate::app::Ask;
use crate::sse::{Parser, Told};
use crate::wire::{Info, error_of};

/// The longest time for the connection to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// The time until the head of an answer, and for the whole answer of anything but the stream.
const ANSWER: Duration = Duration::from_secs(15);

/// A console sends something every five seconds.
const SILENCE: Duration = Duration::from_secs(16);

/// The bytes that an answer may have.
const LARGEST: usize = 64 << 20;

/// A token, which shows itself to nobody but the console.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A token of visible ASCII, without the spaces around it.
    ///
    /// # Errors
    ///
    /// Returns a text without the token if it is empty or cannot be sent.
    pub fn new(text: &str) -> Result<Secret, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("the token is empty".to_owned());
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("the token contains characters other than visible ASCII, which no console takes".to_owned());
        }
        Ok(Secret(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The error of a request, with a text for people.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nobody answers.
    #[error("cannot connect to {address}: {}", advice(source))]
    Connect {
        /// The address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// The server did not answer in time.
    #[error("{address} does not answer")]
    Silent {
        /// The address.
        address: String,
    },
    /// A token is needed, or another one.
    #[error("{said}{}", if *.control { "; give it with --control-token-file" } else { "; give it with --token-file, or SUPERVISE_TOKEN" })]
    Token {
        /// The text of the console.
        said: String,
        /// The refusal is about the token for control.
        control: bool,
    },
    /// The console refuses the request.
    #[error("{said}")]
    Refused {
        /// The text of the console, or the status.
        said: String,
    },
    /// The connection broke off.
    #[error("the connection to {address} broke off: {why}")]
    Broken {
        /// The address.
        address: String,
        /// The reason.
        why: String,
    },
    /// The server is something else.
    #[error(
        "{address} is no console of supervise: {why}; give the address of the console, with the path under which it is nested"
    )]
    NoConsole {
        /// The address.
        address: String,
        /// The reason.
        why: String,
    },
}

fn advice(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::ConnectionRefused => "nobody listens there; is the program running?".to_owned(),
        io::ErrorKind::NotFound => "there is no such socket; is the program running?".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "permission denied; only the user of the program and root may connect".to_owned()
        }
        _ => source.to_string(),
    }
}

trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A client of one console.
#[derive(Debug, Clone)]
pub struct Client {
    address: Address,
    look: Option<Secret>,
    control: Option<Secret>,
}

impl Client {
    /// A client with the tokens to look and to act.
    pub fn new(address: Address, look: Option<Secret>, control: Option<Secret>) -> Client {
        Client { address, look, control }
    }

    /// Returns whether a token for control was given.
    pub fn has_control(&self) -> bool {
        self.control.is_some()
    }

    /// Returns whether a token would go to another machine as it is.
    pub fn sends_token_in_the_clear(&self) -> bool {
        (self.look.is_some() || self.control.is_some()) && !self.address.is_local()
    }

    async fn connect(&self) -> Result<Box<dyn Io>, Error> {
        let error = |source| Error::Connect { address: self.address.to_string(), source };
        let connect = async {
            match &self.address.place {
                Place::Tcp(host, port) => {
                    let stream = TcpStream::connect((host.as_str(), *port)).await?;
                    let _ = stream.set_nodelay(true); // an error: requests go out a little later
                    Ok(Box::new(stream) as Box<dyn Io>)
                }
                #[cfg(unix)]
                Place::Unix(path) => Ok(Box::new(tokio::net::UnixStream::connect(path).await?) as Box<dyn Io>),
                #[cfg(not(unix))]
                Place::Unix(_) => Err(io::Error::from(io::ErrorKind::Unsupported)),
            }
        };
        timeout(CONNECT, connect).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(error)
    }

    /// Sends a request, and returns the answer once its head is there.
    async fn send(
        &self,
        method: Method,
        resource: &str,
        token: Option<&Secret>,
        body: String,
    ) -> Result<Response<Incoming>, Error> {
        let broken = |error: hyper::Error| self.broken(&error);
        let stream = self.connect().await?;
        let (mut sender, connection) =
            http1::Builder::new().handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await.map_err(broken)?;
        let mut request = Request::builder()
            .method(method)
            .uri(self.address.uri(resource))
            .header(header::HOST, self.address.host())
            .header(header::USER_AGENT, concat!("supervise-top/", env!("CARGO_PKG_VERSION")));
        if let Some(Secret(token)) = token {
            let mut value = header::HeaderValue::from_str(&format!("Bearer {token}")).expect("visible ASCII");
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| Error::NoConsole {
            address: self.address.to_string(),
            why: format!("the prefix cannot be a path: {error}"),
        })?;
        // Ends with the answer: both halves are dropped then.
        tokio::spawn(connection);
        match timeout(ANSWER, sender.send_request(request)).await {
            Ok(answer) => answer.map_err(broken),
            Err(_) => Err(Error::Silent { address: self.address.to_string() }),
        }
    }

    fn broken(&self, error: &dyn std::error::Error) -> Error {
        let mut why = error.to_string();
        let mut next = error.source();
        while let Some(source) = next {
            why.push_str(&format!(": {source}"));
            next = source.source();
        }
        Error::Broken { address: self.address.to_string(), why }
    }

    /// Returns the body of an answer, or the error in it.
    async fn body(&self, answer: Response<Incoming>) -> Result<String, Error> {
        let status = answer.status();
        let read = timeout(ANSWER, Limited::new(answer.into_body(), LARGEST).collect()).await;
        let body = match read {
            Err(_) => return Err(Error::Silent { address: self.address.to_string() }),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let why = format!("an answer has more than {} MiB", LARGEST >> 20);
                return Err(Error::NoConsole { address: self.address.to_string(), why });
            }
            Ok(Err(error)) => return Err(self.broken(&*error)),
            Ok(Ok(body)) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        };
        if status == StatusCode::OK {
            return Ok(body);
        }
        // A text of the server, with nothing that a terminal obeys: the view cleans it, and `main` does.
        let said = error_of(&body);
        match (status, said) {
            (StatusCode::UNAUTHORIZED, said) => {
                let said = said.unwrap_or_else(|| "the server wants a token".to_owned());
                Err(Error::Token { control: said.contains("control"), said })
            }
            (StatusCode::FORBIDDEN, Some(said)) if said.contains("token for control") => {
                Err(Error::Token { control: true, said })
            }
            (_, Some(said)) => Err(Error::Refused { said }),
            (status, None) => {
                Err(Error::NoConsole { address: self.address.to_string(), why: format!("it answers {status}") })
            }
        }
    }

    fn looking(&self) -> Option<&Secret> {
        // The token for control is enough to look.
        self.look.as_ref().or(self.control.as_ref())
    }

    /// Reads a resource.
    ///
    /// # Errors
    ///
    /// Returns the reason why there is no answer, or the error in it.
    pub async fn get(&self, resource: &str) -> Result<String, Error> {
        let answer = self.send(Method::GET, resource, self.looking(), String::new()).await?;
        self.body(answer).await
    }

    /// Reads `info.json`, which needs no token.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get), and [`Error::NoConsole`] if the server is something else.
    pub async fn info(&self) -> Result<Info, Error> {
        // The token goes to nobody before it is known who that is.
        let answer = self.send(Method::GET, "info.json", None, String::new()).await?;
        let body = self.body(answer).await?;
        Info::of(&body).ok_or_else(|| Error::NoConsole {
            address: self.address.to_string(),
            why: "its info.json is something else".to_owned(),
        })
    }

    /// Opens the stream `live`.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn live(&self) -> Result<Stream, Error> {
        let answer = self.send(Method::GET, "live", self.looking(), String::new()).await?;
        if answer.status() != StatusCode::OK {
            return Err(self
                .body(answer)
                .await
                .err()
                .unwrap_or_else(|| Error::Refused { said: "no stream".to_owned() }));
        }
        Ok(Stream { client: self.clone(), body: answer.into_body(), parser: Parser::default() })
    }

    /// Carries out a request of the program.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn ask(&self, ask: &Ask) -> Result<String, Error> {
        match ask {
            Ask::Detail(path) => self.get(&format!("detail.json?path={}", percent(path))).await,
            Ask::Set { path, from, count, state, name, sort } => {
                let mut resource = format!("set.json?path={}&from={from}&count={count}&sort={sort}", percent(path));
                if let Some(state) = state {
                    resource.push_str(&format!("&state={state}"));
                }
                if !name.is_empty() {
                    resource.push_str(&format!("&name={}", percent(name)));
                }
                self.get(&resource).await
            }
            Ask::Control { path, operation, by } => {
                let body =
                    serde_json::json!({ "path": path, "operation": operation.word(), "confirm": path, "by": by });
                let answer = self.send(Method::POST, "control", self.control.as_ref(), body.to_string()).await?;
                self.body(answer).await
            }
        }
    }
}

/// The stream of a console.
#[derive(Debug)]
pub struct Stream {
    client: Client,
    body: Incoming,
    parser: Parser,
}

impl Stream {
    /// Returns the next messages; `None` at the end.
    ///
    /// # Cancel safety
    ///
    /// No message is lost if this future is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Broken`] and [`Error::Silent`], and [`Error::NoConsole`] for a message without end.
    pub async fn next(&mut self) -> Result<Option<Vec<Told>>, Error> {
        loop {
            let address = || self.client.address.to_string();
            let frame = match timeout(SILENCE, self.body.frame()).await {
                Err(_) => return Err(Error::Silent { address: address() }),
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => frame.map_err(|error| self.client.broken(&error))?,
            };
            let Some(bytes) = frame.data_ref() else { continue };
            let told = self.parser.push(bytes);
            let told = told.map_err(|error| Error::NoConsole { address: address(), why: error.to_string() })?;
            if !told.is_empty() {
                return Ok(Some(told));
            }
        }
    }
}

/// Writes a text for a query.
fn percent(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => written.push(char::from(byte)),
            _ => written.push_str(&format!("%{byte:02X}")),
        }
    }
    written
}
