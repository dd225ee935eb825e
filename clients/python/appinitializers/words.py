"""The words that requests take, for type checkers."""

from __future__ import annotations

from typing import Literal, Union

Target = Union[Literal["ready", "launch", "active", "composite"], str]
"""The target of `wait`. Editors suggest these names; a `str` is also accepted."""

Priority = Union[Literal["appLaunch", "appActive"], str]
"""The priority of an initializer."""
