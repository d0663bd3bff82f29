//! The files of mutual TLS, looked at when the network is opened: zenoh reads those of a connection only when it
//! connects, and then tries for ever.

use std::path::{Path, PathBuf};

use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use crate::OpenError;

/// Where certificate, key and the certificates of the authorities of the peers are.
#[derive(Clone, Debug)]
pub(crate) struct Tls {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) ca: PathBuf,
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, OpenError> {
    let found = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match found {
        Ok(found) if found.is_empty() => Err(bad(path, "no certificate is in it")),
        Ok(found) => Ok(found),
        Err(error) => Err(unread(path, error)),
    }
}

fn bad(path: &Path, why: impl ToString) -> OpenError {
    OpenError::Certificate { path: path.to_owned(), why: why.to_string() }
}

fn unread(path: &Path, error: PemError) -> OpenError {
    match error {
        PemError::Io(error) => bad(path, error),
        PemError::NoItemsFound => bad(path, "no private key is in it"),
        error => bad(path, format!("no PEM: {error}")),
    }
}

impl Tls {
    pub(crate) fn check(&self) -> Result<(), OpenError> {
        let chain = certificates(&self.cert)?;
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| unread(&self.key, error))?;
        CertifiedKey::from_der(chain, key, &ring::default_provider())
            .map_err(|error| bad(&self.cert, format!("with the key {}: {error}", self.key.display())))?;
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&self.ca)? {
            roots.add(certificate).map_err(|error| bad(&self.ca, error))?;
        }
        Ok(())
    }
}
