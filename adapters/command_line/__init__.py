"""The command line `gongzhu`: what can be asked of it, and how it answers.

Exit codes: 0 done, 1 failed (one line says why), 2 wrong usage. Every reading command also speaks JSON.
"""

from adapters.command_line.entry import main

__all__ = ["main"]
