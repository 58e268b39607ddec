"""A process that reviews one hand: rows of its match on standard input, the review on standard output."""

import os
import sys
from typing import Final

import msgspec

from adapters.reviewing import reviewed, within
from adapters.serialization import Row, decode_row
from replays.review import ReviewSettings
from replays.timeline import Timeline

MOST_S: Final = 300.0
"""A hand that takes longer is given up."""

_POLITE: Final = 10


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be reviewed."""

    rows: list[Row]
    hand_no: int
    settings: ReviewSettings


def main() -> None:
    """Reviews what it is asked to, and lets others go first on the machine."""
    os.nice(_POLITE)
    asked = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Asked)
    timeline = Timeline(decode_row(row) for row in asked.rows)
    review = reviewed(timeline, asked.hand_no, asked.settings, keep_going=within(MOST_S))
    sys.stdout.buffer.write(msgspec.json.encode(review))


if __name__ == "__main__":
    main()
