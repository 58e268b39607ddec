"""Matches read back from files of our own, as they were recorded, byte for byte (infra/exports.md)."""
