//! The first bytes of a connection: each process says who it is, and both agree whether this connection stays.
//!
//! ```text
//! both            "supervis" | version 1 | process 16
//! the greater     1 if it has a connection with the other process already, else 0
//! the smaller     8: the number of this connection if it stays, else 0
//! ```
//!
//! Two processes keep one connection, also if each connects to the other, or if several addresses lead to one of them. The process
//! with the smaller id decides, so that both keep the same one: of several the one with the greatest number. A connection that
//! only one of them still has is broken, and gives way.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const MAGIC: &[u8; 8] = b"supervis";
const VERSION: u8 = 1;

/// The id of a process, new with each network that it opens.
pub(crate) type Process = u128;

/// The end of a greeting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Greeted {
    /// This connection stays, under this number. One with a smaller number gives way.
    Stays(Process, u64),
    /// There is a connection with this process already.
    Another(Process),
}

/// Greets. `has` says whether there is a connection with a process at present, and `next` is the next number.
pub(crate) async fn greet<S>(
    stream: &mut S,
    me: Process,
    has: impl Fn(Process) -> bool,
    next: impl FnOnce() -> u64,
) -> io::Result<Greeted>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let other = |why: String| Err(io::Error::new(io::ErrorKind::InvalidData, why));
    let mut hello = Vec::from(MAGIC);
    hello.push(VERSION);
    hello.extend(me.to_be_bytes());
    stream.write_all(&hello).await?;
    stream.flush().await?;
    let mut theirs = [0; 8];
    stream.read_exact(&mut theirs).await?;
    if &theirs != MAGIC {
        return other(format!("it speaks another protocol: \"{}\"", theirs.escape_ascii()));
    }
    let version = stream.read_u8().await?;
    if version != VERSION {
        return other(format!("it greets in version {version}, this process in version {VERSION}"));
    }
    let process = stream.read_u128().await?;
    if process == me {
        return other("it is this process itself".to_owned());
    }
    let number = if me < process {
        let theirs = stream.read_u8().await? != 0;
        let number = if theirs && has(process) { 0 } else { next() };
        stream.write_u64(number).await?;
        stream.flush().await?;
        number
    } else {
        stream.write_u8(has(process).into()).await?;
        stream.flush().await?;
        stream.read_u64().await?
    };
    Ok(if number == 0 { Greeted::Another(process) } else { Greeted::Stays(process, number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn both(has: [bool; 2]) -> [Greeted; 2] {
        let (mut one, mut two) = tokio::io::duplex(64);
        let (one, two) = tokio::join!(greet(&mut one, 1, |_| has[0], || 7), greet(&mut two, 2, |_| has[1], || 8));
        [one.unwrap(), two.unwrap()]
    }

    #[tokio::test]
    async fn a_connection_stays_unless_both_have_another_one() {
        for has in [[false, false], [true, false], [false, true]] {
            assert_eq!(both(has).await, [Greeted::Stays(2, 7), Greeted::Stays(1, 7)], "{has:?}");
        }
        assert_eq!(both([true, true]).await, [Greeted::Another(2), Greeted::Another(1)]);
    }

    async fn refused(bytes: &[u8]) -> String {
        let (mut one, mut two) = tokio::io::duplex(1024);
        two.write_all(bytes).await.unwrap();
        two.shutdown().await.unwrap();
        greet(&mut one, 7, |_| false, || 1).await.unwrap_err().to_string()
    }

    #[tokio::test]
    async fn whoever_speaks_otherwise_is_refused_with_the_reason() {
        assert_eq!(refused(b"GET / HTTP/1.1\r\n").await, "it speaks another protocol: \"GET / HT\"");
        assert_eq!(refused(b"supervis\x02").await, "it greets in version 2, this process in version 1");
        let me = [&b"supervis\x01"[..], &7_u128.to_be_bytes()].concat();
        assert_eq!(refused(&me).await, "it is this process itself");
        for cut in 0..me.len() {
            assert!(!refused(&me[..cut]).await.is_empty());
        }
    }
}
