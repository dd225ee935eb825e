"""The socket's path, and why no supervisor answers there."""

from __future__ import annotations

import errno
import os
from typing import Optional, Union

from . import errors

Path = Union[str, "os.PathLike[str]"]


def default_path() -> str:
    """The default path of the socket: `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else in /run for root.

    Raises `NoSupervisor` if none of these applies.
    """
    if path := os.environ.get("INITD_SOCKET"):
        return path
    if directory := os.environ.get("XDG_RUNTIME_DIR"):
        return os.path.join(directory, "initd.sock")
    if os.geteuid() == 0:
        return "/run/initd.sock"
    raise errors.NoSupervisor(
        "cannot find the supervisor: no socket path is given; pass a path, or set INITD_SOCKET or XDG_RUNTIME_DIR", may_pass=False
    )


def resolve(path: Optional[Path]) -> str:
    """`path`, or the default path. Raises `NoSupervisor`."""
    return default_path() if path is None else os.fspath(path)


def unreachable(path: str, error: OSError) -> errors.NoSupervisor:
    """The error for a socket that couldn't be connected."""
    may_pass = error.errno in (errno.ENOENT, errno.ECONNREFUSED, errno.EAGAIN)
    return errors.NoSupervisor(f"cannot connect to {path}: {error.strerror or error}", may_pass=may_pass)


def silent(seconds: float) -> errors.NoSupervisor:
    """The error for a peer that doesn't answer hello in time."""
    return errors.NoSupervisor(f"the supervisor doesn't answer: no answer to hello within {round(seconds, 2):g} s")
