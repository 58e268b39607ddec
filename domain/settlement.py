"""Points: the settlement of a blood match (rules.md §6–§7) and the points of a zero-sum hand (§8)."""

from domain.rulesets import BloodSettlement, Ruleset
from domain.seats import SEATS, BySeat, side_of

Numbers = BySeat[int]


def match_is_decided(ruleset: Ruleset, blood: Numbers) -> bool:
    """Whether these totals end a blood match: someone's (a side's, with partners) is at or past a threshold."""
    settlement = ruleset.settlement
    if settlement is None:
        return False
    totals = sides_of(blood) if ruleset.partners else blood
    return any(abs(total) >= settlement.threshold for total in totals)


def settle(ruleset: Ruleset, blood: Numbers) -> Numbers | None:
    """The points of a blood match that ends with these totals, or None where they do not end it."""
    settlement = ruleset.settlement
    if settlement is None or not match_is_decided(ruleset, blood):
        return None
    if ruleset.partners:
        return _settle_partners(settlement, blood)
    return _settle_individuals(settlement, blood)


def sides_of(values: Numbers) -> tuple[int, int]:
    """The sums of the two sides."""
    return (values[0] + values[2], values[1] + values[3])


def int_towards_zero(numerator: int, denominator: int) -> int:
    """`INT` of rules.md §7: the fraction is dropped. `denominator` is positive."""
    quotient = abs(numerator) // denominator
    return quotient if numerator >= 0 else -quotient


def fall(settlement: BloodSettlement, blood: int) -> int:
    """What a player at or below −T loses when nobody is at +T."""
    steps = int_towards_zero(blood + settlement.threshold, settlement.loss_step)
    return min(settlement.loss_cap, settlement.loss - steps)


def pay(settlement: BloodSettlement, winner: int, loser: int) -> int:
    """What a loser pays against a winner at or above +T."""
    steps = int_towards_zero(abs(winner) + abs(loser) - settlement.threshold, settlement.loss_step)
    return min(settlement.loss_cap, settlement.loss + steps)


def later_winner_less(settlement: BloodSettlement, distance: int) -> int:
    """H(d): how much less than the first a later of three winners gets."""
    beyond = max(0, distance - settlement.later_winner_free)
    return settlement.later_winner + -(-beyond // settlement.later_winner_step)


def _settle_individuals(settlement: BloodSettlement, blood: Numbers) -> Numbers:
    winners = [seat for seat in SEATS if blood[seat] >= settlement.threshold]
    by_rise = bool(winners)
    if not by_rise:
        winners = [seat for seat in SEATS if blood[seat] > -settlement.threshold]
    losers = [seat for seat in SEATS if seat not in winners]
    if not winners or not losers:
        return (0, 0, 0, 0)
    first = max(blood[seat] for seat in winners)
    losses = {
        seat: pay(settlement, first, blood[seat]) if by_rise else fall(settlement, blood[seat])
        for seat in losers
    }
    gains = _gains(settlement, blood, winners, losses)
    points = [gains[seat] if seat in gains else -losses[seat] for seat in SEATS]
    return (points[0], points[1], points[2], points[3])


def _gains(
    settlement: BloodSettlement, blood: Numbers, winners: list[int], losses: dict[int, int]
) -> dict[int, int]:
    """One or two winners get the sum of the losses each; of three, those behind the first get less by distance."""
    total = sum(losses.values())
    if len(winners) < 3:
        return dict.fromkeys(winners, total)
    first = max(blood[seat] for seat in winners)
    lowest = min(blood[seat] for seat in winners)
    (loser,) = losses
    distance = abs(abs(lowest) - min(abs(blood[loser]), settlement.cap_blood))
    later = total - later_winner_less(settlement, distance)
    return {seat: total if blood[seat] == first else later for seat in winners}


def _settle_partners(settlement: BloodSettlement, blood: Numbers) -> Numbers:
    totals = sides_of(blood)
    if totals[0] == totals[1]:
        return (0, 0, 0, 0)
    by_rise = max(totals) >= settlement.threshold
    winning = 0 if totals[0] > totals[1] else 1
    loser = totals[1 - winning]
    loss = pay(settlement, totals[winning], loser) if by_rise else fall(settlement, loser)
    gain = settlement.winner_share_partners * loss
    points = [gain if side_of(seat) == winning else -loss for seat in SEATS]
    return (points[0], points[1], points[2], points[3])


def hand_points(ruleset: Ruleset, raw: Numbers) -> Numbers:
    """The points of a zero-sum hand by seat; they add up to 0."""
    factor = ruleset.hand_points_factor or 0
    shares = partner_shares(raw) if ruleset.partners else individual_shares(raw)
    return (shares[0] * factor, shares[1] * factor, shares[2] * factor, shares[3] * factor)


def partner_shares(raw: Numbers) -> Numbers:
    """Half the difference of the sides' sums to each player of the first side, and its opposite to the others."""
    first, second = sides_of(raw)
    share = (first - second) // 2
    return (share, -share, share, -share)


def individual_shares(raw: Numbers) -> Numbers:
    """Own raw score less a third of the others' sum, in integers that add up to 0 (largest remainder)."""
    total = sum(raw)
    thirds = [4 * own - total for own in raw]  # own − (total − own) / 3, three times over
    shares = [share // 3 for share in thirds]
    by_fraction = sorted(SEATS, key=lambda seat: (-(thirds[seat] % 3), seat))
    for seat in by_fraction[: -sum(shares)]:
        shares[seat] += 1
    return (shares[0], shares[1], shares[2], shares[3])
