"""The viewer's own rules and views, in the browser, give what the domain gives: in every ruleset, at every step."""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page

from domain.cards import cards_in, names_of, parse_cards
from domain.decisions.playing import legal_plays, play_refusal
from domain.events import HandEnded
from domain.rulesets import RULESETS
from domain.visibility import EVERYTHING, SPECTATOR, Viewer
from replays.timeline import CardsNotPublic, Timeline
from tests.browser.viewer_pages import document_of, modules_in
from tests.replays.matches import abandoned_match, public, recorded_match
from tests.support.chromium import Pages

VIEWERS: tuple[Viewer, ...] = (0, 1, 2, 3, SPECTATOR, EVERYTHING)
MOST_TRIED = 30
"""So many choices of two cards are tried of a hand, where two are owed or may be led."""

ASKED = """
async ({ document: replay, plays, views }) => {
    const { statesOf, viewOf, afterPlay } = await import("/assets/viewer/course.js");
    const { legalPlays, refusalOf, rawScores } = await import("/assets/viewer/rules.js");
    const states = statesOf(replay);
    const scored = (hand) => rawScores(replay.ruleset, hand.taken,
        Object.fromEntries(hand.declarations.map((one) => [one.card, one.level])));
    return {
        plays: plays.map(({ step, tried }) => {
            const { hand } = states[step];
            return {
                legal: legalPlays(replay.ruleset, hand),
                refused: tried.map((cards) => {
                    const refusal = refusalOf(replay.ruleset, hand, cards);
                    return refusal && [refusal.reason, refusal.card ?? null];
                }),
            };
        }),
        after: replay.steps.map(({ event }, index) => event.type === "CardsPlayed" &&
            afterPlay(states[index], event.cards).hand),
        raw: replay.steps.map(({ event }, index) => event.type === "HandEnded" && scored(states[index].hand)),
        views: views.map(([step, viewer]) => viewOf(states[step], viewer)),
    };
}
"""


@pytest.fixture(scope="module", name="modules")
def modules_fixture(browser: Browser) -> Iterator[Page]:
    pages = Pages(browser, "http://viewer.invalid")
    page = pages.open(None)
    modules_in(page)
    yield page
    pages.close()


def choices(timeline: Timeline, step: int, chance: Random) -> dict[str, Any] | None:
    """The step's number, and what its seat to move is to try; None where nobody chooses a card."""
    match = timeline.state(step)
    if (
        match.phase != "playing"
        or match.hand is None
        or match.hand.turn is None
        or match.hand.holdings is None
    ):
        return None
    names = names_of(cards_in(match.hand.holdings[match.hand.turn]), match.ruleset.decks)
    pairs = list(combinations(names, 2))
    tried = [[name] for name in names] + [
        list(two) for two in chance.sample(pairs, min(MOST_TRIED, len(pairs)))
    ]
    return {"step": step, "tried": tried}


def decided(timeline: Timeline, choice: dict[str, Any]) -> dict[str, Any]:
    """What the domain says of a choice, in the form of the page's answer."""
    match = timeline.state(choice["step"])
    hand, decks = match.hand, match.ruleset.decks
    assert hand is not None
    assert hand.turn is not None
    refusals = [
        play_refusal(match.ruleset, hand, hand.turn, parse_cards(cards, decks)) for cards in choice["tried"]
    ]
    return {
        "legal": as_sets(
            names_of(cards_in(play), decks) for play in legal_plays(match.ruleset, hand, hand.turn)
        ),
        "refused": [refusal and [refusal.reason, refusal.card] for refusal in refusals],
    }


def as_sets(plays: Any) -> list[list[str]]:
    return sorted(sorted(play) for play in plays)


def comparable(view: dict[str, Any]) -> dict[str, Any]:
    """A view without what a replay does not show, cards in hand in one order."""
    kept = {key: value for key, value in view.items() if key not in _NOT_SHOWN}
    if kept["hand"] is not None:
        hand = {key: value for key, value in kept["hand"].items() if key != "deadline"}
        hand["cards"] = sorted(hand["cards"]) if hand["cards"] is not None else None
        hand["all_cards"] = [sorted(cards) for cards in hand["all_cards"]] if hand["all_cards"] else None
        hand["legal"] = as_sets(hand["legal"]) if hand["legal"] is not None else None
        kept["hand"] = hand
    return kept


_NOT_SHOWN = ("match", "ruleset", "origin", "hands_agreed", "last_hand")


def seen(timeline: Timeline, chance: Random, count: int) -> list[tuple[int, Viewer]]:
    """Steps with viewers who may look there."""
    found: list[tuple[int, Viewer]] = []
    for step in sorted(chance.choices(range(1, len(timeline) + 1), k=count)):
        viewer = chance.choice(VIEWERS)
        try:
            timeline.view(step, viewer)
        except CardsNotPublic:
            continue
        found.append((step, viewer))
    return found


SEEDS = [pytest.param(range(2), id="some"), pytest.param(range(2, 20), id="many", marks=pytest.mark.long)]


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_rules_takers_scores_and_views_are_the_domains(ruleset: str, seeds: range, modules: Page) -> None:
    chance = Random(ruleset)
    for seed in seeds:
        events = public(recorded_match(ruleset, seed, hands=1))
        timeline = Timeline(events)
        steps = range(1, len(timeline) + 1)
        plays = [choice for step in steps if (choice := choices(timeline, step, chance))]
        views = seen(timeline, chance, 60)
        asked = {"document": document_of(events, with_knowledge=False), "plays": plays, "views": views}
        answer = modules.evaluate(ASKED, asked)
        for choice, given in zip(plays, answer["plays"], strict=True):
            given["legal"] = as_sets(given["legal"])
            assert given == decided(timeline, choice), (ruleset, seed, choice["step"])
        for (step, viewer), view in zip(views, answer["views"], strict=True):
            told = msgspec.json.decode(msgspec.json.encode(timeline.view(step, viewer)))
            assert comparable(view) == comparable(told), (ruleset, seed, step, viewer)
        for event, raw in zip(events, answer["raw"], strict=True):
            assert raw == (list(event.raw_scores) if isinstance(event, HandEnded) else False)
        for step, hand in enumerate(answer["after"], 1):
            state = timeline.state(min(step + 1, len(timeline))).hand
            if hand and state is not None and len(hand["plays"]) == 0:
                assert hand["takers"] == list(state.takers), (ruleset, seed, step)


def test_hand_whose_cards_never_became_public_is_seen_as_by_a_spectator(modules: Page) -> None:
    events = abandoned_match("blood-1", 5, plays=7, with_key=False)
    timeline = Timeline(events)
    spectator: Viewer = SPECTATOR
    views = [(step, spectator) for step in range(1, len(events) + 1)]
    answer = modules.evaluate(
        ASKED, {"document": document_of(events, with_knowledge=False), "plays": [], "views": views}
    )
    for (step, viewer), view in zip(views, answer["views"], strict=True):
        told = msgspec.json.decode(msgspec.json.encode(timeline.view(step, viewer)))
        assert comparable(view) == comparable(told), step


def test_every_text_is_there_in_both_languages(modules: Page) -> None:
    missing = modules.evaluate(
        """async () => {
            await Promise.all(["viewer_words", "cards", "account", "theme", "choices"]
                .map((name) => import(`/assets/viewer/${name}.js`)));
            return (await import("/assets/viewer/words.js")).untranslated();
        }"""
    )
    assert missing == []
