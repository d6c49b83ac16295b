"""A hosted server that is asked from outside: an owner, two researchers with a study each, and annotators."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from sqlalchemy import Engine

from relevance.annotation.people import PeopleStore
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME as DEMO
from relevance.hosting.accounts import AccountStore
from relevance.hosting.links import LinkStore
from relevance.hosting.sign_ins import SignedIn, SignInStore, digest_of
from tests.driving import serving
from tests.hosting.tabs import cookie_of

PASSWORD = "seven quiet green umbrellas"
HERS, HIS = "Secret study of Rita", "Study of Paul"
"""Studies of the researchers Rita and Paul."""

PROVIDER = {
    "RELEVANCE_OIDC_ISSUER": "http://127.0.0.1:9",
    "RELEVANCE_OIDC_CLIENT": "relevance",
    "RELEVANCE_OIDC_SECRET": "of-a-provider-that-does-not-answer",
}


@dataclass
class House:
    """A database of a hosted server; `url` is the server's address."""

    engine: Engine
    url: str = ""
    log: Path = Path()

    def __post_init__(self) -> None:
        self.sign_ins = SignInStore(self.engine)
        self.accounts = AccountStore(self.engine)
        self.links = LinkStore(self.engine)
        self.studies = AnnotationStore(self.engine)
        self.people = PeopleStore(self.engine)

    def sign_in(self, name: str) -> str:
        """A new sign-in of an account, not by its password, whose attempts are counted."""
        return self.sign_ins.sign_in(user_id=self.accounts.user(name).id)

    def annotate(self, study: str, name: str) -> str:
        """A new sign-in of an annotator, who is invited where that was not done before."""
        return self.sign_ins.sign_in(annotator_id=self.studies.invite(study=study, name=name).id)

    def studies_of(self, name: str) -> AnnotationStore:
        """The studies as an account sees them."""
        return AnnotationStore(self.engine, SignedIn(digest_of(self.sign_in(name))))

    def execute(self, sql: str, *values: object) -> None:
        """Change the database as nobody but its administrator can."""
        with self.engine.execution_options(writing=True).begin() as connection:
            connection.exec_driver_sql(sql, values)

    def client(self, token: str | None = None, **headers: str) -> httpx.Client:
        """A browser that says what its pages' forms say; `token` is of its sign-in."""
        from_here = {"Sec-Fetch-Site": "same-origin", "Origin": self.url}
        return httpx.Client(
            base_url=self.url, headers={**from_here, **cookie_of(token), **headers}, timeout=60, verify=False
        )


def people(house: House) -> None:
    """An owner, Rita and Paul with a study each, and a disabled account."""
    for name, role in (("Olga", "owner"), ("Rita", "researcher"), ("Paul", "researcher"), ("Gone", "researcher")):
        house.accounts.add_user(name=name, role=role, password=PASSWORD)
    house.accounts.disable("Gone")
    for study, name in ((HERS, "Rita"), (HIS, "Paul")):
        spec = StudySpec(name=study, dataset=DEMO, rule="random", ties=True, judgments_per_pair=9, count=12)
        house.studies_of(name).create_study(spec)


@contextmanager
def serving_house(folder: Path, scored_demo: Path) -> Iterator[House]:
    """A server that is hosted, with the demo corpus and its study, on a database of its own in a folder."""
    url = f"sqlite:///{shutil.copy(scored_demo, folder / 'hosted.db')}"
    engine = connect(url)
    house = House(engine, log=folder / "log")
    people(house)
    with serving(url, hosted=True, log=house.log, **PROVIDER) as house.url:
        yield house
    engine.dispose()
