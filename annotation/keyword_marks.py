"""Reviews of keywords: people mark what extractors found wrongly (Takeshita et al. 2024, section 3).

A review keeps the keywords as they were found when it was made: marks stay with what was shown, whatever a later
version of an extractor finds. Nobody is shown which extractor a keyword is of.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, NamedTuple
from unicodedata import normalize

from sqlalchemy import Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload, selectinload

from annotation.results import stamp
from annotation.store import SOONEST, TooSoon, UnknownInvite, plain
from annotation.tables import (
    KeywordAnnotatorRow,
    KeywordMarkRow,
    KeywordReviewRow,
    KeywordVerdictRow,
    ReviewedDocumentRow,
    ReviewedKeywordRow,
)
from data.database import now
from data.store.base import Store, StoreError, checked_name
from data.store.datasets import find_dataset
from data.tables import DatasetRow, DocumentRow


class ReviewExists(StoreError):
    """A review of that name is already there."""


class UnknownReview(StoreError):
    """There is no review of that name."""


class NoKeywords(StoreError):
    """No extractor found a keyword in any of the documents."""


class NameInUse(StoreError):
    """Somebody of that name marks in the review already, and the caller did not say that they return."""


class UnknownKeyword(StoreError):
    """The document does not belong to the review, or the keyword not to the document."""


class AlreadySaved(StoreError):
    """The annotator has saved the document since it was shown."""


class FoundKeyword(NamedTuple):
    """A keyword of a document, and who found it where."""

    words: tuple[str, ...]
    """As they were prepared for comparison."""
    found: tuple[tuple[int, int, int], ...]
    """Where they stand: index among the references and the title after them, first character, the one after it all."""
    extractors: tuple[str, ...]
    """The extractors that found it."""


@dataclass(frozen=True, kw_only=True)
class ReviewSpec:
    """What a review is made of."""

    name: str
    dataset: str
    extractors: tuple[str, ...]
    signature: str
    """How the keywords were found: settings and versions."""
    keywords: Mapping[str, Sequence[FoundKeyword]]
    """By document id, for all documents that may be drawn."""
    count: int | None = None
    """How many documents are drawn; None means all."""
    seed: int = 0


@dataclass(frozen=True)
class Review:
    """What a list of reviews shows of one."""

    id: int
    name: str
    dataset: str
    extractors: tuple[str, ...]
    signature: str
    seed: int
    documents: int
    """Documents to look at."""
    without: int
    """Documents left out because no extractor found a keyword in them."""
    keywords: int
    annotators: int
    verdicts: int
    """Documents saved, once for each annotator."""
    created_at: datetime


@dataclass(frozen=True)
class KeywordAnnotator:
    """Somebody who marks keywords; the token opens their work again."""

    id: int
    name: str
    review: str
    token: str


class ShownKeyword(NamedTuple):
    """A keyword as an annotator sees it: not by whom it was found."""

    id: int
    words: tuple[str, ...]
    found: tuple[tuple[int, int, int], ...]
    """As in `FoundKeyword`."""


@dataclass(frozen=True)
class MarkTask:
    """A document whose keywords are to be looked at."""

    id: int
    position: int
    """Its place in the review, from 0."""
    title: str | None
    references: tuple[str, ...]
    source: str | tuple[str, ...]
    keywords: tuple[ShownKeyword, ...]
    revision: int
    """How often the annotator has saved it: 0 for a new document."""
    wrong: frozenset[int]
    """The keywords that were marked when it was last saved."""


class MarkProgress(NamedTuple):
    """How far an annotator is."""

    saved: int
    """Documents saved."""
    total: int
    """Documents of the review."""


class MarkCounts(NamedTuple):
    """Columns with one entry for each extractor, annotator and document saved."""

    documents: tuple[str, ...]
    """Document ids."""
    annotators: tuple[str, ...]
    """Names."""
    extractors: tuple[str, ...]
    """Names of the extractors."""
    keywords: tuple[int, ...]
    """How many keywords the extractor found in the document."""
    wrong: tuple[int, ...]
    """How many of them the annotator marked."""


class MarkDecisions(NamedTuple):
    """Columns with one entry for each keyword and annotator who has saved its document."""

    keywords: tuple[int, ...]
    """The id of the keyword."""
    annotators: tuple[str, ...]
    """Names."""
    wrong: tuple[bool, ...]
    """Whether it was marked."""


class KeywordMarkStore(Store):
    """Reviews of keywords over one engine, a short session a call."""

    # --- reviews -----------------------------------------------------------------------------------------

    def create_review(self, spec: ReviewSpec) -> Review:
        """Draw the documents and the order of their keywords, and store the review.

        Raises `ReviewExists`, `UnknownDataset`, `NoKeywords`, or StoreError for settings out of range and for keywords
        of documents that the data set does not have.
        """
        name = checked_name(spec.name)
        if not 0 <= spec.seed < 2**31 or (spec.count is not None and not 0 < spec.count < 2**31):
            raise StoreError("the seed must be a whole number from 0 to 2147483647, and at least one document be drawn")
        if not spec.extractors or len(set(spec.extractors)) < len(spec.extractors):
            raise StoreError("a review needs at least one extractor, each once")
        exists = ReviewExists(f"there is already a review {name!r}; choose another name")
        with self.writing() as session:
            if session.scalar(select(KeywordReviewRow.id).where(KeywordReviewRow.name == name)) is not None:
                raise exists
            dataset = find_dataset(session, spec.dataset)
            known = documents_by_key(session, dataset)
            unknown = sorted(set(spec.keywords) - set(known))
            if unknown:
                raise StoreError(f"data set {spec.dataset!r} has no document {unknown[0]!r}")
            possible = [key for key in known if key in spec.keywords]
            drawn = Random(spec.seed).sample(possible, min(spec.count or len(known), len(possible)))  # noqa: S311
            kept = [key for key in drawn if spec.keywords[key]]
            if not kept:
                raise NoKeywords(f"no extractor found a keyword in the documents drawn from data set {spec.dataset!r}")
            review = KeywordReviewRow(
                name=name,
                dataset_id=dataset.id,
                extractors=list(spec.extractors),
                signature=spec.signature,
                seed=spec.seed,
                without=len(drawn) - len(kept),
            )
            session.add(review)
            try:
                session.flush()
            except IntegrityError as error:  # another session created it at this moment
                raise exists from error
            for position, key in enumerate(kept):
                keywords = keyword_rows(known[key], spec.keywords[key], spec.extractors, f"{spec.seed}:{key}")
                session.add(
                    ReviewedDocumentRow(
                        review_id=review.id, document_id=known[key].id, position=position, keywords=keywords
                    )
                )
        return self.review(name)

    def reviews(self) -> list[Review]:
        """All reviews, the newest first."""
        with self.reading() as session:
            rows = session.scalars(
                select(KeywordReviewRow)
                .options(joinedload(KeywordReviewRow.dataset))
                .order_by(KeywordReviewRow.id.desc())
            ).all()
            return [to_review(session, row) for row in rows]

    def review(self, name: str) -> Review:
        """One review. Raises `UnknownReview`."""
        with self.reading() as session:
            return to_review(session, find_review(session, name))

    def version(self, name: str) -> int:
        """Grows whenever something is saved in a review. Raises `UnknownReview`."""
        with self.reading() as session:
            of_review = verdicts_of(find_review(session, name).id).subquery()
            return session.scalar(select(func.count()).select_from(of_review)) or 0

    # --- annotators --------------------------------------------------------------------------------------

    def join(self, *, review: str, name: str, returning: bool = False) -> KeywordAnnotator:
        """The annotator of that name: a new one, or the one who is there where somebody says that they return.

        Two people of one name would otherwise mark as one without knowing. Raises `UnknownReview`, `NameInUse`.
        """
        name = normalize("NFC", checked_name(name))  # one person, however their keyboard writes an é
        taken = NameInUse(f"somebody called {name!r} has begun this review; say that it is you, or add a letter")
        try:
            with self.writing() as session:
                row = find_review(session, review)
                known = session.scalar(
                    select(KeywordAnnotatorRow).where(
                        KeywordAnnotatorRow.review_id == row.id, KeywordAnnotatorRow.name == name
                    )
                )
                if known is not None and not returning:
                    raise taken
                if known is None:
                    known = KeywordAnnotatorRow(review=row, name=name, token=secrets.token_urlsafe(24))
                    session.add(known)
                    session.flush()
                return to_annotator(known)
        except IntegrityError as error:  # the same name joined in another session at this moment
            raise taken from error

    def annotator(self, token: str) -> KeywordAnnotator:
        """The annotator whom a token belongs to. Raises `UnknownInvite`."""
        with self.reading() as session:
            row = session.scalar(
                select(KeywordAnnotatorRow)
                .where(KeywordAnnotatorRow.token == plain(token))
                .options(joinedload(KeywordAnnotatorRow.review))
            )
            if row is None:
                raise UnknownInvite("this link is not known; start again by your name")
            return to_annotator(row)

    # --- marks -------------------------------------------------------------------------------------------

    def task(self, annotator: KeywordAnnotator, position: int) -> MarkTask:
        """The document at a place of the review, with what the annotator saved of it. Raises `UnknownKeyword`."""
        with self.reading() as session:
            row = session.scalar(
                select(ReviewedDocumentRow)
                .join(KeywordAnnotatorRow, KeywordAnnotatorRow.review_id == ReviewedDocumentRow.review_id)
                .where(KeywordAnnotatorRow.id == annotator.id, ReviewedDocumentRow.position == position)
                .options(joinedload(ReviewedDocumentRow.document), selectinload(ReviewedDocumentRow.keywords))
            )
            if row is None:
                raise UnknownKeyword(f"the review has no document {position + 1}")
            return to_task(row, latest_verdict(session, annotator.id, row.id))

    def next_task(self, annotator: KeywordAnnotator) -> MarkTask | None:
        """The first document that the annotator has not saved, None where there is none left."""
        with self.reading() as session:
            position = session.scalar(
                select(func.min(ReviewedDocumentRow.position))
                .join(KeywordAnnotatorRow, KeywordAnnotatorRow.review_id == ReviewedDocumentRow.review_id)
                .outerjoin(
                    KeywordVerdictRow,
                    (KeywordVerdictRow.reviewed_document_id == ReviewedDocumentRow.id)
                    & (KeywordVerdictRow.annotator_id == annotator.id),
                )
                .where(KeywordAnnotatorRow.id == annotator.id, KeywordVerdictRow.id.is_(None))
            )
        return None if position is None else self.task(annotator, position)

    def save(
        self,
        *,
        annotator: KeywordAnnotator,
        task_id: int,
        wrong: Collection[int],
        presented_at: datetime,
        replaces: int = 0,
        saved_at: datetime | None = None,
    ) -> None:
        """Record which keywords of a document are wrong, possibly none; it is on disk when this returns.

        `replaces` is the revision that the annotator was shown, 0 for a new document: earlier revisions are kept.

        Raises `UnknownKeyword` for a document of another review and for keywords of another document, `AlreadySaved`
        where it was saved in another window since it was shown, `TooSoon` within 0.4 s of showing it.
        """
        saved_at = saved_at or now()
        if presented_at.tzinfo is None or saved_at.tzinfo is None:
            raise StoreError("a time without a time zone cannot be stored")
        if saved_at - presented_at < SOONEST:
            raise TooSoon("that came too soon after the document was shown; it was not saved")
        already = AlreadySaved("this document was saved in another window meanwhile; look at what is saved now")
        try:
            with self.writing() as session:
                checked_task(session, annotator, task_id, wrong)
                latest = latest_verdict(session, annotator.id, task_id)
                if (latest.revision if latest is not None else 0) != replaces:
                    raise already
                session.add(
                    KeywordVerdictRow(
                        annotator_id=annotator.id,
                        reviewed_document_id=task_id,
                        revision=replaces + 1,
                        presented_at=presented_at,
                        saved_at=saved_at,
                        marks=[KeywordMarkRow(keyword_id=keyword) for keyword in sorted(set(wrong))],
                    )
                )
        except IntegrityError as error:  # saved in another window at this moment
            raise already from error

    def progress(self, annotator: KeywordAnnotator) -> MarkProgress:
        """How far an annotator is."""
        with self.reading() as session:
            row = session.get_one(KeywordAnnotatorRow, annotator.id)
            saved = session.scalar(
                select(func.count(KeywordVerdictRow.reviewed_document_id.distinct())).where(
                    KeywordVerdictRow.annotator_id == row.id
                )
            )
            total = session.scalar(select(func.count()).where(ReviewedDocumentRow.review_id == row.review_id))
            return MarkProgress(saved or 0, total or 0)

    # --- results -----------------------------------------------------------------------------------------

    def counts(self, review: str) -> MarkCounts:
        """What each annotator marked of each extractor's keywords in each document. Raises `UnknownReview`."""
        with self.reading() as session:
            row = find_review(session, review)
            entries: list[tuple[str, str, str, int, int]] = []
            for verdict, annotator, document in standing(session, row.id):
                wrong = {mark.keyword_id for mark in verdict.marks}
                for extractor in row.extractors:
                    own = {keyword.id for keyword in document.keywords if extractor in keyword.extractors}
                    entries.append((document.document.key, annotator, extractor, len(own), len(own & wrong)))
        columns = zip(*entries, strict=True) if entries else [()] * 5
        return MarkCounts(*map(tuple, columns))

    def decisions(self, review: str) -> MarkDecisions:
        """Who thinks what of each keyword, whichever extractors found it. Raises `UnknownReview`."""
        with self.reading() as session:
            entries = [
                (keyword.id, annotator, any(mark.keyword_id == keyword.id for mark in verdict.marks))
                for verdict, annotator, document in standing(session, find_review(session, review).id)
                for keyword in document.keywords
            ]
        columns = zip(*entries, strict=True) if entries else [()] * 3
        return MarkDecisions(*map(tuple, columns))

    def export(self, review: str) -> list[dict[str, Any]]:
        """A record for each keyword, annotator and revision, the earlier ones too. Raises `UnknownReview`."""
        with self.reading() as session:
            row = find_review(session, review)
            standing_ids = {verdict.id for verdict, *_ in standing(session, row.id)}
            return [
                {
                    "review": row.name,
                    "dataset": row.dataset.name,
                    "signature": row.signature,
                    "document_id": document.document.key,
                    "keyword": " ".join(keyword.words),
                    "extractors": list(keyword.extractors),
                    "annotator": annotator,
                    "wrong": any(mark.keyword_id == keyword.id for mark in verdict.marks),
                    "revision": verdict.revision,
                    "stands": verdict.id in standing_ids,
                    "presented_at": stamp(verdict.presented_at),
                    "saved_at": stamp(verdict.saved_at),
                }
                for verdict, annotator, document in everything(session, row.id)
                for keyword in document.keywords
            ]


# --- what the methods above are made of -------------------------------------------------------------------


def documents_by_key(session: Session, dataset: DatasetRow) -> dict[str, DocumentRow]:
    """A data set's documents by their ids, in order."""
    rows = session.scalars(
        select(DocumentRow).where(DocumentRow.dataset_id == dataset.id).order_by(DocumentRow.position)
    )
    return {row.key: row for row in rows}


def keyword_rows(
    document: DocumentRow, keywords: Sequence[FoundKeyword], extractors: Sequence[str], seed: str
) -> list[ReviewedKeywordRow]:
    """A document's keywords in an order that says nothing of who found them.

    Raises StoreError for keywords that cannot be shown: twice the same, of no extractor, or not in the texts.
    """
    lengths = [len(text) for text in (*document.reference_texts, *filter(None, [document.title]))]
    if len({keyword.words for keyword in keywords}) < len(keywords):
        raise StoreError(f"document {document.key!r} has a keyword twice")
    for words, found, by in keywords:
        in_place = all(0 <= text < len(lengths) and 0 <= start < end <= lengths[text] for text, start, end in found)
        if not words or not by or not set(by) <= set(extractors) or not in_place:
            raise StoreError(f"document {document.key!r} cannot have the keyword {' '.join(words)!r}")
    # sorted before it is drawn: the order in which extractors are asked must leave no trace
    shuffled = sorted(keywords)
    Random(seed).shuffle(shuffled)  # noqa: S311
    return [
        ReviewedKeywordRow(
            position=position,
            words=list(keyword.words),
            found=[list(place) for place in keyword.found],
            extractors=list(keyword.extractors),
        )
        for position, keyword in enumerate(shuffled)
    ]


def find_review(session: Session, name: str) -> KeywordReviewRow:
    """The row of a review. Raises `UnknownReview`."""
    row = session.scalar(select(KeywordReviewRow).where(KeywordReviewRow.name == name))
    if row is None:
        known = session.scalars(select(KeywordReviewRow.name).order_by(KeywordReviewRow.name)).all()
        raise UnknownReview(f"there is no keyword review {name!r}; there are {', '.join(known) or 'none'}")
    return row


def to_review(session: Session, row: KeywordReviewRow) -> Review:
    """The record of a review's row, with its counts."""
    of_review = select(ReviewedDocumentRow.id).where(ReviewedDocumentRow.review_id == row.id)
    keywords = select(func.count()).where(ReviewedKeywordRow.reviewed_document_id.in_(of_review))
    saved = select(KeywordVerdictRow.annotator_id, KeywordVerdictRow.reviewed_document_id).where(
        KeywordVerdictRow.reviewed_document_id.in_(of_review)
    )
    return Review(
        id=row.id,
        name=row.name,
        dataset=row.dataset.name,
        extractors=tuple(row.extractors),
        signature=row.signature,
        seed=row.seed,
        documents=session.scalar(select(func.count()).select_from(of_review.subquery())) or 0,
        without=row.without,
        keywords=session.scalar(keywords) or 0,
        annotators=session.scalar(select(func.count()).where(KeywordAnnotatorRow.review_id == row.id)) or 0,
        verdicts=session.scalar(select(func.count()).select_from(saved.distinct().subquery())) or 0,
        created_at=row.created_at,
    )


def to_annotator(row: KeywordAnnotatorRow) -> KeywordAnnotator:
    """The record of an annotator's row."""
    return KeywordAnnotator(id=row.id, name=row.name, review=row.review.name, token=row.token)


def to_task(row: ReviewedDocumentRow, verdict: KeywordVerdictRow | None) -> MarkTask:
    """A document as its annotator sees it."""
    document = row.document
    return MarkTask(
        id=row.id,
        position=row.position,
        title=document.title,
        references=tuple(document.reference_texts),
        source=document.source if isinstance(document.source, str) else tuple(document.source),
        keywords=tuple(
            ShownKeyword(keyword.id, tuple(keyword.words), places(keyword.found)) for keyword in row.keywords
        ),
        revision=0 if verdict is None else verdict.revision,
        wrong=frozenset() if verdict is None else frozenset(mark.keyword_id for mark in verdict.marks),
    )


def places(found: Iterable[Sequence[int]]) -> tuple[tuple[int, int, int], ...]:
    """Stored places as tuples."""
    return tuple((text, start, end) for text, start, end in found)


def latest_verdict(session: Session, annotator_id: int, task_id: int) -> KeywordVerdictRow | None:
    """What the annotator saved last of a document."""
    return session.scalar(
        select(KeywordVerdictRow)
        .where(KeywordVerdictRow.annotator_id == annotator_id, KeywordVerdictRow.reviewed_document_id == task_id)
        .order_by(KeywordVerdictRow.revision.desc())
        .limit(1)
        .options(selectinload(KeywordVerdictRow.marks))
    )


def checked_task(session: Session, annotator: KeywordAnnotator, task_id: int, wrong: Collection[int]) -> None:
    """Raise `UnknownKeyword` where the document is not of the annotator's review, or a keyword not of the document."""
    row = session.get(ReviewedDocumentRow, task_id)
    if row is None or row.review_id != session.get_one(KeywordAnnotatorRow, annotator.id).review_id:
        raise UnknownKeyword("this document does not belong to the review")
    if not set(wrong) <= {keyword.id for keyword in row.keywords}:
        raise UnknownKeyword("a marked keyword does not belong to the document")


def verdicts_of(review_id: int) -> Select[int]:
    """Select the ids of all that was saved in a review."""
    return (
        select(KeywordVerdictRow.id)
        .join(ReviewedDocumentRow, ReviewedDocumentRow.id == KeywordVerdictRow.reviewed_document_id)
        .where(ReviewedDocumentRow.review_id == review_id)
    )


Saved = tuple[KeywordVerdictRow, str, ReviewedDocumentRow]
"""A verdict, its annotator's name, and the document with its keywords."""


def everything(session: Session, review_id: int) -> list[Saved]:
    """All that was saved in a review: by document, annotator and revision."""
    documents = {
        row.id: row
        for row in session.scalars(
            select(ReviewedDocumentRow)
            .where(ReviewedDocumentRow.review_id == review_id)
            .options(selectinload(ReviewedDocumentRow.keywords), joinedload(ReviewedDocumentRow.document))
        )
    }
    rows = session.execute(
        select(KeywordVerdictRow, KeywordAnnotatorRow.name, ReviewedDocumentRow.id)
        .join(KeywordAnnotatorRow, KeywordAnnotatorRow.id == KeywordVerdictRow.annotator_id)
        .join(ReviewedDocumentRow, ReviewedDocumentRow.id == KeywordVerdictRow.reviewed_document_id)
        .where(ReviewedDocumentRow.review_id == review_id)
        .order_by(ReviewedDocumentRow.position, KeywordAnnotatorRow.id, KeywordVerdictRow.revision)
        .options(selectinload(KeywordVerdictRow.marks))
    )
    return [(verdict, name, documents[document]) for verdict, name, document in rows]


def standing(session: Session, review_id: int) -> list[Saved]:
    """What stands of it: the last revision of each document and annotator."""
    return list({(saved[0].annotator_id, saved[2].id): saved for saved in everything(session, review_id)}.values())
