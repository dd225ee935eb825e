"""Client and worker for the initialization supervisor ``initd``. Needs only the standard library.

`Client` and `AsyncClient` control and observe; `Worker` provides initializers. They implement protocol version 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .client import Client
from .context import Context
from .declaration import Retry
from .errors import (
    Cancelled,
    ConnectionClosed,
    ConnectionLost,
    FrameTooLarge,
    Inactive,
    InitdError,
    InvalidManifest,
    LimitExceeded,
    NameConflict,
    NoSupervisor,
    NotPermitted,
    NotRunning,
    ProtocolError,
    RequestError,
    ShuttingDown,
    TimedOut,
    UnknownInitializer,
    UnreadableManifest,
    UnsupportedProtocol,
)
from .hold import Hold
from .shapes import Event, Initializer, State, Status
from .socket_path import default_path
from .subscription import Subscription
from .version import __version__
from .worker import Worker

if TYPE_CHECKING:
    from .aio import AsyncClient, AsyncHold, AsyncSubscription

__all__ = [
    "AsyncClient",
    "AsyncHold",
    "AsyncSubscription",
    "Cancelled",
    "Client",
    "ConnectionClosed",
    "ConnectionLost",
    "Context",
    "Event",
    "FrameTooLarge",
    "Hold",
    "Inactive",
    "InitdError",
    "Initializer",
    "InvalidManifest",
    "LimitExceeded",
    "NameConflict",
    "NoSupervisor",
    "NotPermitted",
    "NotRunning",
    "ProtocolError",
    "RequestError",
    "Retry",
    "ShuttingDown",
    "State",
    "Status",
    "Subscription",
    "TimedOut",
    "UnknownInitializer",
    "UnreadableManifest",
    "UnsupportedProtocol",
    "Worker",
    "__version__",
    "default_path",
]


def __getattr__(name: str) -> Any:
    """Imports the asynchronous client when it is used: `asyncio` takes longer than all the rest."""
    if name in ("AsyncClient", "AsyncHold", "AsyncSubscription"):
        from . import aio

        return getattr(aio, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
