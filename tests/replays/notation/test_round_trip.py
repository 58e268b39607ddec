"""What is written is read back exactly; what is canonical comes back byte for byte; all else becomes canonical."""

import re
from collections.abc import Callable
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.events import EVENT_TYPES, CardsPlayed, Event, HandEnded, MatchOpened, TrickTaken
from domain.rulesets import RULESETS, Ruleset
from replays.notation import Comment, Notation, NotationError, NotWritable, Tag, parse, rewrite, write
from replays.notation.texts import WIDTH, tidy
from tests.replays.notation.corpus import imported_matches, public, some_match, whole_match
from tests.support.random_play import random_events
from tests.support.strategies import seeds

EVERY_RULESET = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))


@pytest.fixture(name="times")
def times_fixture(request: pytest.FixtureRequest) -> int:
    """How many times more is tried with `--long`."""
    return 10 if request.config.getoption("--long") else 1


def check(events: tuple[Event, ...]) -> str:
    """Writes and reads a match; gives its text."""
    text = write(events)
    assert parse(text).events == events
    assert rewrite(parse(text)) == text
    return text


@EVERY_RULESET
def test_whole_matches_come_back(ruleset: Ruleset, times: int) -> None:
    for seed in range(3 * times):
        text = check(whole_match(ruleset, seed))
        assert "event" not in text
        assert all(len(line) <= WIDTH for line in text.splitlines())


def test_matches_of_every_kind_come_back(times: int) -> None:
    met: set[type[Event]] = set()
    for seed in range(80 * times):
        events = some_match(Random(f"any {seed}"))
        assert 'event "' not in check(events)
        met |= {type(event) for event in events}
    assert met == set(EVENT_TYPES)


def test_imported_matches_come_back() -> None:
    for events in imported_matches():
        text = check(events)
        assert 'event "' not in text
        assert " shown unordered" in text


def test_secrets_are_never_written() -> None:
    events = random_events(RULESETS["blood-1"], Random(5), hands=1)
    unfinished = [event for event in events if not isinstance(event, HandEnded)]
    text = write(unfinished)
    assert "cards ?" in text
    assert "seed" not in text.partition("\n\n")[2]
    assert parse(text).events == public(unfinished)


@EVERY_RULESET
def test_ruleset_that_is_not_the_newest_is_written_whole(ruleset: Ruleset) -> None:
    events = whole_match(ruleset, "old", hands=1)
    opened = events[0]
    assert isinstance(opened, MatchOpened)
    assert "RulesetValue" not in write(events)
    for other in (
        replace(ruleset, revision=0),
        replace(ruleset, name="house rules 家规", most_hands=12),
        replace(ruleset, most_hands=12),
    ):
        text = check((replace(opened, ruleset=other), *events[1:]))
        assert "RulesetValue" in text


def test_ruleset_of_an_unknown_revision_needs_its_value() -> None:
    text = write(whole_match(RULESETS["blood-1"], 1, hands=1))
    with pytest.raises(NotationError, match=r"line 3, column 2: expected a ruleset of a revision known here"):
        parse(text.replace("blood-1 revision 1", "blood-1 revision 7"))


# --- tampered records ----------------------------------------------------------------------------------------------


def tampered(event: Event, random: Random) -> Event:
    """An event with one value exchanged for another of its type."""
    values = msgspec.to_builtins(event)
    fields = [name for name in values if name not in ("type", "schema", "match", "version", "at", "ruleset")]
    if not fields:
        return event
    name = random.choice(fields)
    other: dict[type, Callable[[], object]] = {
        int: lambda: random.randrange(-3, 40),
        bool: lambda: random.random() < 0.5,
        str: lambda: random.choice(["SQ", "nonsense", "", "hidden", "time", "player"]),
        list: lambda: random.sample(values[name], k=random.randrange(len(values[name]) + 1)),
    }
    values[name] = other.get(type(values[name]), lambda: None)()
    try:
        return msgspec.convert(values, type(event))
    except msgspec.ValidationError:
        return event


def test_records_that_were_tampered_with_come_back_too(times: int) -> None:
    changed = 0
    for seed in range(60 * times):
        random = Random(f"tampered {seed}")
        events = list(some_match(random))
        for _ in range(random.randrange(1, 6)):
            place = random.randrange(1, len(events)) if len(events) > 1 else 0
            before = events[place]
            events[place] = tampered(before, random) if place else before
            changed += events[place] != before
        check(tuple(events))
    assert changed > 60


def disordered(events: list[Event], random: Random) -> list[Event]:
    """The events with one left out, told twice, or exchanged for another; numbered anew."""
    one, other = (random.randrange(1, len(events)) for _ in range(2))
    match random.randrange(3):
        case 0:
            del events[one]
        case 1:
            events.insert(one, events[other])
        case _:
            events[one], events[other] = events[other], events[one]
    return [replace(event, version=number) for number, event in enumerate(events, start=1)]


def test_records_that_were_put_out_of_order_come_back_too(times: int) -> None:
    for seed in range(60 * times):
        random = Random(f"disordered {seed}")
        events = list(some_match(random))
        if len(events) > 1:
            check(tuple(disordered(events, random)))


def test_record_without_its_trick_takings_comes_back() -> None:
    events = [e for e in whole_match(RULESETS["zero_sum-2"], 3, hands=1) if not isinstance(e, TrickTaken)]
    renumbered = tuple(replace(event, version=number) for number, event in enumerate(events, start=1))
    assert 'event "' in check(renumbered)


def test_what_is_no_match_is_not_written() -> None:
    events = whole_match(RULESETS["blood-1"], 1, hands=1)
    for wrong in ((), events[1:], events[:4] + events[5:], (replace(events[0], version=2),)):
        with pytest.raises(NotWritable):
            write(wrong)
    with pytest.raises(NotWritable, match="comments are on steps from 0"):
        write(events, comments=[Comment(len(events) + 1, "late")])


# --- tags and comments ---------------------------------------------------------------------------------------------

texts = st.text(max_size=150)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,12}", fullmatch=True).filter(
    lambda name: (
        not re.match(
            r"(?i)gongzhu|match|ruleset|firstlead|hands|origin|opened|clocks|abandon|anchor|chain|player",
            name,
        )
    )
)


@settings(max_examples=40)
@given(seeds, st.lists(st.tuples(names, texts)), st.lists(st.tuples(st.floats(0, 1), texts), max_size=12))
def test_tags_and_comments_survive(
    seed: int, tags: list[tuple[str, str]], remarks: list[tuple[float, str]]
) -> None:
    events = some_match(Random(seed))
    steps = sorted(round(place * len(events)) for place, _ in remarks)
    comments = [Comment(step, tidy(text)) for step, (_, text) in zip(steps, remarks, strict=True)]
    text = write(events, [Tag(*tag) for tag in tags], comments)
    read = parse(text)
    assert read == Notation(events=events, tags=tuple(Tag(*tag) for tag in tags), comments=tuple(comments))
    assert rewrite(read) == text


def test_comment_on_a_taken_trick_is_told_from_one_on_its_last_card() -> None:
    events = whole_match(RULESETS["blood-1"], 1, hands=1)
    taken = next(event for event in events if isinstance(event, TrickTaken))
    comments = (Comment(taken.version - 1, "why this card?"), Comment(taken.version, "the trick"))
    text = write(events, comments=comments)
    assert "  {why this card?}\n  taken\n  {the trick}\n2. " in text
    assert parse(text).comments == comments


# --- other readable texts ------------------------------------------------------------------------------------------


def scribbled(text: str, random: Random) -> str:
    """The same match as a person, a mail program or another tool might have written it."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"|[^"]+', lambda part: _restyled(part[0], random), text)
    if random.random() < 0.5:
        text = text.replace("\n", "\r\n")
    return ("\ufeff" if random.random() < 0.5 else "") + text


def _restyled(part: str, random: Random) -> str:
    if part.startswith('"'):
        return part
    signs = dict(zip("SHDC", random.choice(["♠♥♦♣", "♤♡♢♧", "shdc"]), strict=True))
    if random.random() < 0.7:
        part = re.sub(
            r"\b([SHDC])([2-9TJQKA])([ab]?)(?!\w)",
            lambda c: signs[c[1]] + random.choice([c[2], c[2].lower()]).replace("T", "10") + c[3],
            part,
        )
    part = re.sub(
        r"\(([0-9.]+)\)", lambda t: f" ( {t[1]}{'0' if '.' in t[1] and len(t[1]) < 7 else ''} ) ", part
    )
    part = re.sub(r" +", lambda _: random.choice([" ", "  ", "\n", "\t", " \n "]), part)
    return random.choice([part, part.upper()]) if "[" not in part and "T" not in part else part


def test_any_readable_text_becomes_canonical_and_stays_so(times: int) -> None:
    for seed in range(30 * times):
        random = Random(f"scribbled {seed}")
        events = some_match(random)
        text = write(events)
        other = scribbled(text, random)
        assert parse(other).events == events
        assert rewrite(parse(other)) == text


def test_tags_may_stand_in_any_order() -> None:
    events = whole_match(RULESETS["zero_sum-1"], 1, hands=1)
    text = write(events, [Tag("Event", "Friday"), Tag("event", "again")])
    head, _, body = text.partition("\n\n")
    tags = re.findall(r"\[[^]]*\]", head)
    for seed in range(20):
        mixed = Random(seed).sample(tags, k=len(tags))
        mixed.sort(key=lambda tag: tag.startswith('[event "'))  # the order of tags of others is kept
        assert rewrite(parse("\n".join(mixed) + body)) == text


def test_labels_and_times_may_be_left_out() -> None:
    events = next(imported_matches(1))
    text = write(events)
    plays = sum(isinstance(event, CardsPlayed) for event in events)
    assert text.count("(") == 0
    bare, labels = re.subn(r"(?m)^\d+\. \d: ", "", text)
    assert labels == plays / 4
    assert rewrite(parse(bare)) == text


def test_comments_to_the_end_of_the_line_are_read() -> None:
    events = whole_match(RULESETS["blood-1"], 2, hands=1)
    text = write(events)
    first, _, rest = text.partition("\n1. ")
    rest = rest.removesuffix(f"end {len(events)}\n")
    read = parse(f"# from a mail\n{first} # {{well}}  begun \n1. {rest}# the end")
    closed = next(event.version for event in events if type(event).__name__ == "DeclarationsClosed")
    assert read.comments == (
        Comment(0, "from a mail"),
        Comment(closed, "{well} begun"),
        Comment(len(events), "the end"),
    )
    assert rewrite(parse(rewrite(read))) == rewrite(read)
