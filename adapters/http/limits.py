"""How often one client may ask: a bucket that fills steadily and holds a burst."""

from collections import OrderedDict
from datetime import datetime

from adapters.clock import Clock


class Limits:
    """Buckets by client; the ones longest unused are forgotten, which is as if they were full."""

    def __init__(self, clock: Clock, a_second: float, burst: int, most: int) -> None:
        self._clock = clock
        self._a_second = a_second
        self._burst = burst
        self._most = most
        self._buckets: OrderedDict[str, tuple[float, datetime]] = OrderedDict()

    def admit(self, client: str) -> bool:
        """Whether this client may ask once more now; if so, it is counted."""
        now = self._clock.now()
        left, at = self._buckets.get(client, (float(self._burst), now))
        left = min(float(self._burst), left + max(0.0, (now - at).total_seconds()) * self._a_second)
        admitted = left >= 1
        self._buckets[client] = (left - 1 if admitted else left, now)
        self._buckets.move_to_end(client)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return admitted
