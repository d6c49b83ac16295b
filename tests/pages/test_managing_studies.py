"""Studies and data sets renamed, archived and deleted on their pages."""

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME
from relevance.data.rights import Right
from relevance.data.store import DataStore
from relevance.pages.components.shared.stores import Stores
from tests.pages.hosted import Server, server  # noqa: F401  a fixture
from tests.pages.opening import address, open_page, page_text, press, pressed, sound
from tests.pages.test_annotators import judge_demo

pytestmark = pytest.mark.page


@pytest.fixture
def known(demo_url: str) -> Stores:
    return Stores(connect(demo_url))


def open_manage(study: str) -> AppTest:
    app = open_page("studies.py", study=study)
    app.session_state.study_part = "Manage"
    return sound(app.run())


def test_a_study_is_renamed(known: Stores) -> None:
    app = open_manage("Demo")
    app.text_input(key="rename_study_to:Demo").input("Pilot *1*")
    app = pressed(app, "Rename")
    assert "Renamed Demo to Pilot *1*." in page_text(app)
    assert address(app)["study"] == "Pilot *1*"
    assert [study.name for study in known.annotation.studies()] == ["Pilot *1*"]


def test_a_study_is_archived_and_comes_back(known: Stores) -> None:
    judge_demo(known.annotation, 2)
    assert "in the study Demo" in page_text(open_page("overview.py", dataset=NAME, study="Demo"))
    app = press(open_manage("Demo"), "archive_study")
    assert "Demo is in the archive." in page_text(app)
    listed = open_page("studies.py")
    assert "All studies are in the archive." in page_text(listed)
    listed = sound(listed.toggle(key="show_archived").set_value(True).run())
    assert "**Demo** · archived" in page_text(listed)
    assert "There is no study yet." in page_text(open_page("annotators.py"))
    assert "Annotators in Demo" not in {option for box in open_page("overview.py").selectbox for option in box.options}
    assert "in the study Demo" in page_text(open_page("overview.py", study="Demo"))  # who asks for it finds it
    app = press(open_manage("Demo"), "archive_study")
    assert [study.name for study in known.annotation.studies()] == ["Demo"]


def test_a_study_with_judgments_is_deleted_where_that_is_said(known: Stores) -> None:
    judge_demo(known.annotation, 2)
    app = pressed(open_manage("Demo"), "Delete the study")
    assert "Type 'Demo' to delete it." in page_text(app)
    app.text_input(key="delete_study_typed:Demo").input("Demo")
    app = pressed(app, "Delete the study")
    assert "The study 'Demo' has 4 judgments" in page_text(app)
    app.checkbox(key="delete_judgments").check()
    app = pressed(app, "Delete the study")
    assert "Deleted the study Demo." in page_text(app)
    assert "There is no study yet." in page_text(app)
    assert known.annotation.studies(archived=True) == []


def test_a_data_set_is_archived_and_deleted_with_its_study(known: Stores) -> None:
    app = open_page("datasets.py", dataset=NAME)
    app.session_state.part = "Rename or delete"
    app = press(sound(app.run()), "archive_dataset")
    assert f"{NAME.capitalize()} is in the archive." in page_text(app)
    assert known.data.datasets() == []
    app = sound(open_page("datasets.py").toggle(key="show_archived").set_value(True).run())
    app.session_state.part = "Rename or delete"
    app = sound(app.run())
    assert "It cannot be deleted by itself: the study Demo is made from it." in page_text(app)
    app.text_input(key=f"delete_typed:{NAME}").input(NAME)
    app = pressed(app, "Delete")
    assert "it stays" in page_text(app)
    app.checkbox(key=f"delete_studies:{NAME}").check()
    app = pressed(app, "Delete")
    assert f"Deleted {NAME} and all that was made from it." in page_text(app)
    assert known.data.datasets(archived=True) == []
    assert known.annotation.studies(archived=True) == []


def test_who_manages_a_study_of_others_does_not_delete_it(server: Server) -> None:  # noqa: F811
    carla, mark = server.add("carla"), server.add("mark")
    AnnotationStore(server.engine, carla).create_study(StudySpec(name="Hers", dataset=NAME, rule="random"))
    server.accounts.grant("Hers", "mark", Right.MANAGE)
    server.visit(mark)
    app = open_manage("Hers")
    app.text_input(key="delete_study_typed:Hers").input("Hers")
    app = pressed(app, "Delete the study")
    assert "Only who made the study 'Hers'" in page_text(app)
    server.visit(carla)
    app = open_manage("Hers")
    app.text_input(key="delete_study_typed:Hers").input("Hers")
    app = pressed(app, "Delete the study")
    assert "Deleted the study Hers." in page_text(app)
    assert DataStore(server.engine).has_dataset(NAME)
