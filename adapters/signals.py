"""How a command is asked to end: by Ctrl-C, by a service manager, by a closed terminal; one way out for all."""

import signal
from types import FrameType


def end_like_interrupt() -> None:
    """From now on SIGTERM and SIGHUP end a command as Ctrl-C does: `KeyboardInterrupt`, so that it cleans up.

    Inside `asyncio.run` the running task is cancelled instead, as it is by Ctrl-C.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # `nohup` has SIGHUP ignored on purpose.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    # A shell starts background jobs with SIGINT ignored; being asked to end must work there as well.
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL, None):
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
