"""What a worker registers for an initializer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Optional, Union

from .requests import given
from .words import Priority


@dataclass(frozen=True)
class Retry:
    """The retry policy of a failed run. `attempts` includes the first one; delays are in seconds; None is the supervisor's default."""

    attempts: int
    delay: Optional[float] = None
    factor: Optional[float] = None
    max_delay: Optional[float] = None


def declaration(
    name: str,
    priority: Optional[Priority],
    dependencies: Optional[Iterable[str]],
    timeout: Optional[float],
    retry: Union[Retry, int, None],
    per_process: Optional[bool],
    optional: Optional[bool],
    description: Optional[str],
) -> dict[str, Any]:
    """An element of `register`. An attribute that is None is left out: the manifest's value or the default counts."""
    policy = Retry(retry) if isinstance(retry, int) else retry
    return given(
        name=name,
        priority=priority,
        dependencies=None if dependencies is None else list(dependencies),
        timeout=timeout,
        description=description,
        retry=policy
        and given(attempts=policy.attempts, delay=policy.delay, factor=policy.factor, maxDelay=policy.max_delay),
        perProcess=per_process,
        optional=optional,
    )
