"""Whether a match that was found in a file may stand in the log: what is asked of it, and in what order.

It has to be whole and ended, written as we write, played by rules known here, and every step has to be what the rules
make of the one before. Where it is anchored, its deals have to follow from the anchor. Who played it, and when, nobody
can tell from a file: that is for whoever imports it to know (infra/exports.md).
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from adapters.event_files import HEADS, Head
from adapters.postgres.appending import NewRow
from adapters.restoring.found import UNDECODABLE, FoundMatch
from adapters.serialization import TYPES_BY_TAG, decode_public, encode_public
from domain.commands import CorrectHand
from domain.decisions import decide_and_evolve
from domain.errors import BrokenLog, GongzhuError
from domain.events import Event, HandCorrected, MatchAbandoned, MatchOpened, MatchSettled
from domain.match import Match, evolve
from domain.rulesets import RULESETS
from replays.audit import audit
from replays.findings import Finding, difference
from replays.verify import verify

_LONGEST_CLOCK_S: Final = 2**31 - 1
_BEGINNING: Final = ("type", "schema", "match", "version", "at")


class NotSound(GongzhuError):
    """A match that may not stand in the log; the text says what is wrong with it and what to do.

    `version`: the event that is wrong, None where it is the whole match.
    """

    def __init__(self, what: str, version: int | None = None) -> None:
        self.version = version
        super().__init__(what)


def sound_rows(found: FoundMatch) -> list[NewRow]:
    """The rows of a match that may stand in the log, its public bytes as they were found. Raises `NotSound`."""
    heads = [_head(found, number, public) for number, public in enumerate(found.publics, 1)]
    events = [_event(head, public) for head, public in zip(heads, found.publics, strict=True)]
    _check_whole(events)
    _check_played(events)
    return [
        NewRow(found.match, head.version, head.tag, public)
        for head, public in zip(heads, found.publics, strict=True)
    ]


def _head(found: FoundMatch, number: int, public: bytes) -> Head:
    try:
        head = HEADS.decode(public)
    except UNDECODABLE as error:
        raise NotSound(f"not a stored public event ({error}); export it again", number) from None
    if head.match != found.match or head.version != number:
        raise NotSound(
            f"version {head.version} of match {head.match} where version {number} of {found.match} is due; "
            "export it again",
            number,
        )
    return head


def _event(head: Head, public: bytes) -> Event:
    try:
        event = decode_public(head.tag, public, head.match, head.version)
        as_written = _is_as_written(head.tag, public, event)
    except BrokenLog as broken:
        raise NotSound(f"{head.tag}: {broken.what}; export it again", head.version) from None
    except UNDECODABLE as error:
        raise NotSound(f"{head.tag}: {error}; export it again", head.version) from None
    if not as_written:
        raise NotSound(
            f"{head.tag} is not written as gongzhu writes it (other spaces, order, fields or numbers); export it again",
            head.version,
        )
    return event


def _is_as_written(tag: str, public: bytes, event: Event) -> bool:
    """Whether these bytes are what some version of ours renders: as we do now, but for fields that came later."""
    if tag in TYPES_BY_TAG and encode_public(event) == public:
        return True
    fields = msgspec.json.decode(public)
    compact = msgspec.json.encode(fields) == public and tuple(fields)[: len(_BEGINNING)] == _BEGINNING
    return compact and (tag not in TYPES_BY_TAG or _is_within(fields, msgspec.to_builtins(event)))


def _is_within(older: Any, newer: Any) -> bool:
    """Whether a value is the other one without some fields of its objects."""
    if isinstance(older, dict) and isinstance(newer, dict):
        kept = [name for name in newer if name in older]
        return list(older) == kept and all(_is_within(older[name], newer[name]) for name in kept)
    if isinstance(older, list) and isinstance(newer, Sequence) and not isinstance(newer, str):
        return len(older) == len(newer) and all(map(_is_within, older, newer))
    return type(older) is type(newer) and bool(older == newer)


def _check_whole(events: Sequence[Event]) -> None:
    opened = events[0]
    if not isinstance(opened, MatchOpened):
        raise NotSound("the match does not begin with MatchOpened; export it again")
    if not any(isinstance(event, MatchSettled | MatchAbandoned) for event in events):
        raise NotSound(
            "the match has not ended; only ended matches are imported, export it again after its end"
        )
    if not all(0 <= seconds <= _LONGEST_CLOCK_S for seconds in msgspec.structs.astuple(opened.clocks)):
        raise NotSound("its clocks go beyond all measure; the file was changed or is damaged", 1)
    known = RULESETS.get(opened.ruleset.name)
    if known is None or not 0 < opened.ruleset.revision <= known.revision:
        raise NotSound(
            f"{opened.ruleset.name} revision {opened.ruleset.revision} is no ruleset known here; "
            "import it with the version that exported it, or a newer one"
        )


def _check_played(events: Sequence[Event]) -> None:
    report = audit(events)
    if report.first_difference is not None:
        raise _audit_failed(report.first_difference)
    if any(isinstance(event, HandCorrected) for event in events):
        _check_corrections(events)
    proof = verify(events)
    if proof.broken:
        raise NotSound(
            f"the deals are not what was promised: {proof.broken[0].describe()}; do not trust the file"
        )


def _audit_failed(finding: Finding) -> NotSound:
    place = finding.place
    return NotSound(
        f"the audit fails: {replace(finding, place=replace(place, match=None, version=None)).describe()}; "
        "the file was changed or is damaged",
        place.version,
    )


def _check_corrections(events: Sequence[Event]) -> None:
    """What staff corrected is theirs to say; what follows from it is not, though an audit takes it as given."""
    match: Match | None = None
    for event in events:
        if isinstance(event, HandCorrected):
            command = CorrectHand(
                case=event.case,
                cause=event.cause,
                by=event.by,
                hand_no=event.hand_no,
                raw_scores=event.raw_scores,
            )
            (decided,) = decide_and_evolve(match, command, event.at).events
            if finding := difference(event, decided):
                raise _audit_failed(finding)
        match = evolve(match, event)
