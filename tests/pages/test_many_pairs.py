"""Pages of ratings whose pairs are too many to be listed: figures count them all."""

import pytest

import relevance.data.preferences
from relevance.data.demo import AUTHOR, NAME
from tests.pages.opening import open_page, said


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("overview.py", "agrees most often with the author's labels"),
        ("agreement.py", "These pairs are too many to be listed. Choose some systems under Filters and rules."),
        ("systems.py", "144 pairs of summaries"),
        ("examples.py", "These pairs are too many to be listed. All figures count them."),
    ],
)
def test_pages_count_pairs_that_are_not_listed(
    demo_url: str, page: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relevance.data.preferences, "MANY", 1)
    app = open_page(page, dataset=NAME, aspect=AUTHOR)
    assert words in said(app)
