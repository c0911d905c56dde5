//! Where a store is, as a user names it: a file, or a server by a URL.

use std::path::{Path, PathBuf};

use super::server::{AddressError, ServerAddress};

/// Where a store is.
#[derive(Clone, Debug)]
pub(crate) enum StorePlace {
    /// In a file.
    File(PathBuf),
    /// On a server.
    Server(Box<ServerAddress>),
}

impl StorePlace {
    /// Whether a user means a server by this.
    pub(crate) fn names_server(text: &Path) -> bool {
        let text = text.as_os_str().as_encoded_bytes();
        text.starts_with(b"postgres://") || text.starts_with(b"postgresql://")
    }

    /// The place that a user named.
    pub(crate) fn parse(text: &Path) -> Result<Self, AddressError> {
        if !Self::names_server(text) {
            return Ok(Self::File(text.to_owned()));
        }
        let address = text.to_str().ok_or(AddressError::NotText)?;
        ServerAddress::parse(address).map(|address| Self::Server(Box::new(address)))
    }

    /// The place as it may be printed and kept: without its password.
    pub(crate) fn shown(text: &Path) -> PathBuf {
        if !Self::names_server(text) {
            return text.to_owned();
        }
        let masked = |address: &str| ServerAddress::masked(address);
        PathBuf::from(text.to_str().map_or_else(|| "postgres://***".to_owned(), masked))
    }
}
