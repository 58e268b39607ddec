"""`gongzhu serve`: it says where its health, its pages and its documents are, and that is so."""

import re
from pathlib import Path

import httpx

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


def test_serve_tells_its_pages_and_documents(tmp_path: Path) -> None:
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
