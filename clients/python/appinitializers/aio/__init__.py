"""The asynchronous client: `AsyncClient` has the methods of `Client`, to be awaited."""

from .client import AsyncClient
from .hold import AsyncHold
from .subscription import AsyncSubscription

__all__ = ["AsyncClient", "AsyncHold", "AsyncSubscription"]
