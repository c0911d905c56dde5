//! How a server is told who asks: by nothing, by a password, or by proof that the password is known.

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::address::{Host, ServerAddress};
use super::error::ServerError;
use super::session::Session;

impl Session {
    /// Introduces the user, and answers what the server asks until it lets them in.
    pub(super) fn introduce(
        &mut self,
        address: &ServerAddress,
        host: &Host,
    ) -> Result<(), ServerError> {
        let mut parameters = vec![
            ("user", address.user.as_str()),
            ("database", address.database.as_str()),
            ("application_name", "whyperf"),
            ("client_encoding", "UTF8"),
        ];
        parameters.extend(address.options.as_deref().map(|options| ("options", options)));
        frontend::startup_message(parameters, &mut self.outgoing)
            .map_err(ServerError::Unreachable)?;
        let password = || {
            address
                .password(host)
                .ok_or_else(|| ServerError::NoPassword { user: address.user.clone() })
        };
        loop {
            match self.answer()? {
                Message::AuthenticationOk => break,
                Message::AuthenticationCleartextPassword => self.tell(password()?.as_bytes())?,
                Message::AuthenticationMd5Password(asked) => {
                    let (user, password) = (address.user.as_bytes(), password()?);
                    self.tell(md5_hash(user, password.as_bytes(), asked.salt()).as_bytes())?;
                }
                Message::AuthenticationSasl(_) => self.prove(&password()?)?,
                Message::ErrorResponse(said) => return Err(super::session::said(&said)),
                Message::NoticeResponse(_) => {}
                _ => return Err(ServerError::UnknownAuthentication),
            }
        }
        self.until_ready(|_| Ok(()))
    }

    fn tell(&mut self, password: &[u8]) -> Result<(), ServerError> {
        frontend::password_message(password, &mut self.outgoing).map_err(ServerError::Unreachable)
    }

    /// Shows that the password is known, without saying it, and has the server show the same.
    fn prove(&mut self, password: &str) -> Result<(), ServerError> {
        let mut scram = ScramSha256::new(password.as_bytes(), ChannelBinding::unsupported());
        let out = &mut self.outgoing;
        frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), out)
            .map_err(ServerError::Unreachable)?;
        loop {
            match self.answer()? {
                Message::AuthenticationSaslContinue(more) => {
                    scram.update(more.data()).map_err(|_| ServerError::Protocol)?;
                    frontend::sasl_response(scram.message(), &mut self.outgoing)
                        .map_err(ServerError::Unreachable)?;
                }
                Message::AuthenticationSaslFinal(last) => {
                    return scram.finish(last.data()).map_err(|_| ServerError::Protocol);
                }
                Message::ErrorResponse(said) => return Err(super::session::said(&said)),
                Message::NoticeResponse(_) => {}
                _ => return Err(ServerError::Protocol),
            }
        }
    }
}
