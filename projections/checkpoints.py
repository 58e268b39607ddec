"""Where a projection stands: the only position there is, written together with the rows it speaks for (design §6)."""

import msgspec


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What one generation of a projection has applied of one log.

    `position` is 0 before the first message. `digest` is that of the row at `position`; `epoch` names the stream that
    brought it, None where it was read from the log itself.
    """

    log: str
    projection: str
    generation: int
    position: int = 0
    epoch: str | None = None
    digest: bytes | None = None
