"""The evaluator that is used unless a calibration says otherwise, and the honest populations measured with it."""

from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec

from adapters.errors import AdapterError
from replays.investigation.evaluators import Evaluator
from replays.investigation.populations import Population

EVALUATOR: Final = Evaluator()
"""Frozen before anyone is looked at: another one has another name, and needs populations of its own."""
_FILE: Final = "populations.json"


class PopulationUnreadable(AdapterError):
    """A file of honest populations that cannot be used; the text says why and what to do."""


def population(path: Path | None = None) -> Population:
    """Honest populations of the shipped evaluator, from the package or a file. Raises `PopulationUnreadable`."""
    try:
        text = path.read_bytes() if path else (files("adapters.data") / _FILE).read_bytes()
        found = msgspec.json.decode(text, type=Population)
    except (OSError, msgspec.DecodeError) as error:
        advice = "measure one with `gongzhu simulate calibrate`"
        raise PopulationUnreadable(
            f"cannot read honest populations from {path or _FILE} ({error}); {advice}"
        ) from error
    if found.evaluator != EVALUATOR.name:
        raise PopulationUnreadable(
            f"{path or _FILE} was measured with another evaluator ({found.evaluator}) than is in use "
            f"({EVALUATOR.name}): their numbers are never put side by side; calibrate anew"
        )
    return found
