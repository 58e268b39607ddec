"""Worlds: every deal that someone at a table cannot tell from the true one, drawn exactly uniformly.

A world is where all cards lie: the hands of the four seats now, and which of their cards lie face down as declared. How
to get worlds, for one step or along a whole hand (each event is read once, whoever asks):

    course = Course(ruleset)
    for event in events_of_the_hand:                            # from its HandDealt on
        course.see(event)                                       # or declare/close/play, on masks alone
        information = course.information(seat, own_cards, own_face_down)
        sampler = Sampler(information)                          # raises NoWorld where the record breaks the rules
        sampler.count                                           # how many worlds there are: a whole number
        worlds = draw_worlds(sampler, 1000, Numbers(stream_of(7, step, seat)))   # stream_of: domain.streams

`draw_worlds` gives a sequence of `World`s; compiled (numba) it is a `fast.WorldRows`, whose `hands` and `face_down` are
arrays [worlds, 4 seats, 2 words]. `sampler.draws` is the same in Python, number for number. Measured on a core: build
0.1 ms (two decks 0.7), a world 20–30 µs; compiled 0.2 ms to lay out (two decks 3), 1,000 worlds 0.4–1 ms.

`information_at(timeline, step, knower)` does it for one step of a match. `world_of(hand)` is the true world, where the
hand is public. `information.showing(seat, cards, face_down)` holds one more hand to be known: worlds in which just that
seat's cards are the true ones. `weighed` gives worlds importance weights, for a reader of others' plays.

What holds: worlds are those, and only those, in which every declaration and play so far was admitted by the rules; each
is drawn with probability 1 / count (a world is a deal together with the choice of what lies face down); equal numbers
give equal draws. What is not used: the order of the deal, how others tend to play, and think times. One consequence: in
two decks the leader of a match was dealt the first ♣2, which makes worlds where it holds both twice as likely as ours.
"""

from replays.worlds.at_steps import information_at, world_of
from replays.worlds.course import Course
from replays.worlds.drawing import draw_worlds
from replays.worlds.information import InformationSet, NoWorld, World
from replays.worlds.numbers import Numbers
from replays.worlds.sampler import Sampler
from replays.worlds.weighing import Weighed, weighed

__all__ = [
    "Course",
    "InformationSet",
    "NoWorld",
    "Numbers",
    "Sampler",
    "Weighed",
    "World",
    "draw_worlds",
    "information_at",
    "weighed",
    "world_of",
]
