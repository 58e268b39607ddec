"""The file of acknowledged commands: what a client of the service was promised to find in the log."""

import os
from pathlib import Path

from adapters.match_service import Accepted


class AckFile:
    """Appends `match version` for each accepted command, right after its reply."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, accepted: Accepted) -> None:
        """One line, in one write: a killed process leaves whole lines."""
        os.write(self._file, f"{accepted.match} {accepted.last_version}\n".encode())
