"""The declaration window (rules.md §3)."""

import msgspec
import pytest

from domain import commands
from domain.declarations import commitment_of
from domain.errors import (
    AlreadyDeclared,
    AlreadyDone,
    CardNotHeld,
    CommandRefused,
    DealUnavailable,
    HeldBack,
    HiddenNotAllowed,
    NotASeat,
    NotDeclarable,
    TooEarly,
    UnknownCard,
    WrongPhase,
    WrongTerms,
)
from domain.events import CardDeclared, DeclarationDone, DeclarationsClosed, public_form
from domain.rulesets import Level, Ruleset, ruleset_named
from domain.secret import Secret
from tests.support.scenarios import given, happened
from tests.support.tables import Table, dealt, seated

BLOOD, ZERO_SUM = ruleset_named("blood-1"), ruleset_named("zero_sum-1")
SPREAD = {0: "SQ C4", 1: "DJ C5", 2: "CT C6", 3: "HA C2"}
OPENING = bytes(range(32))


def _declares(seat: int, card: str, level: Level = "open", opening: bytes = OPENING) -> commands.DeclareCard:
    return commands.DeclareCard(
        seat=seat, card=card, level=level, opening=Secret(opening) if level == "hidden" else None
    )


def _done(*seats: int) -> list[commands.SayDone]:
    return [commands.SayDone(seat=seat) for seat in seats]


def test_open_declaration_names_its_card() -> None:
    given(dealt(BLOOD, SPREAD)).when(_declares(0, "SQ")).then(
        happened(CardDeclared, seat=0, level="open", card="SQ", commitment=None, automatic=False)
    )


def test_open_declaration_of_two_decks_names_its_copy() -> None:
    table = dealt(ruleset_named("blood-2"), {0: "SQa SQb"})
    given(table).when(_declares(0, "SQb")).then(happened(CardDeclared, card="SQb"))
    given(table.ask(_declares(0, "SQb"))).when(_declares(0, "SQa")).then(happened(CardDeclared, card="SQa"))


def test_hidden_declaration_publishes_a_commitment_and_nothing_else() -> None:
    table = dealt(BLOOD, SPREAD)
    commitment = commitment_of(table.match.id.bytes, 1, 0, "SQ", OPENING)
    given(table).when(_declares(0, "SQ", "hidden")).then(
        happened(CardDeclared, seat=0, level="hidden", card=None, commitment=commitment)
    )
    (event,) = table.decide(_declares(0, "SQ", "hidden")).events
    with pytest.raises(TypeError):
        msgspec.json.encode(event)
    shown = msgspec.json.encode(public_form(event)).decode()
    assert "SQ" not in shown
    assert OPENING.hex() not in shown
    assert "SQ" not in repr(event)
    assert "SQ" not in repr(_declares(0, "SQ", "hidden"))


REFUSED = [
    pytest.param(_declares(0, "SK"), NotDeclarable, id="not declarable"),
    pytest.param(_declares(0, "DJ"), CardNotHeld, id="not held"),
    pytest.param(_declares(0, "S1"), UnknownCard, id="no such card"),
    pytest.param(_declares(0, "SQa"), UnknownCard, id="no such card in one deck"),
    pytest.param(_declares(4, "SQ"), NotASeat, id="no such seat"),
    pytest.param(_declares(2, "CT"), AlreadyDeclared, id="declared before, raised"),
    pytest.param(_declares(1, "DJ", "hidden"), AlreadyDeclared, id="declared before, lowered"),
    pytest.param(_declares(3, "HA"), AlreadyDone, id="after done"),
    pytest.param(commands.SayDone(seat=3), AlreadyDone, id="done twice"),
    pytest.param(commands.SayDone(seat=-1), NotASeat, id="done, no such seat"),
    pytest.param(
        commands.DeclareCard(seat=0, card="SQ", level="hidden"), WrongTerms, id="hidden without an opening"
    ),
    pytest.param(_declares(0, "SQ", "hidden", bytes(31)), WrongTerms, id="hidden with a short opening"),
]


@pytest.mark.parametrize(("command", "refusal"), REFUSED)
def test_declaration_is_refused(command: commands.Command, refusal: type[CommandRefused]) -> None:
    table = dealt(BLOOD, SPREAD).ask(_declares(1, "DJ"), _declares(2, "CT", "hidden"), *_done(3))
    given(table).when(command).is_refused(refusal)


def test_zero_sum_knows_open_declarations_only() -> None:
    given(dealt(ZERO_SUM, SPREAD)).when(_declares(0, "SQ", "hidden")).is_refused(HiddenNotAllowed, card="SQ")


def test_seat_that_is_done_declares_no_more_while_others_may() -> None:
    table = dealt(BLOOD, SPREAD).ask(*_done(0))
    given(table).when(_declares(0, "SQ")).is_refused(AlreadyDone)
    given(table).when(_declares(1, "DJ")).then(happened(CardDeclared, seat=1))


def test_window_closes_when_all_four_are_done() -> None:
    table = dealt(BLOOD, SPREAD)
    given(table).when(*_done(0)).then(happened(DeclarationDone, seat=0))
    match = (
        given(table.ask(*_done(0, 2, 1)))
        .when(*_done(3))
        .then(happened(DeclarationDone, seat=3), happened(DeclarationsClosed, cause="all_done", leader=3))
    )
    assert match.phase == "playing"
    assert match.hand is not None
    assert match.hand.turn == 3


def test_seat_with_nothing_to_declare_has_to_say_done_too() -> None:
    table = dealt(BLOOD, {0: "SQ DJ CT HA"}).ask(*_done(0))
    assert table.match.phase == "declaring"


def test_window_closes_by_time_and_not_before() -> None:
    table = dealt(BLOOD, SPREAD).ask(_declares(0, "SQ"), *_done(1))
    given(table).when(commands.CloseDeclarations()).is_refused(TooEarly)
    given(table.wait(14.999999)).when(commands.CloseDeclarations()).is_refused(TooEarly)
    given(table.wait(0.000001)).when(commands.CloseDeclarations()).then(
        happened(DeclarationsClosed, cause="time", leader=3)
    )


@pytest.mark.parametrize(
    "command", [_declares(0, "SQ"), commands.SayDone(seat=0), commands.CloseDeclarations()]
)
def test_window_stays_closed(command: commands.Command) -> None:
    given(dealt(BLOOD, SPREAD).everyone_done()).when(command).is_refused(WrongPhase)


@pytest.mark.parametrize(
    "command", [_declares(0, "SQ"), commands.SayDone(seat=0), commands.CloseDeclarations()]
)
def test_nothing_is_declared_without_the_key(command: commands.Command) -> None:
    table = seated(BLOOD)
    sealed = given([public_form(event) for event in table.events])
    sealed.at = table.wait(60).at
    sealed.when(command).is_refused(DealUnavailable)


def _three_declared(ruleset: Ruleset) -> Table:
    return dealt(ruleset, SPREAD).ask(_declares(0, "SQ"), _declares(1, "DJ"), _declares(3, "HA"))


FOURTH = happened(CardDeclared, seat=2, card="CT", level="open", automatic=True)


def test_fourth_card_is_declared_for_its_holder_when_all_are_done() -> None:
    table = _three_declared(ZERO_SUM).ask(*_done(0, 1, 2))
    match = (
        given(table)
        .when(*_done(3))
        .then(happened(DeclarationDone, seat=3), FOURTH, happened(DeclarationsClosed, cause="all_done"))
    )
    assert match.hand is not None
    assert len(match.hand.declarations) == 4


def test_fourth_card_is_declared_when_time_is_up() -> None:
    given(_three_declared(ZERO_SUM).wait(15)).when(commands.CloseDeclarations()).then(
        FOURTH, happened(DeclarationsClosed, cause="time")
    )


def test_automatic_declaration_is_held_back_like_any_other() -> None:
    table = _three_declared(ZERO_SUM).everyone_done().play("C2", "C4", "C5")
    assert table.hand.turn == 2
    given(table).when(commands.PlayCards(seat=2, cards=("CT",))).is_refused(HeldBack, card="CT")


@pytest.mark.parametrize("ruleset", [BLOOD, ruleset_named("blood-1-partners")], ids=lambda rules: rules.name)
def test_blood_declares_nothing_by_itself(ruleset: Ruleset) -> None:
    table = _three_declared(ruleset).ask(*_done(0, 1, 2))
    given(table).when(*_done(3)).then(happened(DeclarationDone), happened(DeclarationsClosed))
