"""Whether a player acts on cards that he could not see, deal by deal, against what honest play comes to.

A deal score says how a player's decisions in one deal look with the true cards, beside worlds he could not tell from
them; evidence adds up many deals against an honest population; screening looks at many players at once. Leads come out
of it, never verdicts (`limits`).
"""
