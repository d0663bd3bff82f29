//! The files of mutual TLS: read when the network is opened, and again when one of them changes.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rustls::client::danger::ServerCertVerifier;
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::sync::watch;
use webpki::EndEntityCert;

use crate::OpenError;
use crate::rights::Granted;
use crate::settings::Files;

/// Tells one state of the files from the next.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp(Vec<Option<(SystemTime, u64)>>);

/// The loaded files.
pub(crate) struct Keys {
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
    servers: Arc<WebPkiServerVerifier>,
    clients: Arc<dyn ClientCertVerifier>,
    /// The rights of this process.
    granted: Granted,
}

/// The certificate that a peer has shown, with its chain.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    chain: Vec<CertificateDer<'static>>,
    /// The name under which this process has connected to the peer; none if the peer has connected.
    server: Option<ServerName<'static>>,
}

/// The files, and what is loaded of them at present.
pub(crate) struct Store {
    files: Files,
    loaded: Mutex<(Stamp, Arc<Keys>)>,
    /// Counts how often other files were loaded.
    changed: watch::Sender<u64>,
}

fn bad(path: &Path, why: impl ToString) -> OpenError {
    OpenError::Certificate { path: path.to_owned(), why: why.to_string() }
}

fn unread(path: &Path, error: PemError, none: &str) -> OpenError {
    match error {
        PemError::Io(error) => bad(path, error),
        PemError::NoItemsFound => bad(path, none),
        error => bad(path, format!("no PEM: {error}")),
    }
}

fn all<T: PemObject>(path: &Path, none: &str) -> Result<Vec<T>, OpenError> {
    let found = T::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match found {
        Ok(found) if found.is_empty() => Err(bad(path, none)),
        Ok(found) => Ok(found),
        Err(error) => Err(unread(path, error, none)),
    }
}

fn rights(certificate: &CertificateDer<'_>) -> Result<Granted, String> {
    let certificate = EndEntityCert::try_from(certificate).map_err(|error| error.to_string())?;
    Granted::read(certificate.valid_uri_names())
}

impl Files {
    fn stamp(&self) -> Stamp {
        let paths = [&self.cert, &self.key, &self.ca].into_iter().chain(&self.revoked);
        let of = |path: &PathBuf| fs::metadata(path).and_then(|of| Ok((of.modified()?, of.len()))).ok();
        Stamp(paths.map(of).collect())
    }

    fn load(&self) -> Result<Keys, OpenError> {
        let none = "no certificate is in it";
        let provider = Arc::new(ring::default_provider());
        let chain: Vec<CertificateDer<'static>> = all(&self.cert, none)?;
        let granted = rights(&chain[0]).map_err(|why| bad(&self.cert, why))?;
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|error| unread(&self.key, error, "no private key is in it"))?;
        CertifiedKey::from_der(chain.clone(), key.clone_key(), &provider)
            .map_err(|error| bad(&self.cert, format!("with the key {}: {error}", self.key.display())))?;
        let mut roots = RootCertStore::empty();
        for certificate in all(&self.ca, none)? {
            roots.add(certificate).map_err(|error| bad(&self.ca, error))?;
        }
        let roots = Arc::new(roots);
        let mut revoked: Vec<CertificateRevocationListDer<'static>> = Vec::new();
        for path in &self.revoked {
            revoked.extend(all(path, "no list of revoked certificates is in it")?);
        }
        // A list of one authority says nothing of certificates of the other one.
        let clients = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone())
            .with_crls(revoked.clone())
            .allow_unknown_revocation_status()
            .build()
            .map_err(|error| bad(self.revoked.first().unwrap_or(&self.ca), error))?;
        let servers = WebPkiServerVerifier::builder_with_provider(roots, provider.clone())
            .with_crls(revoked)
            .allow_unknown_revocation_status()
            .build()
            .map_err(|error| bad(self.revoked.first().unwrap_or(&self.ca), error))?;
        let failed = |error: rustls::Error| bad(&self.cert, error);
        let (server, client) = configs(&provider, &chain, &key, &clients, &servers).map_err(failed)?;
        Ok(Keys { server: Arc::new(server), client: Arc::new(client), servers, clients, granted })
    }
}

/// Each connection is verified as a whole: no session of TLS is taken up again.
fn configs(
    provider: &Arc<CryptoProvider>,
    chain: &[CertificateDer<'static>],
    key: &PrivateKeyDer<'static>,
    clients: &Arc<dyn ClientCertVerifier>,
    servers: &Arc<WebPkiServerVerifier>,
) -> Result<(ServerConfig, ClientConfig), rustls::Error> {
    let versions = &[&rustls::version::TLS13];
    let mut server = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(versions)?
        .with_client_cert_verifier(clients.clone())
        .with_single_cert(chain.to_vec(), key.clone_key())?;
    server.session_storage = Arc::new(NoServerSessionStorage {});
    server.send_tls13_tickets = 0;
    let mut client = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(versions)?
        .with_webpki_verifier(servers.clone())
        .with_client_auth_cert(chain.to_vec(), key.clone_key())?;
    client.resumption = Resumption::disabled();
    Ok((server, client))
}

impl Keys {
    pub(crate) fn server(&self) -> Arc<ServerConfig> {
        self.server.clone()
    }

    pub(crate) fn client(&self) -> Arc<ClientConfig> {
        self.client.clone()
    }

    /// Returns why a certificate that a peer has shown does not hold any more: it has expired, it is revoked, or its
    /// authority is not trusted any more.
    pub(crate) fn check(&self, shown: &Shown) -> Result<(), String> {
        let (first, rest) = shown.chain.split_first().ok_or("it has shown no certificate")?;
        let now = UnixTime::now();
        match &shown.server {
            Some(server) => self.servers.verify_server_cert(first, rest, server, &[], now).map(drop),
            None => self.clients.verify_client_cert(first, rest, now).map(drop),
        }
        .map_err(|error| error.to_string())
    }
}

impl Shown {
    pub(crate) fn new(
        chain: Option<&[CertificateDer<'static>]>,
        server: Option<ServerName<'static>>,
    ) -> Result<(Shown, Granted), String> {
        let chain = chain.unwrap_or_default().to_vec();
        let granted = rights(chain.first().ok_or("it has shown no certificate")?)?;
        Ok((Shown { chain, server }, granted))
    }

    /// Returns the own certificate, without the chain.
    pub(crate) fn certificate(&self) -> Option<&[u8]> {
        self.chain.first().map(AsRef::as_ref)
    }
}

impl Store {
    pub(crate) fn open(files: Files) -> Result<Store, OpenError> {
        let stamp = files.stamp();
        let keys = files.load()?;
        Ok(Store { files, loaded: Mutex::new((stamp, Arc::new(keys))), changed: watch::Sender::new(0) })
    }

    pub(crate) fn keys(&self) -> Arc<Keys> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    pub(crate) fn granted(&self) -> Granted {
        self.keys().granted.clone()
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Loads the files again if one of them has changed. Unusable files are logged once, and the files before stay
    /// in use.
    pub(crate) fn look(&self) {
        let stamp = self.files.stamp();
        if self.loaded.lock().unwrap_or_else(PoisonError::into_inner).0 == stamp {
            return;
        }
        let loaded = self.files.load();
        if self.files.stamp() != stamp {
            return; // the files are being written
        }
        let mut current = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        current.0 = stamp;
        match loaded {
            Ok(keys) => {
                current.1 = Arc::new(keys);
                drop(current);
                tracing::info!(target: "supervise", cert = %self.files.cert.display(), "certificates are read again");
                self.changed.send_modify(|changes| *changes += 1);
            }
            Err(error) => {
                drop(current);
                tracing::error!(target: "supervise", %error, "certificates have changed, and the ones before stay in use");
            }
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("files", &self.files).finish_non_exhaustive()
    }
}
