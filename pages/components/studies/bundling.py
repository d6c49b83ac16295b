"""Downloading a study's bundle, and registering it before the first judgment."""

import secrets
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from relevance.annotation.records import Study
from relevance.bundles.registering import hash_study
from relevance.bundles.writing import write_bundle
from relevance.hosting.exports import bundle_address
from relevance.hosting.settings import is_hosted
from relevance.pages.components.shared.messages import announce
from relevance.pages.components.shared.stores import may_manage, open_stores
from relevance.pages.computing.computed import computed
from relevance.reports.escaping import esc

SAID = (
    "**Bundle:** the study with all that its figures rest on, in one file that anybody can verify "
    "(`relevance bundle verify`) and run again (`relevance bundle rerun`). Making it takes some seconds."
)
REGISTER_SAID = (
    "**Registration** keeps the hash of the bundle as it is before the first judgment; reports say what has changed "
    "since. Download that bundle first and keep it, as the hash proves what was in it."
)


def show_bundle(study: Study) -> None:
    """Offer the bundle, with or without texts, and show the registration."""
    st.markdown(SAID)
    texts = not st.checkbox(
        "Without the texts of the data set",
        key="bundle_bare",
        help="With hashes instead, for data that may not be shared.",
    )
    offer_bundle(study, texts=texts)
    show_registration(study)


def offer_bundle(study: Study, *, texts: bool) -> None:
    """Offer the file; on a hosted server the gate sends it, and a separate process makes it."""
    if is_hosted():
        address = bundle_address(study.name, texts=texts)
        st.html(f'<a href="{esc(address)}" download target="_self">Bundle (ZIP)</a>')
        return

    def make() -> bytes:
        stores = open_stores()
        with TemporaryDirectory() as folder:
            file = Path(folder, "bundle.zip")
            write_bundle(stores.data, stores.annotation, study.name, file, texts=texts)
            return file.read_bytes()

    st.download_button("Bundle (ZIP)", make, file_name=f"{study.name}.zip", key="export:bundle", on_click="ignore")


def show_registration(study: Study) -> None:
    """Show what is registered, with a button for those who may register."""
    registrations = open_stores().registrations
    registered = registrations.registration(study.name)
    if registered is not None:
        when = f"{registered.registered_at:%Y-%m-%d %H:%M} UTC"
        st.markdown(f"**Registered** {when}, before the first judgment, as the bundle `{registered.sha256}`.")
    if not may_manage(study) or study.judgments or study.excluded_judgments:
        return
    if registered is None:
        st.markdown(REGISTER_SAID)
    label = "Register" if registered is None else "Register as it is now"
    if st.button(label, icon=":material/verified:", key="register"):
        registrations.check_registrable(study.name)
        sha256, contents = hash_now(study.name, secrets.token_hex(8))
        registrations.register(study.name, sha256, contents)
        announce(f"Registered {study.name} as the bundle {sha256}.")
        st.rerun()


@computed("Making the bundle", kept=1)
def hash_now(study: str, _when: str) -> tuple[str, dict[str, str]]:
    """Return what registering a study at this moment keeps; `_when` differs with each call, so none is reused."""
    stores = open_stores()
    return hash_study(stores.data, stores.annotation, study)
