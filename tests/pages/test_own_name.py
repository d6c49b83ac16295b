"""On a hosted server people judge and mark under the names of their accounts."""

from relevance.annotation.keyword_records import FoundKeyword, ReviewSpec
from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.annotation.store import AnnotationStore
from relevance.data.demo import NAME
from relevance.data.rights import Right
from relevance.data.store import DataStore
from tests.pages.hosted import Server, server  # noqa: F401  a fixture
from tests.pages.opening import html, open_page, page_text, pressed


def test_a_member_judges_as_themself(server: Server) -> None:  # noqa: F811
    server.visit(server.add("rita"))
    server.accounts.grant("Demo", "rita", Right.READ)
    app = open_page("annotate.py")
    assert not app.text_input
    assert "Demo</h1>" in html(app)
    assert "You judge as rita." in page_text(app)
    app = pressed(app, "Start")
    assert page_text(app).splitlines()[0].split() == ["**Demo**", "\N{MIDDLE DOT}", "rita"]
    assert [row.annotator for row in AnnotationStore(server.engine).annotators("Demo")] == ["rita"]


def test_an_account_marks_keywords_as_itself(server: Server) -> None:  # noqa: F811
    data, reviews = DataStore(server.engine), KeywordReviewStore(server.engine)
    (document, _), *_ = data.records(NAME)
    word = FoundKeyword(("word",), ((0, 0, 4),), ("tfidf",))
    reviews.create_review(
        ReviewSpec(name="K", dataset=NAME, extractors=("tfidf",), signature="k", keywords={document.id: [word]})
    )
    other = reviews.join(review="K", name="ben")
    server.visit(server.add("rita"))
    app = open_page("keywords.py", view="mark")
    assert "You mark as rita." in page_text(app)
    app = pressed(app, "Start")
    assert "Marking as rita in K" in page_text(app).replace("*", "")
    app = open_page("keywords.py", view="mark", marker=other.token)
    assert "this link is not known" in page_text(app)
