"""A study's bundle, to be downloaded, and its registration before the first judgment."""

import secrets
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from annotation.records import Study
from bundles.registering import hash_study
from bundles.writing import write_bundle
from data.access import Right
from hosting.exports import bundle_address
from hosting.settings import is_hosted
from pages.background.computed import computed
from pages.components.shared.messages import announce
from pages.components.shared.stores import open_stores
from reports.escaping import esc

SAID = (
    "**Bundle:** the study with all that its figures rest on, in one file that anybody can verify "
    "(`relevance bundle verify`) and run again (`relevance bundle rerun`). Making it takes some seconds."
)
REGISTER_SAID = (
    "**Registration:** the hash of the bundle as it is before the first judgment is kept, and reports say what changed "
    "since. Download that bundle first, and keep it: it is what the hash is of."
)


def show_bundle(study: Study) -> None:
    """The bundle, with or without texts, and the registration."""
    st.markdown(SAID)
    texts = not st.checkbox(
        "Without the texts of the data set", key="bundle_bare", help="Hashes, for data that may not be passed on."
    )
    offer_bundle(study, texts=texts)
    show_registration(study)


def offer_bundle(study: Study, *, texts: bool) -> None:
    """The file: fetched from the gate of a hosted server, where a process of its own makes it."""
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
    """What is registered, and the button for whoever may."""
    store = open_stores()
    registered = store.registrations.registration(study.name)
    if registered is not None:
        when = f"{registered.registered_at:%Y-%m-%d %H:%M} UTC"
        st.markdown(f"**Registered** {when}, before the first judgment, as the bundle `{registered.sha256}`.")
    manages = store.annotation.right(study.name) >= Right.MANAGE
    if not manages or study.judgments or study.excluded_judgments:
        return
    if registered is None:
        st.markdown(REGISTER_SAID)
    label = "Register" if registered is None else "Register as it is now"
    if st.button(label, icon=":material/verified:", key="register"):
        store.registrations.check_registrable(study.name)
        sha256, contents = hash_now(study.name, secrets.token_hex(8))
        store.registrations.register(study.name, sha256, contents)
        announce(f"Registered {study.name} as the bundle {sha256}.")
        st.rerun()


@computed("Making the bundle", kept=1)
def hash_now(study: str, _when: str) -> tuple[str, dict[str, str]]:
    """What is registered of a study at this moment; each call is another one."""
    stores = open_stores()
    return hash_study(stores.data, stores.annotation, study)
