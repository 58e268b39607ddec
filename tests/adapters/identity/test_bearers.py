"""Bearer tokens: signed by keys we know, of one role, until they expire."""

import json
import stat
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from adapters.identity.bearers import AUDIENCE, ROLES, Bearers, TokenRefused
from adapters.identity.token_keys import (
    KEY_FILE,
    TokenKeys,
    TokenKeysUnreadable,
    ensure_token_keys,
    rotate_token_keys,
)
from adapters.randomness import SeededRandomness
from tests.support.live import ManualClock

PLAYER = UUID(int=5)
HOUR = timedelta(hours=1)


def keys(folder: Path, seed: int = 1) -> TokenKeys:
    return ensure_token_keys(folder, SeededRandomness(seed))


def test_token_says_who_brings_it(tmp_path: Path) -> None:
    bearers = Bearers(keys(tmp_path), ManualClock())
    for role in ROLES:
        player = PLAYER if role == "player" else None
        bearer = bearers.bearer(bearers.issue(role, player, HOUR))
        assert (bearer.role, bearer.player) == (role, player)


def test_token_of_staff_says_to_whom_it_was_issued_or_which_it_is(tmp_path: Path) -> None:
    own = keys(tmp_path)
    bearers = Bearers(own, ManualClock())
    assert bearers.bearer(bearers.issue("operator", None, HOUR, "anna")).told == "operator anna"
    assert bearers.bearer(bearers.issue("operator", None, HOUR)).told == "operator"
    claims = {"aud": AUDIENCE, "exp": 10_000_000_000, "role": "investigator", "jti": "7\n" + "x" * 200}
    told = bearers.bearer(jwt.encode(claims, own.signing, "EdDSA", {"kid": own.signing_id})).told
    assert told.startswith("investigator token 7xx")
    assert len(told) < 100


def test_token_expires_on_the_injected_clock(tmp_path: Path) -> None:
    clock = ManualClock()
    bearers = Bearers(keys(tmp_path), clock)
    token = bearers.issue("player", PLAYER, HOUR)
    clock.move(3_599)
    bearers.bearer(token)
    clock.move(1)
    with pytest.raises(TokenRefused, match="expired"):
        bearers.bearer(token)
    with pytest.raises(TokenRefused, match="expired"):
        Bearers(keys(tmp_path), clock).bearer(token)


def test_altered_foreign_and_unsigned_tokens_are_refused(tmp_path: Path) -> None:
    own = keys(tmp_path / "a")
    bearers = Bearers(own, ManualClock())
    good = bearers.issue("player", PLAYER, HOUR)
    head, body, signature = good.split(".")
    claims = jwt.decode(good, options={"verify_signature": False})
    unsigned = jwt.encode({**claims, "role": "operator"}, "", algorithm="none")
    symmetric = jwt.encode(claims, "k" * 32, algorithm="HS256", headers={"kid": own.signing_id})
    foreign = Bearers(keys(tmp_path / "b", 2), ManualClock()).issue("player", PLAYER, HOUR)
    other = Bearers(keys(tmp_path / "c", 3), ManualClock()).issue("operator", None, HOUR).split(".")[1]
    bad = [
        "",
        "x",
        "a.b.c",
        good[:-4],
        f"{head}.{other}.{signature}",
        unsigned,
        symmetric,
        foreign,
        "x" * 5_000,
    ]
    assert body
    for token in bad:
        with pytest.raises(TokenRefused):
            bearers.bearer(token)


@pytest.mark.parametrize(
    "claims",
    [
        {"role": "king"},
        {"role": "player"},
        {"role": "player", "sub": "me"},
        {},
        {"role": "operator", "aud": "other"},
        {"role": "operator", "exp": "soon"},
        {"role": "operator", "exp": 10**30},
    ],
)
def test_token_of_ours_that_says_nothing_we_understand_is_refused(
    tmp_path: Path, claims: dict[str, object]
) -> None:
    own = keys(tmp_path)
    token = jwt.encode(
        {"aud": AUDIENCE, "exp": 10_000_000_000, **claims}, own.signing, "EdDSA", {"kid": own.signing_id}
    )
    with pytest.raises(TokenRefused):
        Bearers(own, ManualClock()).bearer(token)


def test_keys_are_their_owners_and_tokens_outlive_a_rotation(tmp_path: Path) -> None:
    before = Bearers(keys(tmp_path), ManualClock())
    token = before.issue("player", PLAYER, HOUR)
    rotated = rotate_token_keys(tmp_path, SeededRandomness(9))
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert len(rotated.ids) == 2
    after = Bearers(keys(tmp_path), ManualClock())
    assert after.bearer(token).player == PLAYER
    with pytest.raises(TokenRefused):
        before.bearer(after.issue("player", PLAYER, HOUR))


def test_tokens_of_another_provider_are_accepted_by_its_public_keys(tmp_path: Path) -> None:
    private = Ed25519PrivateKey.from_private_bytes(b"p" * 32)
    public = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(private.public_key()))
    shared = {"kty": "oct", "kid": "shared", "alg": "HS256", "k": "c2VjcmV0" * 8}
    key_set = tmp_path / "jwks.json"
    key_set.write_text(json.dumps({"keys": [{**public, "kid": "theirs", "alg": "EdDSA"}, shared]}), "utf-8")
    bearers = Bearers(ensure_token_keys(tmp_path, SeededRandomness(1), key_set), ManualClock())
    claims = {"aud": AUDIENCE, "exp": 10_000_000_000, "role": "player", "sub": str(PLAYER)}
    token = jwt.encode(claims, private, "EdDSA", {"kid": "theirs"})
    assert bearers.bearer(token).player == PLAYER
    # A shared secret in the set is no public key: whoever knows it could make tokens.
    with pytest.raises(TokenRefused):
        bearers.bearer(jwt.encode(claims, "secret" * 8, "HS256", {"kid": "shared"}))


def test_damaged_key_files_are_named(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_text("{}", "utf-8")
    with pytest.raises(TokenKeysUnreadable, match="backup"):
        keys(tmp_path)
    (tmp_path / KEY_FILE).unlink()
    (tmp_path / "jwks.json").write_text("[]", "utf-8")
    with pytest.raises(TokenKeysUnreadable, match="Key Set"):
        ensure_token_keys(tmp_path, SeededRandomness(1), tmp_path / "jwks.json")
