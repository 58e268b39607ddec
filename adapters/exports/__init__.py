"""Matches in bulk: exported to folders of files with a manifest, checked there, and read back (infra/exports.md)."""
