//! TLS as libpq has it: what is checked follows from `sslmode`, and by what from `sslrootcert`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme,
};

use super::address::{Encryption, ServerAddress};
use super::error::TlsError;

/// What is checked of a server.
#[derive(Debug)]
struct Check {
    provider: Arc<CryptoProvider>,
    /// Who signs certificates that are trusted; none when any is.
    roots: Option<Arc<WebPkiServerVerifier>>,
    checks_name: bool,
}

/// The certificates that the machine trusts, where systems have them.
const SYSTEM_ROOTS: [&str; 3] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
];

/// One end of a connection to this host.
pub(super) fn client(address: &ServerAddress, host: &str) -> Result<ClientConnection, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = roots(address)?.map(|roots| {
        let builder =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        builder.build().map_err(|error| TlsError::Handshake(Error::General(error.to_string())))
    });
    let roots = roots.transpose()?;
    let checks_name = address.encryption == Encryption::VerifyFull;
    let check = Check { provider: Arc::clone(&provider), roots, checks_name };
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(check));
    let config = match own_certificate(address)? {
        Some((chain, key)) => config.with_client_auth_cert(chain, key)?,
        None => config.with_no_client_auth(),
    };
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|_| TlsError::Name(host.to_owned()))?;
    Ok(ClientConnection::new(Arc::new(config), name)?)
}

/// Who is trusted to sign; none when the mode asks for encryption alone and there is no file.
fn roots(address: &ServerAddress) -> Result<Option<RootCertStore>, TlsError> {
    let asked = matches!(address.encryption, Encryption::VerifyCa | Encryption::VerifyFull);
    let default = address.folder.as_ref().map(|folder| folder.join("root.crt"));
    let file = match &address.root_certificate {
        Some(name) if name.as_os_str() == "system" => {
            let here = SYSTEM_ROOTS.iter().map(PathBuf::from).find(|file| file.exists());
            Some(here.ok_or(TlsError::NoRoot)?)
        }
        Some(file) => Some(file.clone()),
        None => default.filter(|file| file.exists()),
    };
    // As libpq: a file that is there is used, whatever the mode; without one, only what asks for it fails.
    let checks = asked || address.encryption == Encryption::Require;
    let Some(file) = file.filter(|_| checks) else {
        return if asked { Err(TlsError::NoRoot) } else { Ok(None) };
    };
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(certificates(&file)?);
    let none = || io::Error::new(io::ErrorKind::InvalidData, "there is no certificate in it");
    if added == 0 { Err(TlsError::File { path: file, reason: none() }) } else { Ok(Some(roots)) }
}

/// The certificate and the key that say who the user is, where there are any.
fn own_certificate(
    address: &ServerAddress,
) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>, TlsError> {
    let file = |named: &Option<PathBuf>, default: &str| {
        let default = address.folder.as_ref().map(|folder| folder.join(default));
        named.clone().or_else(|| default.filter(|file| file.exists()))
    };
    let Some(chain) = file(&address.certificate, "postgresql.crt") else { return Ok(None) };
    let Some(key) = file(&address.key, "postgresql.key") else { return Ok(None) };
    let read = PrivateKeyDer::from_pem_file(&key);
    let read = read.map_err(|error| TlsError::File {
        path: key,
        reason: io::Error::other(error.to_string()),
    })?;
    Ok(Some((certificates(&chain)?, read)))
}

/// All certificates in a file.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let failed = |error: rustls::pki_types::pem::Error| TlsError::File {
        path: file.to_owned(),
        reason: io::Error::other(error.to_string()),
    };
    CertificateDer::pem_file_iter(file).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}

impl ServerCertVerifier for Check {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(roots) = &self.roots else { return Ok(ServerCertVerified::assertion()) };
        match roots.verify_server_cert(certificate, between, name, ocsp, now) {
            // Who signed it is checked before whose it is.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_name => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
