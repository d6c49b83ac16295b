"""What was done is said until a page that says it is drawn to its end."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    """Says what was done, and is cut short as often as `state.cut` says."""
    import streamlit as st

    from relevance.pages.components.shared.messages import keep_message, messages_forgotten, show_messages

    if "imported" not in st.session_state:
        st.session_state.imported = True
        keep_message("imported 3 documents")
    with messages_forgotten():
        show_messages()
        if st.session_state.setdefault("cut", 1):
            st.session_state.cut -= 1
            st.rerun()
        if "stop" in st.session_state:
            st.stop()


def test_a_message_outlives_a_run_that_is_cut_short() -> None:
    app = AppTest.from_function(page)
    app.run()
    assert "Imported 3 documents" in app.success[0].value
    assert not app.run().success


def test_a_page_that_stops_has_said_it_too() -> None:
    app = AppTest.from_function(page)
    app.session_state["stop"] = True
    assert app.run().success
    assert not app.run().success
