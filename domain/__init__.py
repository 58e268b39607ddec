"""The game of Gongzhu: cards, rules, the match aggregate and what each viewer may see of it.

Nothing here reads a clock, draws a number, opens a file or knows of a database or a broker: time, randomness and
keys come in as values. msgspec and the standard library only.
"""
