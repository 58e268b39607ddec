"""Files of several matches, and texts that were cut off."""

from domain.rulesets import RULESETS
from replays.notation import Comment, Notation, NotationError, parse, parse_all, rewrite, write
from tests.replays.notation.corpus import imported_matches, whole_match


def lines(text: str) -> list[bytes]:
    return text.encode().splitlines(keepends=True)


def test_matches_of_a_file_are_read_one_by_one() -> None:
    matches = list(imported_matches(4))
    texts = [
        write(events, comments=[Comment(0, "[Gongzhu in a comment"), Comment(len(events), "the end")])
        for events in matches
    ]
    read = list(parse_all(lines("\n".join(texts))))
    assert [one.events for one in read if isinstance(one, Notation)] == matches
    assert [rewrite(one) for one in read if isinstance(one, Notation)] == texts
    assert list(parse_all(lines("\ufeff" + "".join(texts)))) == read


def test_faulty_match_is_named_by_its_line_and_the_others_are_read() -> None:
    texts = [write(events) for events in imported_matches(3)]
    before = texts[0].count("\n")
    at = texts[1][: texts[1].index("done 2")].count("\n") + 1
    one, wrong, other = parse_all(lines(texts[0] + texts[1].replace("done 2", "done 5") + texts[2]))
    assert isinstance(one, Notation)
    assert isinstance(other, Notation)
    assert isinstance(wrong, NotationError)
    assert (wrong.line, wrong.column) == (before + at, 6)


def test_file_of_nothing_holds_no_match() -> None:
    assert list(parse_all([])) == list(parse_all([b"\xef\xbb\xbf", b"\r\n", b" "])) == []
    (wrong,) = parse_all([b"hello\n"])
    assert isinstance(wrong, NotationError)
    (wrong,) = parse_all([b"[Gongzhu\n", b"x" * 70_000_000])
    assert "at most 16,000,000 characters" in str(wrong)


def test_text_that_was_cut_off_is_told_from_a_whole_one() -> None:
    events = whole_match(RULESETS["zero_sum-1"], 5, hands=1)
    text = write(events)
    assert text.endswith(f"\nend {len(events)}\n")
    assert parse(text).complete
    for kept in range(1, len(events) + 1):
        cut = write(events[:kept], complete=False)
        assert not parse(cut).complete
        assert rewrite(parse(cut)) == cut
    for at in range(len(text) - 3, text.index("closed"), -11):
        try:
            read = parse(text[:at])
        except NotationError:
            continue
        assert not read.complete
