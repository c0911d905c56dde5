//! What goes over a connection: statements, their parameters, and the rows that come back.
//!
//! Numbers and texts travel as text, which the server reads by the type of the column, and bytes as they are. Of the answers to
//! statements of a transaction only the first mistake is of interest; they are read after so many that neither side waits for the other.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::str;
use std::sync::Arc;

use bytes::{BufMut as _, BytesMut};
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{
    DataRowBody, ErrorResponseBody, Message, ParameterDescriptionBody, RowDescriptionBody,
};
use postgres_protocol::message::frontend;

use super::address::{Encryption, Host, ServerAddress};
use super::copied_row;
use super::error::ServerError;
use super::stream::{Protection, Stream};
use crate::database::problem::Problem;
use crate::database::value::{Parameter, Value};

/// One connection, and what was sent and not answered yet.
pub(super) struct Session {
    stream: Stream,
    incoming: BytesMut,
    pub(super) outgoing: BytesMut,
    prepared: HashMap<String, Arc<PreparedStatement>>,
    /// Statements whose answers were not read yet.
    unanswered: usize,
    /// Whether a statement stands alone, or in a transaction: as the server said last.
    in_transaction: bool,
}

/// A statement that the server has understood.
#[derive(Debug)]
pub(crate) struct PreparedStatement {
    name: String,
    /// The types of its parameters and of the columns of its answer.
    parameters: Vec<u32>,
    columns: Vec<u32>,
}

/// So many statements are sent before their answers are read; those are some 25 bytes each, which any socket holds.
const MOST_UNANSWERED: usize = 500;
/// And so many bytes.
const MOST_UNSENT: usize = 1 << 18;
/// No answer is larger: a server that says so is none.
const MOST_INCOMING: usize = 1 << 30;

const BOOL: u32 = 16;
const BYTEA: u32 = 17;
const INTEGERS: [u32; 4] = [20, 21, 23, 26];
const REALS: [u32; 3] = [700, 701, 1700];

impl Session {
    /// Connects to the first host that lets the user in; why the last one did not.
    pub(super) fn open(address: &ServerAddress) -> Result<Self, ServerError> {
        let mut failed = ServerError::Protocol;
        for host in &address.hosts {
            for protection in protections(address.encryption, host) {
                match Self::open_one(address, host, *protection) {
                    Ok(session) => return Ok(session),
                    Err(error) => failed = error,
                }
            }
        }
        Err(failed)
    }

    fn open_one(
        address: &ServerAddress,
        host: &Host,
        protection: Protection,
    ) -> Result<Self, ServerError> {
        let mut session = Self {
            stream: Stream::open(address, host, protection)?,
            incoming: BytesMut::new(),
            outgoing: BytesMut::new(),
            prepared: HashMap::new(),
            unanswered: 0,
            in_transaction: false,
        };
        session.introduce(address, host)?;
        Ok(session)
    }

    /// A statement by this text, which the server understands once.
    pub(super) fn prepare(&mut self, sql: &str) -> Result<Arc<PreparedStatement>, ServerError> {
        if let Some(known) = self.prepared.get(sql) {
            return Ok(Arc::clone(known));
        }
        let name = format!("s{}", self.prepared.len());
        let out = &mut self.outgoing;
        frontend::parse(&name, sql, [], out).map_err(ServerError::Lost)?;
        frontend::describe(b'S', &name, out).map_err(ServerError::Lost)?;
        frontend::sync(out);
        let (mut parameters, mut columns) = (Vec::new(), Vec::new());
        self.until_ready(|message| {
            match message {
                Message::ParameterDescription(described) => parameters = types_of(described)?,
                Message::RowDescription(described) => columns = columns_of(described)?,
                _ => {}
            }
            Ok(())
        })?;
        let statement = Arc::new(PreparedStatement { name, parameters, columns });
        self.prepared.insert(sql.to_owned(), Arc::clone(&statement));
        Ok(statement)
    }

    /// Carries out a statement; in a transaction its answer comes later.
    pub(super) fn execute(
        &mut self,
        statement: &PreparedStatement,
        parameters: &[&dyn Parameter],
    ) -> Result<(), ServerError> {
        self.send(statement, parameters)?;
        self.unanswered += 1;
        let is_much = self.unanswered >= MOST_UNANSWERED || self.outgoing.len() >= MOST_UNSENT;
        if self.in_transaction && !is_much {
            return Ok(());
        }
        frontend::sync(&mut self.outgoing);
        self.until_ready(|_| Ok(()))
    }

    /// Carries out a statement, and reads each row of its answer.
    pub(super) fn query(
        &mut self,
        statement: &PreparedStatement,
        parameters: &[&dyn Parameter],
        mut read: impl FnMut(&[Value<'_>]),
    ) -> Result<(), ServerError> {
        self.send(statement, parameters)?;
        frontend::sync(&mut self.outgoing);
        self.until_ready(|message| match message {
            Message::DataRow(row) => values_of(&row, &statement.columns, &mut read),
            _ => Ok(()),
        })
    }

    /// Carries out a `COPY … FROM STDIN` of these rows. A server that refuses it passes over what was sent.
    pub(super) fn copy<'v, const COLUMNS: usize>(
        &mut self,
        sql: &str,
        rows: impl Iterator<Item = [Value<'v>; COLUMNS]>,
    ) -> Result<(), ServerError> {
        self.read_unanswered()?;
        frontend::query(sql, &mut self.outgoing).map_err(ServerError::Lost)?;
        let mut lines = BytesMut::new();
        for row in rows {
            copied_row::write(&row, &mut lines);
            if lines.len() >= MOST_UNSENT {
                self.send_copied(&mut lines)?;
            }
        }
        self.send_copied(&mut lines)?;
        frontend::copy_done(&mut self.outgoing);
        self.until_ready(|_| Ok(()))
    }

    fn send_copied(&mut self, lines: &mut BytesMut) -> Result<(), ServerError> {
        let data = frontend::CopyData::new(lines.split()).map_err(ServerError::Lost)?;
        data.write(&mut self.outgoing);
        self.send_all()
    }

    /// Carries out statements without parameters.
    pub(super) fn batch(&mut self, sql: &str) -> Result<(), ServerError> {
        self.read_unanswered()?;
        frontend::query(sql, &mut self.outgoing).map_err(ServerError::Lost)?;
        self.until_ready(|_| Ok(()))
    }

    fn read_unanswered(&mut self) -> Result<(), ServerError> {
        if self.unanswered == 0 {
            return Ok(());
        }
        frontend::sync(&mut self.outgoing);
        self.until_ready(|_| Ok(()))
    }

    fn send(
        &mut self,
        statement: &PreparedStatement,
        parameters: &[&dyn Parameter],
    ) -> Result<(), ServerError> {
        let format = |of: &u32| i16::from(*of == BYTEA);
        let values = parameters.iter().map(|parameter| parameter.value());
        let sent = frontend::bind(
            "",
            &statement.name,
            statement.parameters.iter().map(format),
            values,
            |value, out| Ok(write_value(value, out)),
            statement.columns.iter().map(format),
            &mut self.outgoing,
        );
        if sent.is_err() {
            return Err(ServerError::Protocol);
        }
        frontend::execute("", 0, &mut self.outgoing).map_err(ServerError::Lost)
    }

    /// Reads answers until the server waits for more; the first mistake that it tells, or that an answer is.
    pub(super) fn until_ready(
        &mut self,
        mut read: impl FnMut(Message) -> Result<(), ServerError>,
    ) -> Result<(), ServerError> {
        let mut done = Ok(());
        loop {
            match self.answer()? {
                Message::ReadyForQuery(ready) => {
                    self.in_transaction = ready.status() != b'I';
                    self.unanswered = 0;
                    return done;
                }
                Message::ErrorResponse(error) => {
                    let error = said(&error);
                    // Nothing comes after this: the connection ends.
                    let is_fatal = matches!(error.problem(), Problem::Unreachable);
                    done = done.and(Err(error));
                    if is_fatal {
                        return done;
                    }
                }
                message => {
                    if done.is_ok() {
                        done = read(message);
                    }
                }
            }
        }
    }

    /// Sends all that waits, and reads the next answer.
    pub(super) fn answer(&mut self) -> Result<Message, ServerError> {
        self.send_all()?;
        let mut bytes = [0; 1 << 14];
        loop {
            if let Some(message) =
                Message::parse(&mut self.incoming).map_err(|_| ServerError::Protocol)?
            {
                return Ok(message);
            }
            if self.incoming.len() > MOST_INCOMING {
                return Err(ServerError::Protocol);
            }
            match self.stream.read(&mut bytes) {
                Ok(0) => return Err(ServerError::Lost(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => self.incoming.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ServerError::Lost(error)),
            }
        }
    }

    /// Sends all that waits.
    fn send_all(&mut self) -> Result<(), ServerError> {
        if self.outgoing.is_empty() {
            return Ok(());
        }
        let sent = self.stream.write_all(&self.outgoing).and_then(|()| self.stream.flush());
        self.outgoing.clear();
        sent.map_err(|error| self.lost(error))
    }

    /// What the server said last, if it closed the connection while something was sent; else that it is lost.
    fn lost(&mut self, error: io::Error) -> ServerError {
        let mut bytes = [0; 1 << 12];
        if let Ok(count) = self.stream.read(&mut bytes) {
            self.incoming.extend_from_slice(&bytes[..count]);
        }
        while let Ok(Some(message)) = Message::parse(&mut self.incoming) {
            if let Message::ErrorResponse(last) = message {
                return said(&last);
            }
        }
        ServerError::Lost(error)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let mut end = BytesMut::new();
        frontend::terminate(&mut end);
        // A server that is gone needs no farewell.
        let _ = self.stream.write_all(&end).and_then(|()| self.stream.flush());
    }
}

/// What is tried, in order, for a mode: a socket of this machine needs no encryption.
fn protections(encryption: Encryption, host: &Host) -> &'static [Protection] {
    use Protection::{Encrypted, Plain};
    match encryption {
        _ if host.is_socket() => &[Plain],
        Encryption::Disable => &[Plain],
        Encryption::Allow => &[Plain, Encrypted],
        Encryption::Prefer => &[Encrypted, Plain],
        Encryption::Require | Encryption::VerifyCa | Encryption::VerifyFull => &[Encrypted],
    }
}

/// A parameter as the server reads it. It has no texts with a byte of zero: what stands for it is the sign of an unknown character.
fn write_value(value: Value<'_>, out: &mut BytesMut) -> IsNull {
    match value {
        Value::Null => return IsNull::Yes,
        // Writing into memory does not fail.
        Value::Integer(number) => drop(write!(out, "{number}")),
        Value::Real(number) => drop(write!(out, "{number:?}")),
        Value::Text(text) if text.contains('\0') => {
            out.put_slice(text.replace('\0', "\u{fffd}").as_bytes());
        }
        Value::Text(text) => out.put_slice(text.as_bytes()),
        Value::Bytes(bytes) => out.put_slice(bytes),
    }
    IsNull::No
}

fn types_of(described: ParameterDescriptionBody) -> Result<Vec<u32>, ServerError> {
    described.parameters().collect().map_err(|_| ServerError::Protocol)
}

fn columns_of(described: RowDescriptionBody) -> Result<Vec<u32>, ServerError> {
    described
        .fields()
        .map(|field| Ok(field.type_oid()))
        .collect()
        .map_err(|_| ServerError::Protocol)
}

fn values_of(
    row: &DataRowBody,
    columns: &[u32],
    read: &mut impl FnMut(&[Value<'_>]),
) -> Result<(), ServerError> {
    let mut values = Vec::with_capacity(columns.len());
    let mut ranges = row.ranges();
    let mut types = columns.iter();
    while let Some(range) = ranges.next().map_err(|_| ServerError::Protocol)? {
        let column = types.next().ok_or(ServerError::Protocol)?;
        values.push(match range {
            None => Value::Null,
            Some(range) => {
                let bytes = row.buffer().get(range).ok_or(ServerError::Protocol)?;
                value_of(bytes, *column).ok_or(ServerError::Protocol)?
            }
        });
    }
    read(&values);
    Ok(())
}

/// What stands in a column of this type.
fn value_of(bytes: &[u8], column: u32) -> Option<Value<'_>> {
    if column == BYTEA {
        return Some(Value::Bytes(bytes));
    }
    let text = str::from_utf8(bytes).ok()?;
    Some(match column {
        BOOL => Value::Integer(i64::from(text == "t")),
        number if INTEGERS.contains(&number) => Value::Integer(text.parse().ok()?),
        number if REALS.contains(&number) => Value::Real(text.parse().ok()?),
        _ => Value::Text(text),
    })
}

/// What a server said that could not do something.
pub(super) fn said(error: &ErrorResponseBody) -> ServerError {
    let (mut code, mut message, mut detail) = (String::new(), String::new(), None);
    let mut fields = error.fields();
    while let Ok(Some(field)) = fields.next() {
        let text = || String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            b'C' => code = text(),
            b'M' => message = text(),
            b'D' => detail = Some(text()),
            _ => {}
        }
    }
    ServerError::Said { code, message, detail }
}
