"""The viewer and one document as a single HTML file that needs no server: styles, modules and data in it.

Modules are put into functions in the order of their imports, so that they stay as they are served: nothing is built.
The file's policy admits just this script and these styles, and nothing from any address.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Final

_ASSETS: Final = "/assets/viewer/"
_STYLE: Final = re.compile(rf'<link rel="stylesheet" href="{_ASSETS}([\w.]+)">\n?')
_SCRIPT: Final = re.compile(rf'<script type="module" src="{_ASSETS}([\w.]+)"></script>\n?')
_ICON: Final = re.compile(r'<link rel="icon"[^>]*>\n?')
_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\} from )?"\./([\w.]+)";\n?', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:const|let|class|function\*?|async function) (\w+))", re.MULTILINE)
_POLICY: Final = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'"
)


class CannotBundle(ValueError):
    """An asset that a file cannot hold: it is missing, imports itself, or uses another form of import or export."""


def one_file(document: bytes, assets: Mapping[str, str], page: str = "viewer.html") -> str:
    """The page with everything in it. `document` is JSON, `assets` the texts of the viewer's files by name.

    Raises `CannotBundle`.
    """
    html = _asset(assets, page)
    style = "\n".join(_asset(assets, name) for name in _STYLE.findall(html))
    (entry,) = _SCRIPT.findall(html)
    script = bundled(entry, assets)
    policy = _POLICY.format(script=_digest(script), style=_digest(style))
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
    body = (
        f'<script type="application/json" id="document">{_as_text(document)}</script>\n'
        f'<script type="module">{script}</script>\n'
    )
    html = _SCRIPT.sub("", _STYLE.sub("", _ICON.sub("", html)))
    return html.replace("</head>", f"{head}</head>").replace("</body>", f"{body}</body>")


def bundled(entry: str, assets: Mapping[str, str]) -> str:
    """A module and all it imports as one script. Raises `CannotBundle`."""
    modules = [f'modules["{name}"] = {_function(name, assets)};' for name in _in_order(entry, assets)]
    script = "\n".join(["const modules = {};", *modules])
    if re.search(r"</script", script, re.IGNORECASE):
        raise CannotBundle("a module holds </script, which would end the script early")
    return script


def _in_order(entry: str, assets: Mapping[str, str]) -> list[str]:
    """Every module that is needed, each after those it imports."""
    order: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise CannotBundle(f"modules import each other: {' → '.join((*above, name))}")
        if name not in order:
            for found in _IMPORT.finditer(_asset(assets, name)):
                visit(found[2], (*above, name))
            order.append(name)

    visit(entry, ())
    return order


def _function(name: str, assets: Mapping[str, str]) -> str:
    """A module as a function that is called at once and gives back what the module exports."""
    source = _asset(assets, name)
    exported = _EXPORT.findall(source)
    body = _EXPORT.sub("", _IMPORT.sub(_destructured, source))
    if odd := re.search(r"^(?:import|export)\b.*", body, re.MULTILINE):
        raise CannotBundle(f"{name}: write imports and exports as the other modules do, not {odd[0]!r}")
    return f"(() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})()"


def _destructured(found: re.Match[str]) -> str:
    names, module = found[1], found[2]
    if names is None:
        return ""
    return f'const {{{names.replace(" as ", ": ")}}} = modules["{module}"];\n'


def _asset(assets: Mapping[str, str], name: str) -> str:
    try:
        return assets[name]
    except KeyError:
        raise CannotBundle(f"there is no asset {name}") from None


def _as_text(document: bytes) -> str:
    """JSON that may stand in a script element: nothing in it can end the element or open a comment."""
    return document.decode().replace("<", "\\u003c")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
