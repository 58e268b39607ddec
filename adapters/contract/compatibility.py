"""Whether readers of an older schema can read what a newer one admits: the public form only ever gains (design §5)."""

from typing import Any, Final

Schema = dict[str, Any]

_SAY_NOTHING: Final = frozenset({"$schema", "$id", "$defs", "title", "description", "required", "properties"})
_MAY_DIFFER: Final = frozenset({"schema"})
"""Fields whose value is the version itself."""


def losses(older: Schema, newer: Schema) -> list[str]:
    """What a reader of `older` relies on and `newer` does not keep, a line each; empty where it only gains."""
    return _losses("", older, newer, older.get("$defs", {}), newer.get("$defs", {}))


def _losses(path: str, older: Any, newer: Any, olds: Schema, news: Schema) -> list[str]:
    older, newer = _followed(older, olds), _followed(newer, news)
    if not (isinstance(older, dict) and isinstance(newer, dict)):
        return [] if older == newer else [f"{path or 'the event'}: {older} has become {newer}"]
    found = [f"{_at(path, field)}: gone" for field in _lost(older, newer)]
    for field in older.get("properties", {}).keys() & newer.get("properties", {}).keys() - _MAY_DIFFER:
        found += _losses(_at(path, field), older["properties"][field], newer["properties"][field], olds, news)
    for key in (older.keys() | newer.keys()) - _SAY_NOTHING:
        found += _losses_of_keyword(path, key, older, newer, olds, news)
    return sorted(found)


def _followed(schema: Any, definitions: Schema) -> Any:
    if isinstance(schema, dict) and "$ref" in schema:
        return definitions[schema["$ref"].rpartition("/")[2]]
    return schema


def _lost(older: Schema, newer: Schema) -> set[str]:
    """Fields that readers were told would always be there and that now may not be."""
    kept: set[str] = newer.get("properties", {}).keys() & set(newer.get("required", ()))
    return set(older.get("required", ())) - kept


def _losses_of_keyword(
    path: str, key: str, older: Schema, newer: Schema, olds: Schema, news: Schema
) -> list[str]:
    before, after = older.get(key), newer.get(key)
    if isinstance(before, dict) and isinstance(after, dict):
        return _losses(f"{path}[]", before, after, olds, news)
    if key == "anyOf" and before and after and len(before) == len(after):
        pairs = zip(before, after, strict=True)
        return [loss for old, new in pairs for loss in _losses(path, old, new, olds, news)]
    if before == after or _is_narrower(key, before, after):
        return []
    if key == "enum" and before and after:
        return [f"{path}: {value!r} is new" for value in after if value not in before]
    return [f"{path or 'the event'}: {key} was {before}, is {after}"]


def _is_narrower(key: str, before: Any, after: Any) -> bool:
    """Whether a condition only admits less than it did."""
    if before is None:
        return key not in ("type", "additionalProperties", "items")
    if key in ("minimum", "minItems") and after is not None:
        return bool(after >= before)
    return key in ("maximum", "maxItems") and after is not None and bool(after <= before)


def _at(path: str, field: str) -> str:
    return f"{path}.{field}" if path else field
