//! Frames: four bytes of length, then that many bytes of JSON.

use crate::{Error, ErrorKind, Result};
use std::io::{self, Read};

/// The longest frame that `hello` may have.
pub(crate) const HELLO_LIMIT: usize = 4096;

const HEADER: usize = 4;
const CHUNK: usize = 64 * 1024;

/// Returns the frame of `payload`.
pub(crate) fn encode(payload: &str, limit: usize) -> Result<Vec<u8>> {
    let length = match u32::try_from(payload.len()) {
        Ok(length) if payload.len() <= limit => length,
        _ => {
            let message = format!(
                "cannot send a message of {} bytes: the supervisor accepts {limit} (frameBytes); send less",
                payload.len()
            );
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
    };
    let mut frame = Vec::with_capacity(HEADER + payload.len());
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(payload.as_bytes());
    Ok(frame)
}

/// Takes frames out of a stream of bytes. Memory grows only with the bytes that have arrived.
#[derive(Default)]
pub(crate) struct FrameReader {
    bytes: Vec<u8>,
    start: usize,
}

impl FrameReader {
    /// Reads once from `source`, and returns the number of bytes, 0 at the end.
    pub fn fill(&mut self, mut source: impl Read) -> io::Result<usize> {
        self.bytes.drain(..self.start);
        self.start = 0;
        let length = self.bytes.len();
        self.bytes.resize(length + CHUNK, 0);
        let read = source.read(&mut self.bytes[length..]);
        self.bytes.truncate(length + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Returns the payload of the next frame, if it has arrived completely.
    pub fn next(&mut self) -> Result<Option<&[u8]>> {
        let bytes = &self.bytes[self.start..];
        match bytes.first() {
            Some(0) | None => (),
            Some(first) => {
                let message = format!("the peer is not initd: a frame begins with byte {first:#04x} instead of 0; check the socket's path");
                return Err(Error::new(ErrorKind::NotInitd, message));
            }
        }
        if bytes.len() < HEADER {
            return Ok(None);
        }
        let length = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
        if length == 0 {
            return Err(Error::new(
                ErrorKind::Protocol,
                "the supervisor sent an empty frame",
            ));
        }
        if bytes.len() - HEADER < length {
            return Ok(None);
        }
        let payload = self.start + HEADER..self.start + HEADER + length;
        self.start = payload.end;
        Ok(Some(&self.bytes[payload]))
    }

    /// Returns whether no incomplete frame has arrived.
    pub fn is_between_frames(&self) -> bool {
        self.start == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payloads(mut source: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut reader = FrameReader::default();
        let mut found = Vec::new();
        loop {
            while let Some(payload) = reader.next()? {
                found.push(payload.to_vec());
            }
            if reader.fill(&mut source).unwrap() == 0 {
                assert!(reader.is_between_frames());
                return Ok(found);
            }
        }
    }

    /// A source that gives one byte at a time.
    struct Dripping<'a>(&'a [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn a_frame_has_a_length_of_four_bytes() {
        assert_eq!(encode("{}", 2).unwrap(), b"\0\0\0\x02{}");
    }

    #[test]
    fn a_frame_beyond_the_limit_is_refused() {
        let error = encode("{ }", 2).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge);
        assert_eq!(
            error.to_string(),
            "cannot send a message of 3 bytes: the supervisor accepts 2 (frameBytes); send less"
        );
    }

    #[test]
    fn frames_in_one_read_are_separated() {
        let bytes = [encode("{}", 9).unwrap(), encode("[1]", 9).unwrap()].concat();
        assert_eq!(payloads(&bytes).unwrap(), [b"{}".to_vec(), b"[1]".to_vec()]);
    }

    #[test]
    fn frames_that_arrive_byte_by_byte_are_put_together() {
        let bytes = [encode("{}", 9).unwrap(), encode("[1]", 9).unwrap()].concat();
        let mut reader = FrameReader::default();
        let mut source = Dripping(&bytes);
        let mut found = Vec::new();
        while reader.fill(&mut source).unwrap() > 0 {
            if let Some(payload) = reader.next().unwrap() {
                found.push(payload.to_vec());
            }
        }
        assert_eq!(found, [b"{}".to_vec(), b"[1]".to_vec()]);
    }

    #[test]
    fn the_largest_frame_is_read() {
        let payload = "x".repeat((1 << 24) - 1);
        assert_eq!(
            payloads(&encode(&payload, 1 << 24).unwrap()).unwrap()[0].len(),
            payload.len()
        );
    }

    #[test]
    fn a_first_byte_other_than_0_is_not_initd() {
        let error = payloads(b"HTTP/1.1 400 Bad Request\r\n").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotInitd);
        assert!(error.to_string().contains("not initd"), "{error}");
        assert_eq!(payloads(b"S").unwrap_err().kind(), ErrorKind::NotInitd);
    }

    #[test]
    fn an_empty_frame_breaks_the_protocol() {
        assert_eq!(
            payloads(b"\0\0\0\0").unwrap_err().kind(),
            ErrorKind::Protocol
        );
    }
}
