"""The form on the page Data sets that imports a file."""

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Multiselect, Selectbox

from tests.pages.opening import open_page, sound


def upload(name: str, content: str | bytes) -> AppTest:
    """Choose a file in a session of its own."""
    app = open_page("datasets.py")
    content = content.encode() if isinstance(content, str) else content
    return sound(app.file_uploader(key="file:0").upload(name, content, "text/plain").run())


def of_column(app: AppTest, role: str) -> Selectbox:
    """The list from which the column of a role is chosen."""
    keys = {box.key: str(box.key).split(":") for box in app.selectbox}
    (box,) = (box for box in app.selectbox if keys[box.key][:1] == ["import_column"] and keys[box.key][2] == role)
    return box


def of_columns(app: AppTest, prefix: str) -> Multiselect:
    """The list from which columns are chosen whose roles begin so."""
    (box,) = (box for box in app.multiselect if f":{prefix}:" in str(box.key))
    return box
