"""Checks messages of the feed against the contract's files, as a consumer would."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jsonschema

from adapters.contract.files import FOLDER
from adapters.contract.schemas import URN


@lru_cache(maxsize=64)
def validator(name: str) -> Any:
    """A validator by a file of the contract: `headers`, or `schemas/<tag>`."""
    schema = json.loads((FOLDER / f"{name}.json").read_bytes())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def faults_of_body(tag: str, body: bytes) -> list[str]:
    """What the contract has against a body; empty where it holds."""
    return _faults(validator(f"schemas/{tag}"), json.loads(body))


def faults_of_message(headers: Mapping[str, str], body: bytes) -> list[str]:
    """What the contract has against a message; its schema is the one its headers name."""
    faults = _faults(validator("headers"), dict(headers))
    return faults or faults_of_body(headers["ce-dataschema"].removeprefix(URN), body)


def _faults(by: Any, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in by.iter_errors(value)]
