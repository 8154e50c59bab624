"""A client of the Evaluation Results Service. It needs the standard library alone."""

from .client import ErsClient
from .errors import ErsError
from .gate import Gate, Judged

__all__ = ["ErsClient", "ErsError", "Gate", "Judged"]
