//! Where the supervisor's socket is.

use crate::{Error, ErrorKind, Result};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

const LONGEST: usize = 107;

/// Returns the default path of the supervisor's socket: `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else `/run/initd.sock`
/// for root.
///
/// Returns an error of the kind [`ErrorKind::InvalidInput`] if none of these applies.
pub fn default_path() -> Result<PathBuf> {
    resolve(|name| env::var_os(name), is_root)
}

fn resolve(
    variable: impl Fn(&str) -> Option<OsString>,
    is_root: impl Fn() -> bool,
) -> Result<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if let Some(path) = set("INITD_SOCKET") {
        return Ok(path.into());
    }
    if let Some(directory) = set("XDG_RUNTIME_DIR") {
        return Ok(Path::new(&directory).join("initd.sock"));
    }
    if is_root() {
        return Ok("/run/initd.sock".into());
    }
    let message = "cannot find the supervisor: no socket path is given; pass a path, or set INITD_SOCKET or XDG_RUNTIME_DIR";
    Err(Error::new(ErrorKind::InvalidInput, message))
}

/// Returns whether this process is root: the kernel shows a process's effective user as the owner of its directory in /proc.
fn is_root() -> bool {
    fs::metadata("/proc/self").map_or(false, |process| process.uid() == 0)
}

/// Refuses a path that can't be the path of a supervisor's socket.
pub(crate) fn check(path: &Path) -> Result<()> {
    let refuse = |why: String| {
        let message = format!("cannot use the socket path {}: {why}", path.display());
        Err(Error::new(ErrorKind::InvalidInput, message))
    };
    if path.to_str().is_none() {
        return refuse("it isn't UTF-8; use another path".into());
    }
    match path.as_os_str().as_bytes() {
        [] => refuse("it is empty; give a path".into()),
        bytes if bytes.contains(&0) => refuse("it contains NUL; use another path".into()),
        bytes if bytes.len() > LONGEST => refuse(format!(
            "it has {} bytes, and the system allows {LONGEST}; use a shorter path",
            bytes.len()
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn resolved(socket: Option<&str>, directory: Option<&str>, root: bool) -> Option<String> {
        let variable = |name: &str| {
            let value = if name == "INITD_SOCKET" {
                socket
            } else {
                directory
            };
            value.map(OsString::from)
        };
        resolve(variable, || root)
            .ok()
            .map(|path| path.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_first_that_is_set_and_not_empty_counts() {
        assert_eq!(
            resolved(Some("/a"), Some("/b"), true).as_deref(),
            Some("/a")
        );
        assert_eq!(
            resolved(Some(""), Some("/b"), true).as_deref(),
            Some("/b/initd.sock")
        );
        assert_eq!(
            resolved(None, Some(""), true).as_deref(),
            Some("/run/initd.sock")
        );
        assert_eq!(resolved(None, None, false), None);
    }

    #[test]
    fn a_path_that_the_system_does_not_allow_is_refused_and_never_cut() {
        assert!(check(Path::new(&"a".repeat(LONGEST))).is_ok());
        for path in ["a".repeat(LONGEST + 1), String::new(), "a\0b".into()] {
            assert_eq!(
                check(Path::new(&path)).unwrap_err().kind(),
                ErrorKind::InvalidInput
            );
        }
        assert!(check(Path::new(OsStr::from_bytes(b"/tmp/\xff"))).is_err());
    }
}
