"""Exact replays of matches: timeline, audit, verification, notation. Pure functions over events."""
