"""How a notebook shows a model."""

import html
from typing import Sequence

from ._types import Port

# A notebook stores what it shows.
_MAX_PAGE = 4 << 20


def _rows(kind: str, ports: Sequence[Port]) -> str:
    cells = ((kind, port.name, port.element_type, "?" if port.shape is None else str(list(port.shape))) for port in ports)
    return "".join(f"<tr>{''.join(f'<td style=text-align:left>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in cells)


def notebook_html(inputs: Sequence[Port], outputs: Sequence[Port], page: str) -> str:
    """A table of the ports above the page, which runs in a frame without access to the notebook."""
    table = f"<table><tr><th></th><th>name</th><th>type</th><th>shape</th></tr>{_rows('input', inputs)}{_rows('output', outputs)}</table>"
    if not page:
        return table
    if len(page) > _MAX_PAGE:
        return f"{table}<p>The graph is too large for a notebook: write <code>model.html()</code> to a file.</p>"
    frame = f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" style="width:100%;height:600px;border:1px solid #8888"></iframe>'
    return table + frame
