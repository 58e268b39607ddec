"""The edge: databases, streams, servers, clocks, randomness, the command line: all that has an effect."""
