"""A client of the Evaluation Results Service. It needs the standard library alone."""

from typing import TYPE_CHECKING, Any

from .errors import ErsError
from .gate import Gate, Judged

if TYPE_CHECKING:
    from .client import ErsClient

__all__ = ["ErsClient", "ErsError", "Gate", "Judged"]


def __getattr__(name: str) -> Any:
    # pytest loads this package at each start, for its plugin. So the client is loaded when it is used.
    if name != "ErsClient":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .client import ErsClient

    return ErsClient
