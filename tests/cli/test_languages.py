"""Texts in German, Chinese and Arabic from a file to scores, through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from relevance.cli import main
from relevance.data.database import connect
from relevance.data.records import Example
from relevance.data.store import DataStore
from relevance.metrics import metric
from relevance.metrics.explained import explain
from relevance.reports.evidence.words import in_words

# A source of three sentences, the reference, the title, which of the sentences textrank takes, and by hand the ROUGE-1
# (F1) and ROUGE-K of lead-1, the first sentence, and of textrank-1.
TEXTS = {
    # Content words: regen fallen; stadt fluss steigen; fluss stadt. The second shares Stadt and Fluss (in other forms)
    # with the third, the first none with any: the last two rank equally high, and the earlier one goes first.
    # ROUGE-1: die stadt am fluss against lead-1 (regen fiel in der nacht) 0; against (in den stadt stieg der fluss),
    # 2 of 6 and of 4: 2 * 2 / 10. ROUGE-K: reference and title share stadt and fluss in different orders, so that each
    # is a keyword of its own.
    "de": (
        ("Regen fiel in der Nacht.", "In den Städten stieg der Fluss.", "Der Fluss bedroht die Stadt."),
        "Die Stadt am Fluss.",
        "Fluss in der Stadt",
        1,
        (0.0, 0.0),
        (0.4, 1.0),
    ),
    # The second and third share 大, 火 and 北, 京, the first none with them. lead-1 (昨 天 下 雨) shares no character
    # with 北 京 火 灾; 北 京 发 生 大 火 has three of them: 2 * 3 / (6 + 4). The title 火灾北京 shares 北京 and 火灾:
    # the second sentence has 北京 and not 火灾.
    "zh": (("昨天下雨。", "北京发生大火。", "大火烧毁北京城。"), "北京火灾。", "火灾北京", 1, (0.0, 0.0), (0.6, 0.5)),
    # The second and third share book and new. lead-1 (rain fell yesterday) has no word of (new book); the second has
    # both among three: 2 * 2 / (3 + 2). Title and reference share the keyword book new, which it has.
    "ar": (
        ("هطل المطر أمس.", "صدر كتاب جديد.", "الكِتَابُ الجديد مفيد."),
        "كتـاب جديد",
        "الكتاب الجديد",
        1,
        (0.0, 0.0),
        (0.8, 1.0),
    ),
}


def run(*arguments: str | Path) -> Any:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.process
@pytest.mark.parametrize("language", TEXTS)
def test_from_a_file_to_scores(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{tmp_path}/relevance.db")
    source, reference, title, taken, *expected = TEXTS[language]
    file = tmp_path / "one.jsonl"
    space = "" if language == "zh" else " "
    record = {"id": "d", "source": space.join(source), "title": title, "references": [reference], "summaries": []}
    file.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
    run("import", file, "--name", "one")
    run("summarize", "one", "--system", "lead-1,textrank-1", "--language", language)
    arguments = ("--metrics", "rouge1,rouge_k", "--language", language)
    result = run("score", "one", *arguments)
    assert result.output.count(f"|lang:{language}|") == 2
    assert "not seen" not in result.output
    ((_, summaries),) = DataStore(connect(f"sqlite:///{tmp_path}/relevance.db")).records("one")
    written = {summary.system: summary.text for summary in summaries}
    assert written == {"lead-1": source[0], f"textrank-{language}-1": source[taken]}
    record["summaries"] = [{"system": system, "text": text} for system, text in sorted(written.items())]
    file.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
    scores = tmp_path / "scores.jsonl"
    run("score", file, *arguments, "-o", scores)
    answers = [json.loads(line)["metrics"] for line in scores.read_text(encoding="utf-8").splitlines()]
    assert [(row["rouge1"], row["rouge_k"]) for row in answers] == [pytest.approx(pair, abs=1e-6) for pair in expected]
    best = run("oracle", file, "--algorithms", "greedy", "--language", language, "--processes", "1")
    assert f"|lang:{language}|" in best.output


def test_words_that_no_metric_sees_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{tmp_path}/relevance.db")
    file = tmp_path / "one.jsonl"
    summaries = [{"system": "s", "text": "北京大火"}]
    record = {"id": "d", "source": "北京大火。", "references": ["北京火灾"], "summaries": summaries}
    file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    result = run("score", file, "--metrics", "rouge1,rouge_k", "-o", tmp_path / "scores.jsonl")
    assert "rouge1: 8 of the 8 words in summaries and references have letters outside a-z, such as 北," in result.output
    assert "relevance score --language zh (Chinese?), or" in result.output
    assert "rouge_k: texts are taken for English" in result.output
    result = run("import", file, "--name", "one")  # 4 characters of the source more
    assert "12 of the 12 words in its first documents have letters outside a-z" in result.output
    assert "8 of the 8 words" in run("analyze", "one", "--metrics", "rouge1").output
    result = run("score", file, "--metrics", "rouge1,rouge_k", "-o", f"{tmp_path}/shards/")
    assert "rouge1: 8 of the 8 words in summaries and references have" in result.output
    refused = CliRunner().invoke(main, ["score", str(file), "--metrics", "rouge1,apes", "--language", "zh"])
    assert refused.exit_code == 2
    assert "apes can read English only" in refused.output


@pytest.mark.parametrize(("language", "is_told"), [("en", True), ("zh", False)])
def test_what_is_said_of_an_example_names_words_that_are_not_seen(language: str, is_told: bool) -> None:
    """An English ROUGE sees none of the four characters of each text; the Chinese one has nothing to say of that."""
    made, example = metric("rouge1", language=language), Example("d", "s", "北京大火", ("北京火灾",), None, "")
    sentences = in_words(made.signature, [example], [explain(made, example)])
    assert any("8 of the 8 words" in sentence for sentence in sentences) == is_told


def test_a_language_that_is_not_known_is_refused() -> None:
    result = CliRunner().invoke(main, ["summarize", "one", "--system", "textrank", "--language", "xx"])
    assert result.exit_code == 2
    assert "--language must be one of en, ar" in result.output
