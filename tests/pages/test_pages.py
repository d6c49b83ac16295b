"""The pages as scripts: every state that a database can put them in."""

import json
import subprocess
import sys

import pytest

from relevance.annotation.store import AnnotationStore
from relevance.data.store import DataStore
from tests.conftest import ROOT
from tests.pages.opening import MAIN, PAGES, open_page
from tests.waiting import PATIENCE


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_an_empty_database(sqlite_url: str, page: str) -> None:
    open_page(page)


@pytest.mark.smoke
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_the_demo(demo: object, page: str) -> None:
    open_page(page)


def test_the_agreement_page_says_what_it_shows(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("agreement.py")  # opens where there is something to see
    assert app.selectbox(key="source").options == ["Author labels", "Annotators in Demo"]
    assert "Author labels" in app.markdown[0].value
    assert "not annotators' judgments" in app.markdown[0].value
    table = app.dataframe[0].value.set_index("metric")
    # the highest agreement at the top
    assert list(table["agreement"]) == sorted(table["agreement"], reverse=True)
    assert {*table.index} == {"ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-K", "Length"}
    # 24 documents x 6 pairs of 4 candidates, no two ranked alike
    assert set(table["n"]) == {144}
    details = app.dataframe[1].value.set_index("metric")
    assert (details["C"] + details["D"] + details["T"] == details["n"]).all()
    assert details.loc["ROUGE-K", "half"] > 0.5 > details.loc["ROUGE-1", "half"]
    app.selectbox(key="source").select_index(1).run()
    assert "**0 judgments**" in app.markdown[0].value
    assert "Nobody has judged a pair of this study yet" in app.info[0].value


WITHOUT_MODELS = """
import json, sys, time
from streamlit.testing.v1 import AppTest
import relevance.app
from relevance.pages.components.shared.stores import open_stores

def loaded():
    return sorted({name.split(".")[0] for name in sys.modules} & {"torch", "transformers", "statsmodels"})

found = {"app": loaded()}
page = AppTest.from_file(sys.argv[1], default_timeout=300)
for name in json.loads(sys.argv[2]):
    page.switch_page(name)
    page._page_hash = "" if name == "overview.py" else page._page_hash
    page.run()
    assert not page.exception, page.exception
    found[name] = loaded()
page.switch_page("datasets.py").run()
page.button(key="score").click().run()
assert not page.exception, page.exception
(run,) = open_stores().data.runs("demo")
found["pressed"] = loaded()
while open_stores().data.run(run.id).total is None:  # its process is at work
    time.sleep(0.1)
page.run()
found["scoring"] = loaded()
page.switch_page("new_study.py").run()
page.text_input(key="new_name").input("Another").run()
page.button(key="create").click().run()
assert not page.exception, page.exception
open_stores().annotation.study("Another")
found["created"] = loaded()
print(json.dumps(found))
"""


@pytest.mark.process
@pytest.mark.page
def test_no_page_loads_the_libraries_of_models(demo: object) -> None:
    """Streamlit collects garbage after every click, and goes through all that is loaded; statsmodels is the tests'."""
    command = [sys.executable, "-c", WITHOUT_MODELS, str(MAIN), json.dumps(PAGES)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout.splitlines()[-1])
    assert {moment: len(modules) for moment, modules in answer.items()} == dict.fromkeys(answer, 0), answer
    assert list(answer) == ["app", *PAGES, "pressed", "scoring", "created"]
