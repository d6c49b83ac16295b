"""Results as tables, charts, formats and the HTML report; nothing here knows Streamlit."""
