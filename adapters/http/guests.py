"""Players without an account: a random id and a token, for whoever asks, where the site admits guests."""

from datetime import timedelta

from litestar import post
from litestar.exceptions import NotFoundException

from adapters.http.asking import TheSite
from adapters.http.bodies import GuestPass
from adapters.http.documented import errors
from adapters.identifiers import new_random_id


@post("/guests", tags=["identity"], summary="Become a player", responses=errors(404), opt={"query": ()})
async def become_guest(site: TheSite) -> GuestPass:
    """A new random player id and a token for it. Keep the token: nothing else says who you are."""
    if not site.terms.guests:
        raise NotFoundException("this site admits no guests")
    lasts = timedelta(hours=site.terms.guest_hours)
    player = new_random_id(site.randomness)
    token = site.bearers.issue("player", player, lasts)
    return GuestPass(player=player, token=token, expires_s=int(lasts.total_seconds()))
