//! A lease in Kubernetes: a `Lease` of `coordination.k8s.io/v1`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{Acquired, Lease};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use supervise_runtime::Thrown;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::TTL;

/// The most that an answer of the API may have.
const MOST: usize = 1 << 20;

/// A lease in Kubernetes: an object `Lease` of `coordination.k8s.io/v1`, as the controllers of a cluster use it.
///
/// **This type has run on no cluster.** It is tested against a small server that plays the API, with conflicts, delays and
/// errors.
///
/// The API is reached over plain HTTP: `kubectl proxy` as a container of the same pod serves it on `127.0.0.1:8001`, with TLS to
/// the cluster and with the credentials of the pod. If the proxy wants a token of its own, [`token_file`](Self::token_file)
/// names the file that has it.
///
/// The API has no clock. A contender takes the lease over once it has seen the object unchanged for the whole `ttl`, by its
/// own clock; `renewTime` is for people. Two contenders that do so at once meet in `resourceVersion`, and one of them is
/// refused. The token is `leaseTransitions`: it grows with each holding, as long as the object is not deleted. So do not
/// delete it.
///
/// The service account needs the verbs `get`, `create` and `update` of `leases`.
///
/// ```no_run
/// use supervise::prelude::*;
/// use supervise_lease::KubernetesLease;
/// # struct Jobs;
/// # #[actor]
/// # impl Jobs { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { jobs: Jobs = Jobs } }
///
/// # async fn run() -> Result<supervise::inspect::Report, Box<dyn std::error::Error>> {
/// let lease = KubernetesLease::new("127.0.0.1:8001", "default", "jobs", std::env::var("HOSTNAME")?);
/// Ok(Shop::tree().only_with(lease).run(signal()).await?)
/// # }
/// ```
#[derive(Debug)]
pub struct KubernetesLease {
    server: String,
    namespace: String,
    name: String,
    holder: String,
    ttl: Duration,
    token_file: Option<PathBuf>,
    /// The version of the object that was seen last, and since when.
    seen: Mutex<Option<(String, Instant)>>,
}

/// Makes each contender of this process another holder.
static CONTENDERS: AtomicU64 = AtomicU64::new(0);

impl KubernetesLease {
    /// Makes a lease with the object of this name, at the API under this address (`host:port`), with a `ttl` of 15 s.
    /// `holder` is for people, usually the name of the pod; it is made unique. Nothing is connected yet.
    pub fn new(
        server: impl Into<String>,
        namespace: impl Into<String>,
        name: impl Into<String>,
        holder: impl Into<String>,
    ) -> Self {
        let (number, process) = (CONTENDERS.fetch_add(1, Ordering::Relaxed), std::process::id());
        let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        KubernetesLease {
            server: server.into(),
            namespace: namespace.into(),
            name: name.into(),
            holder: format!("{}_{process}-{number}-{begun:x}", holder.into()),
            ttl: TTL,
            token_file: None,
            seen: Mutex::new(None),
        }
    }

    /// Sets the time for which a grant holds, in whole seconds. All contenders need the same.
    pub fn ttl(self, ttl: Duration) -> Self {
        KubernetesLease { ttl: Duration::from_secs(ttl.as_secs().max(1)), ..self }
    }

    /// Sets the file with the bearer token, which is read anew for each call.
    pub fn token_file(self, path: impl Into<PathBuf>) -> Self {
        KubernetesLease { token_file: Some(path.into()), ..self }
    }

    /// Sends a request, and returns the object of the answer. `None`: there is none, or the object has changed meanwhile.
    async fn call(&self, method: Method, object: Option<&Value>) -> Result<Option<Value>, Thrown> {
        let leases = format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.namespace);
        let path = if method == Method::POST { leases } else { format!("{leases}/{}", self.name) };
        let mut request = Request::builder().method(&method).uri(&path).header(HOST, &self.server);
        request = request.header(ACCEPT, "application/json").header(CONTENT_TYPE, "application/json");
        if let Some(file) = &self.token_file {
            let token = std::fs::read_to_string(file)
                .map_err(|error| format!("the token of the API in {}: {error}", file.display()))?;
            request = request.header(AUTHORIZATION, format!("Bearer {}", token.trim()));
        }
        let body = object.map(Value::to_string).unwrap_or_default();
        let request = request.body(Full::new(Bytes::from(body)))?;

        let stream = TcpStream::connect(&self.server).await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let answer = async {
            let answer = sender.send_request(request).await?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), MOST).collect().await?.to_bytes();
            Ok::<_, supervise_runtime::BoxError>((status, body))
        };
        // The connection is polled here and not in a task, so that a dropped call leaves nothing behind.
        let mut connection = std::pin::pin!(connection);
        let mut answer = std::pin::pin!(answer);
        let mut over = false;
        let (status, body) = std::future::poll_fn(|cx| {
            if !over {
                over = connection.as_mut().poll(cx).is_ready(); // its error is returned by the answer too
            }
            answer.as_mut().poll(cx)
        })
        .await?;
        match status {
            StatusCode::OK | StatusCode::CREATED => Ok(Some(serde_json::from_slice(&body)?)),
            StatusCode::NOT_FOUND if method == Method::GET => Ok(None),
            StatusCode::CONFLICT => Ok(None),
            status => {
                let text: String = String::from_utf8_lossy(&body).chars().take(200).collect();
                Err(format!("{method} {path}: {status}: {text}"))?
            }
        }
    }

    /// Returns whether the object has been unchanged for the time of the lease, as far as this contender has seen.
    fn is_stale(&self, version: &str) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &*seen {
            Some((before, since)) if before == version => since.elapsed() >= self.ttl,
            _ => {
                *seen = Some((version.to_owned(), Instant::now()));
                false
            }
        }
    }

    /// Writes the fields of a holding into the object.
    fn fill(&self, object: &mut Value, token: Option<u64>) {
        let now = micro_time(SystemTime::now());
        let spec = &mut object["spec"];
        spec["holderIdentity"] = self.holder.clone().into();
        spec["leaseDurationSeconds"] = self.ttl.as_secs().into();
        spec["renewTime"] = now.clone().into();
        if let Some(token) = token {
            spec["leaseTransitions"] = token.into();
            spec["acquireTime"] = now.into();
        }
    }

    /// Returns the object, if it is held with this token by this contender.
    async fn mine(&self, token: u64) -> Result<Option<Value>, Thrown> {
        let object = self.call(Method::GET, None).await?;
        Ok(object.filter(|object| holder(object) == Some(&self.holder) && transitions(object) == token))
    }
}

impl Lease for KubernetesLease {
    fn name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    fn ttl(&self) -> Duration {
        self.ttl
    }

    async fn acquire(&self) -> Result<Option<Acquired>, Thrown> {
        let Some(mut object) = self.call(Method::GET, None).await? else {
            let mut object = json!({
                "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                "metadata": { "name": self.name, "namespace": self.namespace }, "spec": {},
            });
            self.fill(&mut object, Some(1));
            let made = self.call(Method::POST, Some(&object)).await?;
            return Ok(made.map(|_| Acquired { token: 1, released: false }));
        };
        let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned();
        if version.is_empty() {
            Err("the object has no `resourceVersion`")?;
        }
        let released = holder(&object).is_none();
        if !self.is_stale(&version) && !released {
            return Ok(None);
        }
        let before = transitions(&object);
        let token = before.checked_add(1).ok_or("`leaseTransitions` cannot grow any more")?;
        self.fill(&mut object, Some(token));
        let taken = self.call(Method::PUT, Some(&object)).await?;
        Ok(taken.map(|_| Acquired { token, released: released && before > 0 }))
    }

    async fn renew(&self, token: u64) -> Result<bool, Thrown> {
        // Try again after a conflict: another client may have changed a label, and not the holder.
        for _ in 0..3 {
            let Some(mut object) = self.mine(token).await? else { return Ok(false) };
            self.fill(&mut object, None);
            if self.call(Method::PUT, Some(&object)).await?.is_some() {
                return Ok(true);
            }
        }
        Err("the object changes all the time")?
    }

    async fn release(&self, token: u64) -> Result<(), Thrown> {
        for _ in 0..3 {
            let Some(mut object) = self.mine(token).await? else { return Ok(()) };
            object["spec"]["holderIdentity"] = "".into();
            if self.call(Method::PUT, Some(&object)).await?.is_some() {
                return Ok(());
            }
        }
        Err("the object changes all the time")?
    }
}

fn holder(object: &Value) -> Option<&String> {
    match &object["spec"]["holderIdentity"] {
        Value::String(holder) if !holder.is_empty() => Some(holder),
        _ => None,
    }
}

fn transitions(object: &Value) -> u64 {
    object["spec"]["leaseTransitions"].as_u64().unwrap_or_default()
}

/// Returns a time as Kubernetes writes it: `2026-01-31T09:05:07.000000Z`.
fn micro_time(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (secs, micros) = (since.as_secs(), since.subsec_micros());
    let (mut days, second) = (secs / 86_400, secs % 86_400);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        (days, year) = (days - length, year + 1);
    }
    let mut month = 1;
    for length in [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        (days, month) = (days - length, month + 1);
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_kubernetes_does() {
        let at = |secs| micro_time(UNIX_EPOCH + Duration::from_secs(secs));
        assert_eq!(at(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(at(951_827_696), "2000-02-29T12:34:56.000000Z");
        assert_eq!(at(4_107_542_399), "2100-02-28T23:59:59.000000Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000000Z");
        assert_eq!(at(1_798_761_599), "2026-12-31T23:59:59.000000Z");
    }
}
