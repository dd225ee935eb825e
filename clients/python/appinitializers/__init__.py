"""Client and worker for the initialization supervisor ``initd``. Needs only the standard library.

`Client` controls and observes; `Worker` provides initializers. Both implement protocol version 1.
"""

from .client import Client, Subscription
from .connection import Connection, default_path
from .errors import (
    Cancelled,
    ConnectionClosed,
    ConnectionLost,
    FrameTooLarge,
    InitdError,
    LimitExceeded,
    NameConflict,
    NotPermitted,
    NoSupervisor,
    ProtocolError,
    RequestError,
    ShuttingDown,
    TimedOut,
    UnknownInitializer,
    UnsupportedProtocol,
)
from .worker import Context, Retry, Worker

__version__ = "0.1.0"

__all__ = [
    "Cancelled",
    "Client",
    "Connection",
    "ConnectionClosed",
    "ConnectionLost",
    "Context",
    "FrameTooLarge",
    "InitdError",
    "LimitExceeded",
    "NameConflict",
    "NoSupervisor",
    "NotPermitted",
    "ProtocolError",
    "RequestError",
    "Retry",
    "ShuttingDown",
    "Subscription",
    "TimedOut",
    "UnknownInitializer",
    "UnsupportedProtocol",
    "Worker",
    "default_path",
]
