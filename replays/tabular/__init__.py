"""Ended matches as flat rows for analysis: one of the match, one a player's hand, one a play, one a declaration."""

from replays.tabular.flattening import FlatRows, flat_rows
from replays.tabular.shapes import TABLES, DeclarationRow, HandRow, MatchRow, PlayRow

__all__ = ["TABLES", "DeclarationRow", "FlatRows", "HandRow", "MatchRow", "PlayRow", "flat_rows"]
