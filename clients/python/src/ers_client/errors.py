"""The one error that the client raises."""

import re


def printable(text: str) -> str:
    """The text with control characters, and characters that change the order or the lines of a text, as escapes."""
    return re.sub(
        "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]",
        lambda found: found.group().encode("unicode_escape").decode("ascii"),
        text,
    )


class ErsError(Exception):
    """An error response, or no response (``status`` is 0).

    ``request_id`` identifies the request in the server's log.
    """

    def __init__(self, status: int, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.request_id = request_id

    def __str__(self) -> str:
        where = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status}: {self.message}{where}" if self.status else self.message
