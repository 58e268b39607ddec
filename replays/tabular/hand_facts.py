"""Rows of one hand: of its players, its plays and its declarations."""

from collections import Counter

from domain.events import (
    CardDeclared,
    CardsPlayed,
    DeclarationsClosed,
    HandDealt,
    HandEnded,
    PublishedDeclaration,
    TrickTaken,
)
from domain.match import match_result
from domain.seats import Seat
from domain.settlement import hand_points
from replays.hand_spans import HandSpan
from replays.tabular.match_facts import MatchFacts
from replays.tabular.shapes import DeclarationRow, HandRow, PlayRow


class HandFacts:
    """One hand of a match."""

    def __init__(self, match: MatchFacts, span: HandSpan) -> None:
        self.match = match
        self.number = span.number
        self.ending = span.ending
        of_hand = match.events[span.first : span.end]
        self.dealt = of_hand[0]
        self.closed = next((one for one in of_hand if isinstance(one, DeclarationsClosed)), None)
        self.plays = [event for event in of_hand if isinstance(event, CardsPlayed)]
        self.declared = [event for event in of_hand if isinstance(event, CardDeclared)]
        self.takers = {event.trick_no: event.seat for event in of_hand if isinstance(event, TrickTaken)}
        self.void = not isinstance(self.ending, HandEnded)

    def hand_row(self, seat: Seat, ended: HandEnded) -> HandRow:
        """A finished hand as one player played it."""
        match, ruleset, account = self.match, self.match.opened.ruleset, ended.accounts[seat]
        assert isinstance(self.dealt, HandDealt), "a hand's first event"
        assert self.closed is not None, "a finished hand was played"
        own = [play for play in self.plays if play.seat == seat]
        raw = match.raw_scores[ended.hand_no - 1]
        blood, _ = match_result(ruleset, match.raw_scores[: ended.hand_no])
        return HandRow(
            match=ended.match,
            hand_no=ended.hand_no,
            seat=seat,
            player=match.player(seat),
            partner=match.partners[seat],
            next_player=match.player(seat + 1),
            across_player=match.player(seat + 2),
            previous_player=match.player(seat + 3),
            ruleset=ruleset.name,
            decks=ruleset.decks,
            partners=ruleset.partners,
            origin=match.opened.origin,
            annulled=match.annulled,
            dealt_at=self.dealt.at,
            closed_at=self.closed.at,
            ended_at=ended.at,
            closed_by=self.closed.cause,
            leads=self.closed.leader == seat,
            cards=ended.deal.hands[seat],
            order_known=ended.deal.order == "dealt",
            raw_score=raw[seat],
            points=None if ruleset.by_blood else hand_points(ruleset, raw)[seat],
            blood=blood[seat] if ruleset.by_blood else None,
            corrected=raw != ended.raw_scores,
            recorded_raw_score=ended.raw_scores[seat],
            recorded_points=None if ended.points is None else ended.points[seat],
            recorded_blood=None if ended.blood is None else ended.blood[seat],
            rule=account.rule,
            hearts=account.hearts,
            hearts_factor=account.hearts_factor,
            all_hearts=account.all_hearts,
            pigs=len(account.pigs),
            sheep=len(account.sheep),
            transformers=len(account.transformers),
            factor=account.factor,
            tricks=sum(taker == seat for taker in self.takers.values()),
            declared=sum(one.seat == seat for one in self.declared),
            plays=len(own),
            autopilot_plays=sum(play.by == "autopilot" for play in own),
            think_ms=sum(play.think_ms for play in own),
        )

    def play_rows(self) -> list[PlayRow]:
        """Every play of the hand."""
        match, origin, ruleset = self.match, self.match.opened.origin, self.match.opened.ruleset.name
        places: Counter[int] = Counter()
        led_suit, rows = "", []
        for number, play in enumerate(self.plays, 1):
            places[play.trick_no] += 1
            place = places[play.trick_no]
            led_suit = play.cards[0][0] if place == 1 else led_suit
            taker = self.takers.get(play.trick_no)
            rows.append(
                PlayRow(
                    match=play.match,
                    hand_no=play.hand_no,
                    trick_no=play.trick_no,
                    play_no=number,
                    place=place,
                    seat=play.seat,
                    player=match.player(play.seat),
                    partner=match.partners[play.seat],
                    ruleset=ruleset,
                    origin=origin,
                    annulled=match.annulled,
                    void=self.void,
                    played_at=play.at,
                    card=play.cards[0],
                    second_card=play.cards[1] if len(play.cards) > 1 else None,
                    led_suit=led_suit,
                    played_by=play.by,
                    think_ms=play.think_ms,
                    taken_by=taker,
                    takes=None if taker is None else taker == play.seat,
                )
            )
        return rows

    def declaration_rows(self) -> list[DeclarationRow]:
        """Every declaration of the hand; a hidden one with its card where that has become public."""
        shown = self.ending.declarations if self.ending is not None else ()
        tricks = {card: play.trick_no for play in self.plays for card in play.cards}
        return [
            self._declaration(number, event, shown[number - 1] if number <= len(shown) else None, tricks)
            for number, event in enumerate(self.declared, 1)
        ]

    def _declaration(
        self, number: int, event: CardDeclared, shown: PublishedDeclaration | None, tricks: dict[str, int]
    ) -> DeclarationRow:
        match = self.match
        card = shown.card if shown is not None else event.card
        return DeclarationRow(
            match=event.match,
            hand_no=event.hand_no,
            declaration_no=number,
            seat=event.seat,
            player=match.player(event.seat),
            partner=match.partners[event.seat],
            ruleset=match.opened.ruleset.name,
            origin=match.opened.origin,
            annulled=match.annulled,
            void=self.void,
            declared_at=event.at,
            level=event.level,
            automatic=event.automatic,
            card=card,
            played_in_trick=tricks.get(card) if card is not None else None,
            commitment=event.commitment,
            opening=shown.opening if shown is not None else None,
        )
