//! The client's side of HTTP: one connection, one request, one answer, with [hyper].
//!
//! There is no pool, no retry and no state here. A fetch succeeds or fails with a [`FetchError`]; the supervisors above
//! decide what happens then.
//!
//! [hyper]: https://docs.rs/hyper

use std::error::Error;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::HOST;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The time limit for the service. Far longer than an answer needs, so that only silence exceeds it.
pub const TIME_LIMIT: Duration = Duration::from_millis(250);

/// Why a fetch failed. The deciders of the example tell these apart.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The service was silent. Another attempt would only take as long again.
    #[error("no answer within {TIME_LIMIT:?}")]
    Timeout,
    /// The service answered with something other than `200 OK`.
    #[error("the service says {0}")]
    Status(StatusCode),
    /// No connection could be opened, or it broke.
    #[error("the connection failed: {0}")]
    Connection(String),
    /// The answer cannot be parsed.
    #[error("an invalid answer: {0:?}")]
    Nonsense(String),
}

/// The address of a weather service.
#[derive(Debug, Clone)]
pub struct Service {
    /// `127.0.0.1:8080`
    authority: String,
}

impl Service {
    /// Parses `http://127.0.0.1:8080`. There is no TLS in this example, and no path prefix.
    pub fn parse(url: &str) -> Option<Service> {
        let authority = url.strip_prefix("http://")?.trim_end_matches('/');
        let plain = !authority.is_empty() && !authority.contains(['/', '?', '#', '@', ' ']);
        plain.then(|| {
            let port = if authority.contains(':') { "" } else { ":80" };
            Service { authority: format!("{authority}{port}") }
        })
    }

    /// Gets `target` within [`TIME_LIMIT`].
    pub async fn get(&self, target: &str) -> Result<String, FetchError> {
        timeout(TIME_LIMIT, self.exchange(target)).await.unwrap_or(Err(FetchError::Timeout))
    }

    async fn exchange(&self, target: &str) -> Result<String, FetchError> {
        let stream = TcpStream::connect(&self.authority).await.map_err(broken)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let request = Request::get(target).header(HOST, &self.authority).body(Empty::<Bytes>::new()).map_err(broken)?;

        let answer = async move {
            let response = sender.send_request(request).await.map_err(broken)?;
            let status = response.status();
            let body = response.into_body().collect().await.map_err(broken)?.to_bytes();
            match status {
                StatusCode::OK => Ok(String::from_utf8_lossy(&body).into_owned()),
                other => Err(FetchError::Status(other)),
            }
        };
        // hyper leaves it to its user to drive the connection. The connection is driven here, together with its
        // request, and not in a separate task: dropping the fetch drops the connection too, and nothing keeps running
        // without the supervisor.
        tokio::select! {
            biased;
            answer = answer => answer,
            Err(error) = connection => Err(broken(error)),
        }
    }
}

/// The innermost error names the cause; those around it say "client error".
fn broken(error: impl Error) -> FetchError {
    let mut inner: &dyn Error = &error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    FetchError::Connection(inner.to_string())
}
