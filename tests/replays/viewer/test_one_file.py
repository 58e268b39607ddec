"""Modules become one script, and what cannot is refused."""

import pytest

from replays.viewer.one_file import CannotBundle, bundled, one_file

PAGE = (
    '<html><head><link rel="stylesheet" href="/assets/viewer/a.css">\n'
    '<script type="module" src="/assets/viewer/a.js"></script>\n</head><body></body></html>'
)


def test_modules_stand_after_those_they_import_and_give_what_they_export() -> None:
    assets = {
        "a.js": 'import { one as uno,\n  two } from "./b.js";\nimport "./c.js";\nuno(two);\n',
        "b.js": 'import "./c.js";\nexport const two = 2;\nexport function one() {}\nexport class Three {}\n',
        "c.js": "export async function four() {}\n",
    }
    script = bundled("a.js", assets)
    assert [script.index(f'modules["{name}.js"] =') for name in "cba"] == sorted(
        script.index(f'modules["{name}.js"] =') for name in "cba"
    )
    assert 'const { one: uno,\n  two } = modules["b.js"];' in script
    assert "return { two, one, Three };" in script
    assert "return { four };" in script


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ('import b from "./b.js";', "as the other modules do"),
        ("export default 1;", "as the other modules do"),
        ('import { c } from "./c.js";', "no asset c.js"),
        ('import { a } from "./a.js";', "a.js → a.js"),
        ('const text = "</SCRIPT>";', "end the script"),
    ],
)
def test_what_cannot_be_put_into_a_file_is_refused(source: str, what: str) -> None:
    with pytest.raises(CannotBundle, match=what):
        bundled("a.js", {"a.js": source, "b.js": ""})


def test_data_cannot_end_its_element_and_the_policy_names_just_this_script() -> None:
    html = one_file(b'{"text":"</script><!--"}', {"p.html": PAGE, "a.css": "p {}", "a.js": "1;"}, "p.html")
    assert "\\u003c/script>\\u003c!--" in html
    assert html.count("</script>") == 2
    assert "<style>p {}</style>" in html
    assert "default-src 'none'; script-src 'sha256-" in html
