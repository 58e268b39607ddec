"""`python -m adapters.command_line`."""

from adapters.command_line.entry import main

main()
