"""The stores that all sessions share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, get_type_hints

import streamlit as st
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from relevance.annotation.adjudication import AdjudicationStore
from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.annotation.model_judgments import ModelStore
from relevance.annotation.people import PeopleStore
from relevance.annotation.phase_store import PhaseStore
from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.records import Study
from relevance.annotation.registrations import RegistrationStore
from relevance.annotation.removal import StudyRemovalStore
from relevance.annotation.stopping import StoppingStore
from relevance.annotation.store import AnnotationStore
from relevance.data.database import UnusableDatabase, connect
from relevance.data.demo import NAME as DEMO
from relevance.data.rights import LOCAL, LOCAL_VISITOR, Actor, Right, Visitor
from relevance.data.store import DatabaseFailed, Dataset, DataStore, NotSignedIn, StoreError
from relevance.hosting.accounts import AccountStore
from relevance.hosting.links import LinkStore
from relevance.hosting.settings import is_hosted
from relevance.hosting.sign_ins import SignedIn


def known_datasets() -> list[Dataset]:
    """Return all data sets that have documents, the demo corpus first."""
    datasets = [dataset for dataset in open_stores().data.datasets() if dataset.documents]
    return sorted(datasets, key=lambda dataset: dataset.name != DEMO)


class TextVersion(NamedTuple):
    """A value that changes whenever a data set's documents or summaries do."""

    sha256: str
    documents: int
    summaries: int


def version_of(dataset: Dataset) -> TextVersion:
    """Return the version of a data set's documents and summaries."""
    return TextVersion(dataset.sha256, dataset.documents, dataset.summaries)


class Stores:
    """The stores over one engine, on behalf of one actor; each is made when it is first asked for."""

    data: DataStore
    annotation: AnnotationStore
    protocols: ProtocolStore
    adjudication: AdjudicationStore
    models: ModelStore
    registrations: RegistrationStore
    keyword_reviews: KeywordReviewStore
    accounts: AccountStore
    links: LinkStore
    phases: PhaseStore
    people: PeopleStore
    stopping: StoppingStore
    removal: StudyRemovalStore

    def __init__(self, engine: Engine, actor: Actor = LOCAL) -> None:
        self.engine, self.actor = engine, actor

    def __getattr__(self, name: str) -> object:
        kind = kinds_of_stores().get(name)
        if kind is None:
            raise AttributeError(name)
        store = kind(self.engine, self.actor)
        setattr(self, name, store)
        return store


@cache
def kinds_of_stores() -> dict[str, Callable[[Engine, Actor], object]]:
    """Return the classes of `Stores` by their names."""
    return get_type_hints(Stores)


def open_stores() -> Stores:
    """Open the stores on behalf of the page's visitor. Raises `DatabaseFailed`, `NotSignedIn`."""
    return Stores(open_engine(), current_actor())


@st.cache_resource(show_spinner=False)
def open_engine() -> Engine:
    """Open the database, once per process. Raises `DatabaseFailed`; the next call then tries again."""
    try:
        return connect()
    except (DBAPIError, UnusableDatabase) as error:
        raise DatabaseFailed(error) from error


def may_manage(study: Study) -> bool:
    """Tell whether the page's visitor manages the study, as everybody does on their own machine."""
    return open_stores().annotation.right(study.name) >= Right.MANAGE


def find_visitor() -> tuple[Visitor, StoreError | None]:
    """Return who looks at the page; where that cannot be found out, a visitor without rights, and the reason."""
    if not is_hosted():
        return LOCAL_VISITOR, None
    try:
        return open_stores().accounts.visitor(), None
    except StoreError as error:
        return Visitor(), error


def current_actor() -> Actor:
    """Return whose page this is: on a hosted server the account that is signed in, else this machine's user.

    Raises `NotSignedIn` on a hosted server for a session without an owner, such as one of another thread.
    """
    if not is_hosted():
        return LOCAL
    digest = st.user.get("sign_in")
    if not isinstance(digest, str):
        raise NotSignedIn("you are not signed in")
    return SignedIn(digest)
