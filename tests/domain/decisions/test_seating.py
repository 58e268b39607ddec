"""Opening a match, sitting down, getting up, and the nonces that everyone may add to the deal."""

import hashlib
from uuid import UUID

import msgspec
import pytest

from domain import commands
from domain.dealing import CHAIN_LENGTH, deal_order, link
from domain.errors import (
    AlreadySeated,
    CommandRefused,
    MatchAlreadyOpen,
    MatchNotOpen,
    NonceDiffers,
    NonceNotCommitted,
    NoncesMissing,
    NotASeat,
    SeatEmpty,
    SeatTaken,
    WrongPhase,
    WrongTerms,
)
from domain.events import Clocks, HandDealt, MatchOpened, NonceRevealed, PlayerLeft, PlayerSeated, public_form
from domain.rulesets import as_recorded, ruleset_named
from domain.secret import Secret
from tests.support.scenarios import given, happened
from tests.support.tables import PLAYERS, Table, opened, opening, seated

BLOOD, ZERO_SUM = ruleset_named("blood-1"), ruleset_named("zero_sum-1")
STRANGER = UUID(int=999)
NONCES = tuple(bytes([seat + 1] * 32) for seat in range(4))


def _sits(seat: int, nonce: bytes | None = None, player: UUID | None = None) -> commands.TakeSeat:
    commitment = None if nonce is None else hashlib.sha256(nonce).hexdigest()
    return commands.TakeSeat(seat=seat, player=player or PLAYERS[seat], commitment=commitment)


def _committed(*seats: int) -> Table:
    """All four sit; these seats committed to a nonce."""
    return opened(BLOOD).ask(*[_sits(seat, NONCES[seat] if seat in seats else None) for seat in range(4)])


def _reveals(seat: int, nonce: bytes | None = None) -> commands.RevealNonce:
    return commands.RevealNonce(seat=seat, nonce=(nonce or NONCES[seat]).hex())


def test_opening_publishes_the_ruleset_and_the_anchor_and_seals_the_root() -> None:
    command = opening(BLOOD)
    assert command.root is not None
    given([]).when(command).then(
        happened(
            MatchOpened,
            ruleset=BLOOD,
            anchor=link(command.root.value, 0).hex(),
            chain_length=CHAIN_LENGTH,
            origin="seeded",
        )
    )
    (event,) = opened(BLOOD).events
    with pytest.raises(TypeError):
        msgspec.json.encode(event)
    assert command.root.value.hex() not in msgspec.json.encode(public_form(event)).decode()


def test_match_is_opened_once() -> None:
    given(opened(BLOOD)).when(opening(BLOOD)).is_refused(MatchAlreadyOpen)


def test_nothing_can_be_asked_of_a_match_that_is_not_open() -> None:
    given([]).when(_sits(0)).is_refused(MatchNotOpen)


TERMS = [
    pytest.param(opening(BLOOD), {"hands_agreed": 4}, id="blood agrees on no number of hands"),
    pytest.param(opening(ZERO_SUM), {"hands_agreed": None}, id="zero_sum agrees on one"),
    pytest.param(opening(ZERO_SUM), {"hands_agreed": 0}, id="at least one hand"),
    pytest.param(opening(ZERO_SUM), {"hands_agreed": 257}, id="at most 256 hands"),
    pytest.param(opening(BLOOD), {"clocks": Clocks(play_s=-1)}, id="no clock runs backwards"),
    pytest.param(opening(BLOOD), {"root": None, "origin": "served"}, id="a served match has a chain"),
    pytest.param(opening(BLOOD), {"origin": "imported"}, id="an import has none"),
    pytest.param(opening(BLOOD), {"root": Secret(bytes(63))}, id="a root has 64 bytes"),
    pytest.param(
        opening(BLOOD), {"ruleset": as_recorded(BLOOD)}, id="only an import takes its first leader as given"
    ),
]


@pytest.mark.parametrize(("command", "change"), TERMS)
def test_terms_that_do_not_fit_are_refused(command: commands.OpenMatch, change: dict[str, object]) -> None:
    given([]).when(msgspec.structs.replace(command, **change)).is_refused(WrongTerms)


@pytest.mark.parametrize("hands", [1, 256])
def test_zero_sum_agrees_on_1_to_256_hands(hands: int) -> None:
    given([]).when(opening(ZERO_SUM, hands=hands)).then(happened(MatchOpened, hands_agreed=hands))


def test_player_sits_down() -> None:
    match = given(opened(BLOOD)).when(_sits(2)).then(happened(PlayerSeated, seat=2, player=PLAYERS[2]))
    assert match.players == (None, None, PLAYERS[2], None)


SITTING = [
    pytest.param(_sits(0, player=STRANGER), SeatTaken, id="the seat is taken"),
    pytest.param(_sits(1, player=PLAYERS[0]), AlreadySeated, id="the player sits already"),
    pytest.param(msgspec.structs.replace(_sits(1), seat=4), NotASeat, id="there are four seats"),
    pytest.param(msgspec.structs.replace(_sits(1), seat=-1), NotASeat, id="seats count from 0"),
    pytest.param(msgspec.structs.replace(_sits(1), commitment="ab"), WrongTerms, id="a commitment is a hash"),
    pytest.param(msgspec.structs.replace(_sits(1), commitment="AB" * 32), WrongTerms, id="in lower-case hex"),
]


@pytest.mark.parametrize(("command", "refusal"), SITTING)
def test_sitting_down_is_refused(command: commands.Command, refusal: type[CommandRefused]) -> None:
    given(opened(BLOOD).ask(_sits(0))).when(command).is_refused(refusal)


def test_last_seat_filled_brings_the_deal_and_keeps_the_leader_secret() -> None:
    table = opened(BLOOD).ask(*[_sits(seat) for seat in range(3)])
    match = (
        given(table)
        .when(_sits(3))
        .then(happened(PlayerSeated, seat=3), happened(HandDealt, hand_no=1, leader=None, deal=None))
    )
    assert match.phase == "declaring"


def test_player_gets_up_before_the_deal() -> None:
    table = opened(BLOOD).ask(_sits(0), _sits(1))
    given(table).when(commands.LeaveSeat(seat=1, cause="no nonce in time")).then(
        happened(PlayerLeft, seat=1, player=PLAYERS[1], cause="no nonce in time")
    )
    given(table).when(commands.LeaveSeat(seat=2)).is_refused(SeatEmpty, seat=2)


def test_nobody_sits_or_gets_up_after_the_deal() -> None:
    table = seated(BLOOD)
    given(table).when(commands.LeaveSeat(seat=0)).is_refused(WrongPhase)
    given(table).when(_sits(0, player=STRANGER)).is_refused(WrongPhase)
    given(table).when(_reveals(0)).is_refused(WrongPhase)


def test_deal_waits_for_every_nonce_that_was_committed_to() -> None:
    table = _committed(1, 3)
    assert table.match.phase == "seating"
    given(table).when(commands.DealHand()).is_refused(NoncesMissing, seats=[1, 3])
    given(table).when(_reveals(3)).then(happened(NonceRevealed, seat=3, nonce=NONCES[3].hex()))
    given(table.ask(_reveals(3))).when(_reveals(1)).then(
        happened(NonceRevealed, seat=1), happened(HandDealt, hand_no=1)
    )


def test_deal_waits_for_all_four_seats() -> None:
    given(opened(BLOOD).ask(_sits(0))).when(commands.DealHand()).is_refused(SeatEmpty, seat=1)


def test_nonces_are_shown_only_once_all_four_sit() -> None:
    table = opened(BLOOD).ask(*[_sits(seat, NONCES[seat]) for seat in range(3)])
    given(table).when(_reveals(0)).is_refused(WrongPhase, seat=0)


REVEALS = [
    pytest.param(_reveals(0), NonceNotCommitted, id="a seat that did not commit"),
    pytest.param(_reveals(1, bytes(32)), NonceDiffers, id="another nonce"),
    pytest.param(commands.RevealNonce(seat=1, nonce="01" * 31), NonceDiffers, id="a nonce of another length"),
    pytest.param(commands.RevealNonce(seat=1, nonce="xy" * 32), NonceDiffers, id="no hex"),
    pytest.param(_reveals(3), NonceNotCommitted, id="a nonce shown before"),
    pytest.param(commands.RevealNonce(seat=7, nonce="01" * 32), NotASeat, id="no such seat"),
]


@pytest.mark.parametrize(("command", "refusal"), REVEALS)
def test_revealing_a_nonce_is_refused(command: commands.Command, refusal: type[CommandRefused]) -> None:
    given(_committed(1, 3).ask(_reveals(3))).when(command).is_refused(refusal)


def test_newcomer_commits_and_reveals_alone_while_shown_nonces_stand() -> None:
    table = _committed(1, 3).ask(_reveals(3), commands.LeaveSeat(seat=1))
    assert table.match.nonces == (None, None, None, NONCES[3])
    assert table.match.commitments[1] is None
    fresh = bytes([9] * 32)
    table.ask(_sits(1, fresh, STRANGER))
    assert table.match.phase == "seating"
    given(table).when(_reveals(1, fresh)).then(happened(NonceRevealed, seat=1), happened(HandDealt))


def test_newcomer_without_a_nonce_brings_the_deal() -> None:
    table = _committed(1, 3).ask(_reveals(3), commands.LeaveSeat(seat=1))
    given(table).when(_sits(1, player=STRANGER)).then(happened(PlayerSeated), happened(HandDealt))


def test_revealed_nonces_are_part_of_the_deal() -> None:
    table = _committed(1).ask(_reveals(1))
    match, hand = table.match, table.hand
    assert match.root is not None
    seed = link(match.root, 1)
    assert hand.order == deal_order(seed, match.id, 1, (None, NONCES[1], None, None), 1)
    assert hand.order != deal_order(seed, match.id, 1, (None, None, None, None), 1)


def test_full_table_is_timed_from_the_fourth_seat() -> None:
    table = opened(BLOOD).ask(*[_sits(seat, NONCES[seat]) for seat in range(3)])
    assert table.match.full_since is None
    table.wait(7).ask(_sits(3, NONCES[3]))
    assert table.match.full_since == table.at
    assert table.ask(commands.LeaveSeat(seat=0)).match.full_since is None
