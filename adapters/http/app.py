"""The application: its routes, what they depend on, and how errors are answered."""

from typing import Any

from litestar import Litestar, Request, Response
from litestar.di import Provide
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme, Tag

from adapters.http import boards, guests, hands, house, live, matches, people, replays, reviews, seats, steps
from adapters.http.callers import Caller, Connection, bearer_of, caller_of, counted_as
from adapters.http.freshness import freshness
from adapters.http.pages import FREELY_ASKED, Pages
from adapters.http.problems import MEDIA_TYPE, Problem, problem, problem_of, too_many_requests
from adapters.http.site import Site
from adapters.http.socket_document import read_socket_document
from adapters.identity.bearers import Bearer


def build_app(site: Site) -> Litestar:
    """The API of one process, and its pages."""
    pages = Pages()

    def the_site() -> Site:
        return site

    def the_bearer(request: Connection) -> Bearer:
        return bearer_of(site, request)

    def the_caller(request: Connection) -> Caller:
        return caller_of(request, bearer_of(site, request))

    def before(request: Request[Any, Any, Any]) -> Response[bytes] | Response[Problem] | None:
        return pages.instead_of_data(request) or _too_often(site, request) or _unknown_parameters(request)

    return Litestar(
        route_handlers=[
            matches.open_match,
            matches.list_tables,
            matches.look,
            matches.read_events,
            matches.abandon,
            matches.list_rulesets,
            *seats.ROUTES,
            *boards.ROUTES,
            *hands.ROUTES,
            *steps.ROUTES,
            *replays.ROUTES,
            *reviews.ROUTES,
            *people.ROUTES,
            guests.become_guest,
            *house.ROUTES,
            live.socket_route(site),
            read_socket_document,
            *pages.routes(),
        ],
        dependencies={
            "site": Provide(the_site, sync_to_thread=False),
            "bearer": Provide(the_bearer, sync_to_thread=False),
            "caller": Provide(the_caller, sync_to_thread=False),
        },
        before_request=before,
        middleware=[freshness],
        exception_handlers={Exception: _answer_error},
        request_max_body_size=site.terms.body_bytes,
        openapi_config=_openapi(),
        logging_config=None,
    )


def _too_often(site: Site, request: Request[Any, Any, Any]) -> Response[Problem] | None:
    if request.route_handler.opt.get(FREELY_ASKED) or site.limits.admit(counted_as(site, request)):
        return None
    return answer(too_many_requests())


def _unknown_parameters(request: Request[Any, Any, Any]) -> Response[Problem] | None:
    """Refuses a filter that the route does not know, by name."""
    known: tuple[str, ...] | None = request.route_handler.opt.get("query")
    if known is None:
        return None
    unknown = [name for name in request.query_params if name not in known]
    if not unknown:
        return None
    given = ", ".join(sorted(name[:40] for name in unknown))
    return answer(
        problem(
            400,
            "BadRequest",
            f"there is no parameter {given}; known are: {', '.join(known) or 'none'}",
            f"没有参数 {given}",
        )
    )


def answer(found: Problem) -> Response[Problem]:
    """A problem as it is sent."""
    headers = {"Cache-Control": "no-store"}
    if found.retry_after_s is not None:
        headers["Retry-After"] = str(found.retry_after_s)
    if found.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(content=found, status_code=found.status, media_type=MEDIA_TYPE, headers=headers)


def _answer_error(_request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    return answer(problem_of(error))


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Gongzhu (拱猪)",
        version="1",
        path="/openapi",
        # The library's own pages for people would load scripts from elsewhere.
        render_plugins=[JsonRenderPlugin(path=["/openapi.json", "/"])],
        description="Open, play and watch matches. Errors are problem+json, in English and Chinese.",
        use_handler_docstrings=True,
        tags=[
            Tag(name="matches", description="Matches on offer, in play and ended"),
            Tag(name="seats", description="What a player does at his own seat"),
            Tag(name="read models", description="What projections have made of the log"),
            Tag(name="replays", description="Matches step by step, and who could know what"),
            Tag(name="people", description="Names and reports, kept beside the log"),
            Tag(name="identity", description="Who asks"),
        ],
        components=Components(
            security_schemes={"bearer": SecurityScheme(type="http", scheme="bearer", bearer_format="JWT")}
        ),
        security=[{}, {"bearer": []}],
    )
