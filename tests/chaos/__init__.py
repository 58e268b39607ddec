"""Runs that break things on purpose: `./dev chaos NAME`. Each prints its seed and what it did, and fails loudly."""
