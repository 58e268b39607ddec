"""Many worlds at once, as arrays: drawn by compiled code (needs numba), the same as the sampler's, number for number.

The sampler's choices are laid out as a graph: its nodes are what is left to share out, its edges the shares, each with
the bound its choice begins at. Counts stay in Python; bounds have 64 bits, and a number that is equal to one leaves the
world to the sampler itself. So draws are exactly uniform here too, for counts of any size.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from domain.cards import FIRST_COPIES, Cards, cards_in
from replays.worlds.choices import Choice
from replays.worlds.compiled_draw import draw_on
from replays.worlds.information import DECK, World
from replays.worlds.kinds import ONE, next_kind
from replays.worlds.numbers import Numbers
from replays.worlds.sampler import Sampler
from replays.worlds.shares import Shares

T = TypeVar("T")
Words = NDArray[np.uint64]

_NOWHERE: Final = -1


class WorldRows(Sequence[World]):
    """Worlds in arrays: `hands` and `face_down`, each [worlds, 4 seats, 2 words of 64 bits, the first copies first]."""

    def __init__(self, hands: Words, face_down: Words) -> None:
        self.hands = hands
        self.face_down = face_down

    def __len__(self) -> int:
        return len(self.hands)

    @overload
    def __getitem__(self, place: int) -> World: ...
    @overload
    def __getitem__(self, place: slice) -> "WorldRows": ...
    def __getitem__(self, place: int | slice) -> "World | WorldRows":
        """One world, or some of them."""
        if isinstance(place, slice):
            return WorldRows(self.hands[place], self.face_down[place])
        return World(_four(self.hands[place]), _four(self.face_down[place]))


def _four(words: Words) -> tuple[Cards, Cards, Cards, Cards]:
    first, second, third, fourth = (int(low) | int(high) << DECK for low, high in words)
    return (first, second, third, fourth)


def _words(cards: Sequence[Cards]) -> list[tuple[int, int]]:
    return [(mask & FIRST_COPIES, mask >> DECK) for mask in cards]


class FastSampler:
    """A sampler laid out for compiled draws; worth its building from some fifty worlds on."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        layout = _Layout(sampler)
        self._graph, self._stages, self._cards = layout.graph(), layout.stages(), layout.cards()
        shown, down = sampler.information.shown, sampler.information.shown_face_down
        cases = [case.face_down for case in sampler.cases.things]
        held = [[a | b for a, b in zip(shown, face_down, strict=True)] for face_down in cases]
        lying = [[a | b for a, b in zip(down, face_down, strict=True)] for face_down in cases]
        self._known = (
            np.array([_words(cards) for cards in held], np.uint64),
            np.array([_words(cards) for cards in lying], np.uint64),
        )

    def draws(self, times: int, numbers: Numbers) -> WorldRows:
        """So many worlds: those that the sampler would draw with these numbers, which are used up in the same way."""
        rows = WorldRows(np.empty((times, 4, 2), np.uint64), np.empty((times, 4, 2), np.uint64))
        at = 0
        while at < times:
            at, state = draw_on(
                np.uint64(numbers.state), at, rows.hands, rows.face_down, self._graph, self._stages, self._cards,
                self._known,
            )  # fmt: skip
            numbers.state = int(state)
            if at < times:
                world = self._sampler.draw(numbers)
                rows.hands[at], rows.face_down[at] = _words(world.hands), _words(world.face_down)
                at += 1
        return rows


class _Layout:
    """The graph of all choices of a sampler, node by node, in lists that grow."""

    def __init__(self, sampler: Sampler) -> None:
        self._first, self._edges = list[int](), list[tuple[int, int, int, int]]()
        self._numbers: dict[Hashable, int] = {}
        self._waiting: list[Callable[[], None]] = []
        self._cases = sampler.cases
        self._of_stages = [_numbers_of(cards) for case in sampler.cases.things for cards in case.cards]
        self._node("cases", self._lay_out_cases)
        for lay_out in self._waiting:  # grows as nodes are met
            self._first.append(len(self._edges))
            lay_out()
        self._first.append(len(self._edges))

    def graph(self) -> tuple[NDArray[Any], ...]:
        """By node its first edge; by edge where its choice begins, the node after it, what it gives, its kinds."""
        bounds, to, gives, inner = zip(*self._edges, strict=True)
        whole = np.int64
        return (
            np.array(self._first, whole), np.array(bounds, np.uint64), np.array(to, whole), np.array(gives, whole),
            np.array(inner, whole),
        )  # fmt: skip

    def stages(self) -> tuple[NDArray[Any], ...]:
        """By case its first stage; by stage its first card, how many it has, and whether these are kinds."""
        of_case = accumulate((len(case.shares.classes) for case in self._cases.things), initial=0)
        sizes = [len(cards) for cards in self._of_stages]
        of_kinds = [bool(of.pairs) for case in self._cases.things for of in case.shares.classes]
        starts = accumulate(sizes, initial=0)
        return (
            np.array(list(of_case), np.int64), np.array(list(starts), np.int64), np.array(sizes, np.int64),
            np.array(of_kinds, np.bool_),
        )  # fmt: skip

    def cards(self) -> NDArray[np.uint8]:
        """The cards of all stages, one after another."""
        return np.frombuffer(b"".join(self._of_stages), np.uint8)

    def _node(self, key: Hashable, lay_out: Callable[[], None]) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._waiting)
            self._waiting.append(lay_out)
        return number

    def _lay_out_cases(self) -> None:
        for place, (bound, case) in enumerate(_bounded(self._cases)):
            self._edges.append((bound, self._shares(case.shares, 0, case.shares.room), place, _NOWHERE))

    def _shares(self, shares: Shares, place: int, room: int) -> int:
        """The node at which the class at this place is shared out."""
        if place == len(shares.classes):
            return _NOWHERE
        return self._node((id(shares), place, room), partial(self._lay_out_shares, shares, place, room))

    def _lay_out_shares(self, shares: Shares, place: int, room: int) -> None:
        of = shares.classes[place]
        for bound, share in _bounded(shares.choice(place, room)):
            inner = self._kinds(of.pairs, of.size, share) if of.pairs else _NOWHERE
            self._edges.append((bound, self._shares(shares, place + 1, room - share), share, inner))

    def _kinds(self, pairs: int, left: int, share: int) -> int:
        """The node at which the first of so many kinds is laid."""
        if not left:
            return _NOWHERE
        return self._node((pairs, left, share), partial(self._lay_out_kinds, pairs, left, share))

    def _lay_out_kinds(self, pairs: int, left: int, share: int) -> None:
        for bound, (first, second) in _bounded(next_kind(pairs, left, share)):
            rest = self._kinds(pairs, left - 1, share - ONE[first] - ONE[second])
            self._edges.append((bound, rest, first | second << 2, _NOWHERE))


@lru_cache(maxsize=4096)
def _numbers_of(cards: Cards) -> bytes:
    return bytes(cards_in(cards))


def _bounded(choice: Choice[T]) -> Iterator[tuple[int, T]]:
    """Each thing with the number its choice begins at."""
    return zip((0, *choice.bounds), choice.things, strict=True)
