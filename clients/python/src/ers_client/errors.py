"""The one error that the client raises."""


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
