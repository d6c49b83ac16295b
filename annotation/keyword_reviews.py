"""Reviews of keywords: people mark what extractors found wrongly (Takeshita et al. 2024, section 3).

A review keeps the keywords as they were found when it was made: marks stay with what was shown, whatever a later
version of an extractor finds. Nobody is shown which extractor found a keyword.
"""

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime
from random import Random
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload, selectinload

from relevance.annotation.inputs import clean_text, person_name
from relevance.annotation.keyword_records import (
    AlreadySaved,
    FoundKeyword,
    KeywordAnnotator,
    MarkCounts,
    MarkDecisions,
    MarkProgress,
    MarkTask,
    NameInUse,
    NoKeywords,
    Review,
    ReviewExists,
    ReviewSpec,
    ShownKeyword,
    UnknownKeyword,
    UnknownReview,
)
from relevance.annotation.records import NotAssigned, UnknownInvite
from relevance.annotation.tables import (
    KeywordAnnotatorRow,
    KeywordMarkRow,
    KeywordReviewRow,
    KeywordVerdictRow,
    ReviewedDocumentRow,
    ReviewedKeywordRow,
)
from relevance.annotation.timing import check_times
from relevance.data.database import now
from relevance.data.export import format_timestamp
from relevance.data.rights import visitor_of
from relevance.data.store.base import Store, StoreError, batches, checked_name, find_named, has_named, insert_named
from relevance.data.store.datasets import find_dataset
from relevance.data.store.rows import to_record, to_source
from relevance.data.tables import DocumentRow


class KeywordReviewStore(Store):
    """Reviews of keywords over one engine, in a short session per call.

    All researchers of a server see its reviews and mark in them, as they see its data sets.
    """

    # --- reviews -----------------------------------------------------------------------------------------

    def create_review(self, spec: ReviewSpec) -> Review:
        """Draw the order of the documents' keywords, and store the review.

        Raises `ReviewExists`, `UnknownDataset`, `NoKeywords`, or StoreError for settings out of range and for keywords
        of documents that the data set does not have.
        """
        name = checked_name(spec.name)
        check_seed(spec.seed)
        if not spec.extractors or len(set(spec.extractors)) < len(spec.extractors):
            raise StoreError("a review needs at least one extractor, each once")
        exists = ReviewExists(f"there is already a review {name!r}; choose another name")
        with self.writing() as session:
            if has_named(session, KeywordReviewRow, name):
                raise exists
            dataset = find_dataset(session, spec.dataset)
            of_dataset = select(DocumentRow).where(DocumentRow.dataset_id == dataset.id)
            known = {
                row.key: row
                for batch in batches(list(spec.keywords))
                for row in session.scalars(of_dataset.where(DocumentRow.key.in_(batch)))
            }
            unknown = sorted(set(spec.keywords) - set(known))
            if unknown:
                raise StoreError(f"data set {spec.dataset!r} has no document {unknown[0]!r}")
            kept = [key for key, keywords in spec.keywords.items() if keywords]
            if not kept:
                raise NoKeywords(f"no extractor found a keyword in the documents drawn from data set {spec.dataset!r}")
            review = KeywordReviewRow(
                name=name,
                dataset_id=dataset.id,
                extractors=list(spec.extractors),
                signature=spec.signature,
                seed=spec.seed,
                without=len(spec.keywords) - len(kept),
            )
            insert_named(session, review, exists)
            for position, key in enumerate(kept):
                keywords = keyword_rows(known[key], spec.keywords[key], spec.extractors, f"{spec.seed}:{key}")
                session.add(
                    ReviewedDocumentRow(
                        review_id=review.id, document_id=known[key].id, position=position, keywords=keywords
                    )
                )
        return self.review(name)

    def reviews(self) -> list[Review]:
        """List all reviews, the newest first."""
        with self.reading() as session:
            rows = session.scalars(
                select(KeywordReviewRow)
                .options(joinedload(KeywordReviewRow.dataset))
                .order_by(KeywordReviewRow.id.desc())
            ).all()
            return [to_review(session, row) for row in rows]

    def review(self, name: str) -> Review:
        """Return one review. Raises `UnknownReview`."""
        with self.reading() as session:
            return to_review(session, find_review(session, name))

    def version(self, name: str) -> int:
        """Return a number that grows whenever something is saved in the review. Raises `UnknownReview`."""
        with self.reading() as session:
            of_review = select_verdicts(find_review(session, name).id).subquery()
            return session.scalar(select(func.count()).select_from(of_review)) or 0

    # --- annotators --------------------------------------------------------------------------------------

    def join(self, *, review: str, name: str, returning: bool = False) -> KeywordAnnotator:
        """Return the annotator of that name: a new one, or the known one if the caller says that they return.

        Otherwise two people of one name would mark as one without knowing. Signed-in people mark, and return, by
        the name of their account. Raises `UnknownReview`, `NameInUse`.
        """
        try:
            with self.writing() as session:
                row = find_review(session, review)
                visitor = visitor_of(session)
                name = person_name(visitor.name or name)
                known = session.scalar(
                    select(KeywordAnnotatorRow).where(
                        KeywordAnnotatorRow.review_id == row.id, KeywordAnnotatorRow.name == name
                    )
                )
                if known is not None and not is_own(session, known):
                    raise NameInUse(f"somebody else called {name!r} has begun this review")
                if known is not None and visitor.user_id is None and not returning:
                    raise name_in_use(name)
                if known is None:
                    token = secrets.token_urlsafe(24)
                    known = KeywordAnnotatorRow(review=row, name=name, token=token, user_id=visitor.user_id)
                    session.add(known)
                    session.flush()
                return to_annotator(known)
        except IntegrityError as error:  # the same name joined in another session at this moment
            raise name_in_use(name) from error

    def annotator(self, token: str) -> KeywordAnnotator:
        """Return the annotator that a token belongs to. Raises `UnknownInvite`."""
        with self.reading() as session:
            row = session.scalar(
                select(KeywordAnnotatorRow)
                .where(KeywordAnnotatorRow.token == clean_text(token))
                .options(joinedload(KeywordAnnotatorRow.review))
            )
            if row is None or not is_own(session, row):
                raise UnknownInvite("this link is not known; start again by your name")
            return to_annotator(row)

    # --- marks -------------------------------------------------------------------------------------------

    def task(self, annotator: KeywordAnnotator, position: int) -> MarkTask:
        """Return the document at a position of the review, with what the annotator saved of it.

        Raises `UnknownKeyword`, `NotAssigned`.
        """
        with self.reading() as session:
            find_own(session, annotator)
            row = session.scalar(
                select(ReviewedDocumentRow)
                .join(KeywordAnnotatorRow, KeywordAnnotatorRow.review_id == ReviewedDocumentRow.review_id)
                .where(KeywordAnnotatorRow.id == annotator.id, ReviewedDocumentRow.position == position)
                .options(joinedload(ReviewedDocumentRow.document), selectinload(ReviewedDocumentRow.keywords))
            )
            if row is None:
                raise UnknownKeyword(f"the review has no document {position + 1}")
            return to_mark_task(row, latest_verdict(session, annotator.id, row.id))

    def next_task(self, annotator: KeywordAnnotator) -> MarkTask | None:
        """Return the first document that the annotator has not saved; None if none is left. Raises `NotAssigned`."""
        with self.reading() as session:
            find_own(session, annotator)
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
    ) -> None:
        """Record which keywords of a document are wrong, possibly none; it is on disk when this returns.

        `replaces` is the revision that the annotator was shown, 0 for a new document; earlier revisions are kept.

        Raises `UnknownKeyword` for a document of another review or a keyword of another document, `AlreadySaved` if the
        document was saved in another window since it was shown, `TooSoon` within 0.4 s of showing it, `NotAssigned`.
        """
        saved_at = now()
        check_times(presented_at, saved_at, "that came too soon after the document was shown; it was not saved")
        already = AlreadySaved("this document was saved in another window meanwhile; look at what is saved now")
        try:
            with self.writing() as session:
                check_marks(session, annotator, task_id, wrong)
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
        """Return the progress of an annotator. Raises `NotAssigned`."""
        with self.reading() as session:
            row = find_own(session, annotator)
            saved = session.scalar(
                select(func.count(KeywordVerdictRow.reviewed_document_id.distinct())).where(
                    KeywordVerdictRow.annotator_id == row.id
                )
            )
            total = session.scalar(select(func.count()).where(ReviewedDocumentRow.review_id == row.review_id))
            return MarkProgress(saved or 0, total or 0)

    # --- results -----------------------------------------------------------------------------------------

    def counts(self, review: str) -> MarkCounts:
        """Count each annotator's marks among each extractor's keywords in each document. Raises `UnknownReview`."""
        with self.reading() as session:
            row = find_review(session, review)
            entries: list[tuple[str, str, str, int, int]] = []
            for verdict, annotator, document in load_latest_verdicts(session, row.id):
                wrong = {mark.keyword_id for mark in verdict.marks}
                for extractor in row.extractors:
                    own = {keyword.id for keyword in document.keywords if extractor in keyword.extractors}
                    entries.append((document.document.key, annotator, extractor, len(own), len(own & wrong)))
        columns = zip(*entries, strict=True) if entries else [()] * 5
        return MarkCounts(*map(tuple, columns))

    def decisions(self, review: str) -> MarkDecisions:
        """Return each annotator's decision on each keyword of any extractor. Raises `UnknownReview`."""
        with self.reading() as session:
            entries = [
                (keyword.id, annotator, any(mark.keyword_id == keyword.id for mark in verdict.marks))
                for verdict, annotator, document in load_latest_verdicts(session, find_review(session, review).id)
                for keyword in document.keywords
            ]
        columns = zip(*entries, strict=True) if entries else [()] * 3
        return MarkDecisions(*map(tuple, columns))

    def export(self, review: str) -> list[dict[str, Any]]:
        """Return a record for each keyword, annotator and revision, old ones included. Raises `UnknownReview`."""
        with self.reading() as session:
            row = find_review(session, review)
            standing_ids = {verdict.id for verdict, *_ in load_latest_verdicts(session, row.id)}
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
                    "presented_at": format_timestamp(verdict.presented_at),
                    "saved_at": format_timestamp(verdict.saved_at),
                }
                for verdict, annotator, document in load_verdicts(session, row.id)
                for keyword in document.keywords
            ]


# --- helpers ----------------------------------------------------------------------------------------------


def check_seed(seed: int) -> None:
    """Refuse a seed that a review cannot store. Raises `StoreError`."""
    if not 0 <= seed < 2**31:
        raise StoreError("the seed must be a whole number from 0 to 2147483647")


def draw_documents(documents: Sequence[str], count: int, seed: int) -> list[str]:
    """Draw `count` of `documents`, which are in the order of the data set; all if there are fewer.

    Raises StoreError for settings out of range.
    """
    check_seed(seed)
    if count < 1:
        raise StoreError("at least one document must be drawn")
    return Random(seed).sample(documents, min(count, len(documents)))  # noqa: S311


def keyword_rows(
    document: DocumentRow, keywords: Sequence[FoundKeyword], extractors: Sequence[str], seed: str
) -> list[ReviewedKeywordRow]:
    """Make the rows of a document's keywords, in an order that reveals nothing about who found them.

    Raises StoreError for keywords that cannot be shown: duplicates, without an extractor, or outside of the texts.
    """
    lengths = [len(text) for text in (*document.reference_texts, *filter(None, [document.title]))]
    if len({keyword.words for keyword in keywords}) < len(keywords):
        raise StoreError(f"document {document.key!r} has a keyword twice")
    for words, places, by in keywords:
        in_place = all(0 <= text < len(lengths) and 0 <= start < end <= lengths[text] for text, start, end in places)
        if not words or not by or not set(by) <= set(extractors) or not in_place:
            raise StoreError(f"document {document.key!r} cannot have the keyword {' '.join(words)!r}")
    # sorted before it is drawn: the order in which extractors are asked must leave no trace
    shuffled = sorted(keywords)
    Random(seed).shuffle(shuffled)  # noqa: S311
    return [
        ReviewedKeywordRow(
            position=position,
            words=list(keyword.words),
            places=[list(place) for place in keyword.places],
            extractors=list(keyword.extractors),
        )
        for position, keyword in enumerate(shuffled)
    ]


def find_review(session: Session, name: str) -> KeywordReviewRow:
    """Find the row of a review. Raises `UnknownReview`."""
    return find_named(session, KeywordReviewRow, name, what="keyword review", unknown=UnknownReview)


def to_review(session: Session, row: KeywordReviewRow) -> Review:
    """Make the record of a review's row, with its counts."""
    of_review = select(ReviewedDocumentRow.id).where(ReviewedDocumentRow.review_id == row.id)
    keywords = select(func.count()).where(ReviewedKeywordRow.reviewed_document_id.in_(of_review))
    saved = select(KeywordVerdictRow.annotator_id, KeywordVerdictRow.reviewed_document_id).where(
        KeywordVerdictRow.reviewed_document_id.in_(of_review)
    )
    return to_record(
        Review,
        row,
        dataset=row.dataset.name,
        documents=session.scalar(select(func.count()).select_from(of_review.subquery())) or 0,
        keywords=session.scalar(keywords) or 0,
        annotators=session.scalar(select(func.count()).where(KeywordAnnotatorRow.review_id == row.id)) or 0,
        verdicts=session.scalar(select(func.count()).select_from(saved.distinct().subquery())) or 0,
    )


def is_own(session: Session, row: KeywordAnnotatorRow) -> bool:
    """Tell whether an annotator is the caller: by their account, or because they sit at this machine."""
    visitor = visitor_of(session)
    return visitor.everything if visitor.user_id is None else row.user_id == visitor.user_id


def find_own(session: Session, annotator: KeywordAnnotator) -> KeywordAnnotatorRow:
    """Find the row of an annotator. Raises `NotAssigned` if the caller is not that annotator."""
    row = session.get(KeywordAnnotatorRow, annotator.id)
    if (
        row is None or row.token != annotator.token or not is_own(session, row)
    ):  # the token: see `relevance.annotation.store`
        raise NotAssigned("these are the marks of another annotator; nothing was saved")
    return row


def name_in_use(name: str) -> NameInUse:
    """Make the error for a name that is taken by an annotator of the review, perhaps the caller."""
    return NameInUse(f"somebody called {name!r} has begun this review; say that it is you, or add a letter")


def to_annotator(row: KeywordAnnotatorRow) -> KeywordAnnotator:
    """Make the record of an annotator's row."""
    return to_record(KeywordAnnotator, row, review=row.review.name)


def to_mark_task(row: ReviewedDocumentRow, verdict: KeywordVerdictRow | None) -> MarkTask:
    """Make the record of a document as its annotator sees it."""
    document = row.document
    return MarkTask(
        id=row.id,
        position=row.position,
        title=document.title,
        references=tuple(document.reference_texts),
        source=to_source(document),
        keywords=tuple(
            ShownKeyword(
                keyword.id, tuple(keyword.words), tuple((text, start, end) for text, start, end in keyword.places)
            )
            for keyword in row.keywords
        ),
        revision=0 if verdict is None else verdict.revision,
        wrong=frozenset() if verdict is None else frozenset(mark.keyword_id for mark in verdict.marks),
    )


def latest_verdict(session: Session, annotator_id: int, task_id: int) -> KeywordVerdictRow | None:
    """Load an annotator's latest verdict on a document."""
    return session.scalar(
        select(KeywordVerdictRow)
        .where(KeywordVerdictRow.annotator_id == annotator_id, KeywordVerdictRow.reviewed_document_id == task_id)
        .order_by(KeywordVerdictRow.revision.desc())
        .limit(1)
        .options(selectinload(KeywordVerdictRow.marks))
    )


def check_marks(session: Session, annotator: KeywordAnnotator, task_id: int, wrong: Collection[int]) -> None:
    """Refuse a document of another review, and keywords of another document. Raises `UnknownKeyword`."""
    row = session.get(ReviewedDocumentRow, task_id)
    if row is None or row.review_id != find_own(session, annotator).review_id:
        raise UnknownKeyword("this document does not belong to the review")
    if not set(wrong) <= {keyword.id for keyword in row.keywords}:
        raise UnknownKeyword("a marked keyword does not belong to the document")


def select_verdicts(review_id: int) -> Select[int]:
    """Select the ids of all verdicts of a review."""
    return (
        select(KeywordVerdictRow.id)
        .join(ReviewedDocumentRow, ReviewedDocumentRow.id == KeywordVerdictRow.reviewed_document_id)
        .where(ReviewedDocumentRow.review_id == review_id)
    )


class SavedVerdict(NamedTuple):
    """A verdict, its annotator's name, and the document with its keywords."""

    verdict: KeywordVerdictRow
    annotator: str
    document: ReviewedDocumentRow


def load_verdicts(session: Session, review_id: int) -> list[SavedVerdict]:
    """Load all saved verdicts of a review, by document, annotator and revision."""
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
    return [SavedVerdict(verdict, name, documents[document_id]) for verdict, name, document_id in rows]


def load_latest_verdicts(session: Session, review_id: int) -> list[SavedVerdict]:
    """Load the latest verdict of each document and annotator."""
    return list({(saved.annotator, saved.document.id): saved for saved in load_verdicts(session, review_id)}.values())
