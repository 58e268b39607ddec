"""What the OpenAPI document says of every route: its errors, and examples of what is sent."""

from typing import Any, Final

from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example

from adapters.http.problems import MEDIA_TYPE, Problem

MATCH_EXAMPLE: Final = "019abc00-0000-7000-8000-000000000001"
COMMAND_ID_EXAMPLE: Final = "6f2b1c52-0d0e-4a53-9a0e-6f3b2f1c9f10"

_TEXTS: Final = {
    400: "A parameter or field is wrong; `detail` names it",
    401: "The token is missing, altered or expired",
    403: "Not for this player, or not for this role",
    404: "There is no such match",
    409: "Not possible now: the rules, or the state of the match; nothing has changed",
    413: "The body is too large",
    422: "Not possible so: the cards, the seat or the terms; nothing has changed",
    429: "Too many requests; `Retry-After` says how long to wait",
    503: "The log is busy or away; ask again with the same command id after `Retry-After`",
}

_REFUSAL: Final = {
    "type": "/problems/NotYourTurn",
    "title": "NotYourTurn",
    "status": 409,
    "detail": "seat 2: it is the turn of seat 1 (rules §4)",
    "detail_zh": "2 号座位：现在轮到 1 号座位（规则 §4）",
    "reason": "NotYourTurn",
    "rule": "rules §4",
    "seat": 2,
}


def errors(*statuses: int) -> dict[int, ResponseSpec]:
    """The errors a route may answer with."""
    return {
        status: ResponseSpec(
            Problem,
            description=_TEXTS[status],
            media_type=MEDIA_TYPE,
            generate_examples=False,
            examples=[Example(summary="a refusal", value=_REFUSAL)] if status == 409 else None,
        )
        for status in (*statuses, 429, 503)
    }


COMMAND_ERRORS: Final = (400, 401, 403, 404, 409, 413, 422)


def example(summary: str, **value: Any) -> Example:
    """An example of a body, with a command id."""
    return Example(summary=summary, value={"command_id": COMMAND_ID_EXAMPLE, **value})
