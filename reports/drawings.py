"""Charts as pictures that need no script, for reports, papers and slides."""

import hashlib
import io
import re
from typing import Any

import altair as alt

from relevance.data.one_line import in_one_line

NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow: they make the library that draws charts end the whole process."""

WIDTH = 620
"""The width in pixels of a drawing's axes."""

NAMED = re.compile(r'(id="|url\(#)((?:gradient_|clip)\d+)(?=["\)])')
"""Names of gradients and clips in a drawing, whose numbers count all drawings of a process."""


def draw_svg(chart: Any) -> str:
    """Draw a chart as SVG; the same chart always gives the same text."""
    drawn = io.StringIO()
    alt.Chart.from_dict(specification(chart)).save(drawn, format="svg")
    svg = drawn.getvalue()
    places = {name: place for place, name in enumerate(dict.fromkeys(match[1] for match in NAMED.findall(svg)))}
    # Names that no other drawing on a page has, unless it is the same one.
    own = hashlib.sha256(NAMED.sub(lambda match: f"{match[1]}{places[match[2]]}", svg).encode()).hexdigest()[:12]
    return NAMED.sub(lambda match: f"{match[1]}drawn-{own}-{places[match[2]]}", svg)


def draw_png(chart: Any) -> bytes:
    """Draw a chart as PNG, with two pixels per point."""
    drawn = io.BytesIO()
    alt.Chart.from_dict(specification(chart)).save(drawn, format="png", scale_factor=2)
    return drawn.getvalue()


def specification(chart: Any) -> Any:
    """Return a chart's specification, with a width of its own."""
    return drawable(chart.properties(width=WIDTH).to_dict())


def drawable(spec: Any) -> Any:
    """Return a specification with every text in one line, without characters that a drawing cannot hold."""
    if isinstance(spec, str):
        return NOT_XML.sub("\ufffd", in_one_line(spec))
    if isinstance(spec, dict):
        return {name: drawable(value) for name, value in spec.items()}
    return [drawable(value) for value in spec] if isinstance(spec, list) else spec
