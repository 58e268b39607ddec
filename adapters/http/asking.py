"""What every route is given: the site, who asks, and for which match."""

from uuid import UUID

from litestar.di import NamedDependency
from litestar.params import FromPath

from adapters.http.callers import Caller
from adapters.http.site import Site
from adapters.identity.bearers import Bearer

TheSite = NamedDependency[Site]
TheBearer = NamedDependency[Bearer]
TheCaller = NamedDependency[Caller]
MatchPath = FromPath[UUID]
