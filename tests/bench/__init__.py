"""Benchmarks: `./dev bench NAME [--json]`. Each is a module here with `run() -> Measured`."""
