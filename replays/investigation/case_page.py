"""A case file as one page to read and to print: no script, nothing from elsewhere."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

import msgspec

from replays.investigation.case_decisions import CaseDecision
from replays.investigation.deal_scores import MEANINGS, Statistic
from replays.investigation.evidence import Evidence
from replays.investigation.limits import LIMITS, LIMITS_ZH
from replays.investigation.player_evidence import PlayerEvidence
from replays.knowledge.telling import SeatKnown

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8886; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: auto; padding: 1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; } caption { text-align: left; font-weight: 600; }
th, td { border: 1px solid var(--line); padding: .2rem .6rem; text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } details { border: 1px solid var(--line); padding: .5rem; margin: .5rem 0; }
.for { border-left: .4rem solid #b33; } .against { border-left: .4rem solid #283; }
@media print { body { font-size: 10pt; max-width: none; } details { break-inside: avoid; } }
"""


class Cited(msgspec.Struct, frozen=True, kw_only=True):
    """One item of the case in the page: what was cited, when, by whom, with its digest; notes have their text."""

    item: int
    kind: str
    about: str
    at: str
    by: str
    digest: str
    text: str = ""


class CasePage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page shows. `screened`: how many players were looked at together with these, None where nobody says."""

    number: int
    why: str
    opened: str
    players: tuple[str, ...]
    evaluator: str
    screened: int | None
    evidence: tuple[PlayerEvidence, ...]
    decisions: tuple[CaseDecision, ...]
    cited: tuple[Cited, ...]


def case_page(case: CasePage) -> str:
    """The page, a whole HTML document."""
    parts = [
        f"<h1>Case {case.number}</h1><p>{escape(case.why)}</p><p>Opened {escape(case.opened)}.</p>",
        _list("Limits", LIMITS),
        _list("界限", LIMITS_ZH),
        _list("Players", case.players),
        f"<h2>Statistics</h2><p>Evaluator: {escape(case.evaluator)}. {_screened(case.screened)}</p>",
        *(_evidence(each) for each in case.evidence),
        _balance(case.decisions),
        *(_decision(each) for each in case.decisions),
        _cited(case.cited),
    ]
    head = f"<meta charset=utf-8><meta name=viewport content='width=device-width'><title>Case {case.number}</title>"
    body = "".join(parts)
    return (
        f"<!doctype html><html lang=en><head>{head}<style>{_STYLE}</style></head><body>{body}</body></html>\n"
    )


def _screened(count: int | None) -> str:
    if count is None:
        return "How many players were looked at before these is not on record: cite a screening."
    return f"{count} players were looked at together when this was cited; some high numbers are chance."


def _list(title: str, lines: Sequence[str]) -> str:
    return f"<h2>{escape(title)}</h2><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _evidence(found: PlayerEvidence) -> str:
    rows = list(_evidence_rows(found))
    head = _row(("what", "towards", "deals", "effect (SD a deal)", "95 %", "z", "p", "e-value"), "th")
    title = f"{found.player}: {found.deals} deals, {found.decisions} decisions"
    table = f"<div class=scroll><table><caption>{escape(title)}</caption>{head}{''.join(rows)}</table></div>"
    left_out = [f"{each.deals} deals of {each.ruleset}" for each in found.unjudged]
    return table + (_list("Not judged, for want of an honest population", left_out) if left_out else "")


def _evidence_rows(found: PlayerEvidence) -> Iterator[str]:
    if found.rank is not None:
        yield _evidence_row("rank", "", found.rank)
    if found.declaring is not None:
        yield _evidence_row("declaring", "", found.declaring)
    for each in found.leaks:
        yield _evidence_row("leak", str(each.other), each.evidence)
    for each in found.soft:
        yield _evidence_row("soft", str(each.other), each.evidence)


def _evidence_row(statistic: Statistic, towards: str, found: Evidence) -> str:
    return _row(
        (
            MEANINGS[statistic], towards, str(found.deals), f"{found.effect:+.3f}",
            f"{found.low:+.3f} to {found.high:+.3f}", f"{found.z:+.2f}", f"{found.p:.2g}", f"{found.e_value:.3g}",
        )
    )  # fmt: skip


def _row(cells: Sequence[str], tag: str = "td") -> str:
    scope = " scope=col" if tag == "th" else ""
    return f"<tr>{''.join(f'<{tag}{scope}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _balance(decisions: Sequence[CaseDecision]) -> str:
    count = {side: sum(each.side == side for each in decisions) for side in ("for", "against", "neither")}
    return (
        f"<h2>Decisions</h2><p>{len(decisions)} choices in the cited matches: {count['for']} fit the true cards better "
        f"than most cards the player could not tell from them, {count['against']} worse, {count['neither']} neither. "
        "Honest play has as many of the one as of the other.</p>"
    )


def _decision(found: CaseDecision) -> str:
    head = (
        f"Match {found.match}, hand {found.hand_no}, trick {found.trick_no}, seat {found.seat}: "
        f"{' '.join(_played(found))}, {found.side}"
    )
    rows = [
        _row((" ".join(o.cards) + (" (played)" if o.played else ""), f"{o.expected:+.1f}", f"{o.true:+.1f}"))
        for o in found.options
    ]
    table = _row(("play", "worth by what he knew", "worth with the cards as they lay"), "th") + "".join(rows)
    return (
        f"<details class={found.side}><summary>{escape(head)}</summary>"
        f"<p>Rank {found.rank:+.2f} of −0.5 to +0.5; thought {found.think_ms / 1000:.1f} s. "
        f"In hand: {escape(' '.join(found.knew.own))}.</p><table>{table}</table>{_knew(found)}</details>"
    )


def _played(found: CaseDecision) -> tuple[str, ...]:
    return next(option.cards for option in found.options if option.played)


def _knew(found: CaseDecision) -> str:
    rows = "".join(_row(_seat(seat)) for seat in found.knew.seats)
    head = _row(("who", "surely held", "could hold", "truly held"), "th")
    reasons = "".join(f"<li>{escape(reason.why)}</li>" for reason in found.knew.reasons)
    table = f"<table><caption>What he could know</caption>{head}{rows}</table>"
    return f"<div class=scroll>{table}</div><ul>{reasons}</ul>"


def _seat(seat: SeatKnown) -> tuple[str, ...]:
    return (f"seat {seat.seat}", " ".join(seat.surely), " ".join(seat.possibly), " ".join(seat.truth or ()))


def _cited(items: Sequence[Cited]) -> str:
    rows = [
        _row((str(each.item), each.kind, each.about, each.at, each.by, each.digest, each.text))
        for each in items
    ]
    head = _row(("item", "what", "about", "cited at", "by", "SHA-256", "note"), "th")
    return f"<h2>Cited</h2><div class=scroll><table>{head}{''.join(rows)}</table></div>"
