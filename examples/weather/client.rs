//! The client's side of HTTP: one connection, one request, one answer, with [hyper].
//!
//! There is no pool, no retry and no state here. A fetch goes well or fails with a [`FetchError`]; what
//! happens then is not decided where it happened, but by the supervisors above.
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

/// How long the service may take. Far above what an answer needs, so that only silence exceeds it.
pub const TIME_LIMIT: Duration = Duration::from_millis(250);

/// Why a fetch failed. The deciders of the example tell these apart.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The service was silent. To try again would only take as long again.
    #[error("no answer within {TIME_LIMIT:?}")]
    Timeout,
    /// It answered with something else than `200 OK`.
    #[error("the service says {0}")]
    Status(StatusCode),
    /// No connection, or one that broke.
    #[error("the connection failed: {0}")]
    Connection(String),
    /// An answer that nobody understands.
    #[error("an answer that makes no sense: {0:?}")]
    Nonsense(String),
}

/// The address of a weather service.
#[derive(Debug, Clone)]
pub struct Service {
    /// `127.0.0.1:8080`
    authority: String,
}

impl Service {
    /// From `http://127.0.0.1:8080`. There is no TLS in this example, and no path in front.
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
        // hyper leaves it to us to drive the connection. It is driven here, beside the request that it
        // carries, and not in a task of its own: what drops the fetch drops the connection too, and
        // nothing is left running behind the back of the supervisor.
        tokio::select! {
            biased;
            answer = answer => answer,
            Err(error) = connection => Err(broken(error)),
        }
    }
}

/// The innermost error says what is wrong; those around it say "client error".
fn broken(error: impl Error) -> FetchError {
    let mut inner: &dyn Error = &error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    FetchError::Connection(inner.to_string())
}
