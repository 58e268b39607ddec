"""`gongzhu serve`: it says where its health, its pages and its documents are, and that is so."""

import json
import re
from pathlib import Path

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from adapters.identity.bearers import AUDIENCE
from tests.support.gongzhu import gongzhu_over
from tests.support.waiting import eventually


def test_serve_tells_its_health_and_metrics(tmp_path: Path) -> None:
    with gongzhu_over(tmp_path / "data") as gongzhu:
        serving = gongzhu.start("serve")
        assert serving.stderr is not None
        said = next(line for line in serving.stderr if "health at" in line)
        (url,) = re.findall(r"health at (http://127\.0\.0\.1:\d+)/health/ready", said)
        assert httpx.get(f"{url}/health/live").json() == {"status": "alive"}
        eventually(lambda: httpx.get(f"{url}/health/ready").status_code == 200, what="everything is ready")
        assert 'gongzhu_part_state{part="relay",state="working"} 1.0' in httpx.get(f"{url}/metrics").text
        assert gongzhu.json("status")["served"]


def test_serve_tells_its_pages_and_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONGZHU_TOKEN_KEYS", str(tmp_path / "jwks.json"))
    token = token_of_another_provider(tmp_path / "jwks.json")
    with gongzhu_over(tmp_path / "data") as gongzhu:
        serving = gongzhu.start("serve", "--http", "127.0.0.1:0")
        assert serving.stderr is not None
        said = next(line for line in serving.stderr if "pages at" in line)
        page, *documents = (httpx.get(url) for url in re.findall(r"http://[^\s,]+", said))
        assert page.headers["content-type"].startswith("text/html")
        assert [
            [name for name in ("openapi", "asyncapi") if name in answer.json()] for answer in documents
        ] == [
            ["openapi"],
            ["asyncapi"],
        ]
        for given, status in ((token, 200), (token[:-4], 401)):
            headers = {"Authorization": f"Bearer {given}"}
            assert httpx.get(page.url.join("/tables"), headers=headers).status_code == status


def test_second_process_serves_the_same_tables_without_the_feed(tmp_path: Path) -> None:
    with gongzhu_over(tmp_path / "data") as gongzhu:
        urls = []
        for arguments in (["serve"], ["serve", "--no-feed"]):
            serving = gongzhu.start(*arguments, "--http", "127.0.0.1:0")
            assert serving.stderr is not None
            said = next(line for line in serving.stderr if "pages at" in line)
            urls.append(re.findall(r"pages at (http://[\d.:]+)/", said)[0])
        one, other = urls
        guest = httpx.post(f"{one}/guests").json()
        headers = {"Authorization": f"Bearer {guest['token']}"}
        opened = httpx.post(f"{one}/matches", json={"ruleset": "blood-1"}, headers=headers).json()
        taken = httpx.post(f"{other}/matches/{opened['match']}/seats/3/take", json={}, headers=headers)
        assert taken.json()["number"] == 2
        seen = httpx.get(f"{one}/matches/{opened['match']}").json()["view"]["players"]
        assert seen == [None, None, None, guest["player"]]
        eventually(lambda: httpx.get(f"{other}/matches").json()["matches"], what="the first one's feed")
        assert "give --http" in gongzhu.complaint("serve", "--no-feed", exit_code=2)


def token_of_another_provider(key_set: Path) -> str:
    """A token signed with a key whose public part is written to this file."""
    private = Ed25519PrivateKey.generate()
    public = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(private.public_key()))
    key_set.write_text(json.dumps({"keys": [{**public, "kid": "theirs", "alg": "EdDSA"}]}), "utf-8")
    claims = {"aud": AUDIENCE, "exp": 10_000_000_000, "role": "operator", "sub": "anna@elsewhere"}
    return jwt.encode(claims, private, "EdDSA", {"kid": "theirs"})
