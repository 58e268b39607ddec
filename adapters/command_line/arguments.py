"""Arguments and options that several commands take, and what they turn into."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeVar
from uuid import UUID

import typer

from adapters.errors import AdapterError
from domain.rulesets import RULESETS, Ruleset, ruleset_named

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
MatchArgument = Annotated[
    str,
    typer.Argument(
        metavar="MATCH", help="A match id, or enough of its beginning or end to tell it from others."
    ),
]
RulesetOption = Annotated[
    str, typer.Option("--ruleset", "-r", metavar="RULESET", help=f"One of {', '.join(RULESETS)}.")
]
AcksOption = Annotated[
    Path | None,
    typer.Option(
        "--acks", metavar="FILE", help="Append each acknowledged match and version to FILE, after its reply."
    ),
]
By = Annotated[
    str | None,
    typer.Option("--by", help="Who asks; it stands in the audit trail beside the account that runs this."),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Processes; one a core if not given.")
]
PopulationOption = Annotated[
    Path | None,
    typer.Option(
        "--population", metavar="FILE", help="Honest populations, instead of those that are shipped."
    ),
]

Name = TypeVar("Name", bound=str)


class NoSuchMatch(AdapterError):
    """No match, or more than one, is meant."""


def ruleset_of(name: str) -> Ruleset:
    """The ruleset of this name, or a usage error that lists them."""
    return ruleset_named(one_of("ruleset", name, tuple(RULESETS)))


def one_of(what: str, text: str, choices: Sequence[Name]) -> Name:
    """The choice of this name, or a usage error that lists them."""
    for choice in choices:
        if text == choice:
            return choice
    raise typer.BadParameter(f"there is no {what} {text!r}; choose one of {', '.join(choices)}")


def in_utc(moment: datetime | None) -> datetime | None:
    """A time that was typed, which is meant in UTC."""
    return None if moment is None else moment.replace(tzinfo=UTC)


def match_meant(text: str, matches: Iterable[UUID]) -> UUID:
    """The one match whose id begins or ends with this text. Raises `NoSuchMatch`."""
    wanted = text.lower().strip()
    found = [match for match in matches if str(match).startswith(wanted) or str(match).endswith(wanted)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NoSuchMatch(f"there is no match {text}; `gongzhu matches` lists them")
    raise NoSuchMatch(f"{len(found)} matches begin or end with {text}; give more of the id")
