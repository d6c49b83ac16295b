"""What is said of texts beside their scores: the same wherever they are read."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import relevance
from relevance.cli import main
from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary
from relevance.metrics import make_metrics, metric
from relevance.metrics.languages import LANGUAGES, guess_language
from relevance.metrics.notices import BrokenWords, find_notices

SENTENCES = {
    "de": "Die Brücke über den Fluss ist neu, und die Fähre fährt nicht mehr.",
    "es": "El niño comió una piña y mañana vendrá otra vez con su mamá.",
    "fr": "L'école déjà fermée rouvre en février, dit le maître, et les élèves sont là.",
    "it": "La città è più bella perché c'è il sole, e così la gente è felice.",
    "pt": "A criança não comeu o pão, mas amanhã ela virá outra vez com a mãe.",
    "sv": "Sjön är djup och båten åker inte på vintern när det är kallt.",
    "hu": "A híd új, és a komp már nem jár télen a szigetre, mert hideg van.",
    "fi": "Silta on uusi, ja lautta ei enää kulje, mutta bussi ajaa yli päivällä.",
    "ru": "Мост новый, и паром больше не ходит.",
    "zh": "大桥是新的，渡船不再开了。",
    "ja": "橋は新しく、フェリーはもう走らない。",
    "ar": "الجسر جديد ولم تعد العبارة تعمل.",
}
ENGLISH = "The ferry to the island stops for the winter, says José Müller, and a bus will use the new bridge instead. "


def counted(*texts: str) -> BrokenWords:
    words = BrokenWords()
    for text in texts:
        words.add(text)
    return words


@pytest.mark.parametrize("language", SENTENCES)
def test_words_that_are_broken_are_said_with_their_language(language: str) -> None:
    text = counted(SENTENCES[language]).describe("a text")
    assert f"--language {language} ({LANGUAGES[language].name}?)" in text
    assert guess_language([SENTENCES[language]]) == language


def test_words_are_counted_not_letters() -> None:
    """Few letters of a text may break many of its words: 4 of 24 letters, 4 of 5 words."""
    text = counted("über Öl für Käse hin").describe("a text")
    assert text.startswith("4 of the 5 words in a text have letters outside a-z, such as über, and are broken there")


@pytest.mark.parametrize("texts", [[], ["A café."] + 20 * ["The ferry stops for the winter."], [ENGLISH], ["'90s"]])
def test_names_in_english_are_no_news(texts: list[str]) -> None:
    assert counted(*texts).describe("texts") == ""


def test_english_with_very_many_accents_is_news_without_a_language() -> None:
    assert "--language CODE, or" in counted("The façade and the naïve résumé of the café").describe("texts")


@pytest.mark.parametrize("form", ["summeval.jsonl", "scitldr/test.jsonl"])
def test_no_word_of_english_corpora_is_said_to_be_broken(shared_data: Path, form: str) -> None:
    signatures = [metric.signature for metric in make_metrics(["rouge1", "rouge_k", "carouge", "apes"])]
    assert "words" not in find_notices(read_documents(shared_data / form), signatures)


LINES = Document("d", "", ("A reef.", "One\nTwo"))
NO_LINES = Document("d", "", ("A reef.",))


@pytest.mark.parametrize(
    ("document", "candidate", "options", "is_told"),
    [
        (NO_LINES, "Divers.", {}, True),
        (NO_LINES, "Divers.\nTwo.", {}, False),
        (LINES, "Divers.", {}, False),
        (NO_LINES, "Divers.", {"lsum_sentences": "split"}, False),
    ],
)
def test_texts_without_lines_are_said_to_whom_reads_lines(
    document: Document, candidate: str, options: dict[str, str], is_told: bool
) -> None:
    signatures = [metric("rougeLsum", **options).signature, metric("rougeL").signature]
    notices = find_notices([(document, [Summary("d", "s", candidate)])], signatures)
    assert ("line breaks" in notices) == is_told
    if is_told:
        assert notices["line breaks"][0].startswith("rougeLsum: no summary or reference has a line break")


def test_nothing_is_said_of_usual_texts() -> None:
    assert find_notices([(LINES, [Summary("d", "s", "Divers.")])], [metric("rougeLsum").signature]) == {}


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    summaries = [
        {"system": "a", "text": "Die Fähre<q>fährt nicht &amp; bleibt.", "human": {"relevance": 3}},
        {"system": "b", "text": "Die Brücke ist neu.", "human": {"relevance": 1}},
    ]
    record = {"id": "d", "source": "Die Fähre.", "references": ["Die Fähre<q>fährt nicht."], "summaries": summaries}
    (path := tmp_path / "marked.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


MARKS = "marks of other programs stand in 2 of 4 texts"
WORDS = "rouge1: 5 of the 16 words in summaries and references have letters outside a-z, such as Fähre"


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_the_same_is_said_wherever_texts_are_read(
    marked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{tmp_path}/relevance.db")
    metrics = ("--metrics", "rouge1")
    output = run("score", marked, *metrics, "-o", tmp_path / "scores.jsonl").output
    assert output.count(MARKS) == output.count(WORDS) == 1
    output = run("score", marked, *metrics, "-o", f"{tmp_path}/shards/").output
    assert output.count(MARKS) == output.count(WORDS) == 1
    output = run("import", marked, "--name", "set").output
    assert output.count(MARKS) == 1
    assert "when it is scored by ROUGE: 6 of the 18 words in its first documents" in output
    output = run("score", "set", *metrics).output
    assert output.count(MARKS) == output.count(WORDS) == 1
    for name in (marked, "set"):
        output = " ".join(run("analyze", name, *metrics).output.split())
        assert MARKS in output
        assert WORDS in output
    with pytest.warns(UserWarning, match="marks of other programs") as warned:
        frame = relevance.load(marked)
    assert [str(warning.message)[:20] for warning in warned] == [MARKS[:20]]
    assert warned[0].filename == __file__
    with pytest.warns(UserWarning, match="words|marks") as warned:
        relevance.score(frame, ["rouge1"])
    assert [str(warning.message)[:20] for warning in warned] == [WORDS[:20], MARKS[:20]]


def test_what_is_cleaned_says_so_and_has_a_signature_of_its_own(
    marked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{tmp_path}/relevance.db")
    options = ("--metrics", "rouge1", "--language", "de", "--clean")
    output = run("score", marked, *options, "-o", tmp_path / "scores.jsonl").output
    assert "marks of other programs were removed from 2 of 4 texts: <q> (2), &amp; (1)" in output
    assert MARKS not in output
    signatures = json.loads((tmp_path / "scores.signatures.json").read_text())
    assert signatures["rouge1"].endswith("|lang:de|value:f1|clean:1|version:0.2.0")
    first, second = map(json.loads, (tmp_path / "scores.jsonl").read_text().splitlines())
    assert first["metrics"]["rouge1"] == pytest.approx(2 * 4 / (4 + 5))
    run("score", marked, *options, "-o", f"{tmp_path}/shards/")
    manifest = json.loads((tmp_path / "shards" / "manifest.json").read_text())
    assert manifest["signatures"] == signatures
    other = CliRunner().invoke(main, ["score", str(marked), *options[:-1], "-o", f"{tmp_path}/shards/"])
    assert other.exit_code == 2
    with pytest.warns(UserWarning, match="marks of other programs"):
        frame = relevance.load(marked)
    scored = relevance.score(frame, ["rouge1"], clean=True, language="de")
    assert scored["rouge1"].tolist() == pytest.approx([row["metrics"]["rouge1"] for row in (first, second)])
    assert scored.attrs["signatures"] == signatures
    with pytest.warns(UserWarning, match="marks of other programs were removed from 2 of 4 texts"):
        cleaned = relevance.load(marked, clean=True)
    loaded = relevance.score(cleaned, ["rouge1"], language="de")
    assert loaded.attrs["signatures"] == signatures
    assert loaded["rouge1"].tolist() == scored["rouge1"].tolist()
    assert "<q>" in scored["summary"][0]
    assert "<q>" not in loaded["summary"][0]
    analyzed = " ".join(run("analyze", marked, *options).output.split())
    assert "cleaned of marks of other programs (rules 1)" in analyzed
    assert signatures["rouge1"] in analyzed


def test_a_cleaned_data_set_remembers_it(marked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{tmp_path}/relevance.db")
    run("import", marked, "--name", "set", "--clean")
    output = run("score", "set", "--metrics", "rouge1", "--language", "de").output
    assert "clean:" not in output  # the texts that are stored are those that were scored
    assert MARKS not in output
    (lines := tmp_path / "c.txt").write_text("Die Fähre<q>bleibt.\n", encoding="utf-8")
    assert "removed from 1 of 1 texts" in run("import", lines, "--name", "set").output
    run("convert", "set", tmp_path / "out.jsonl", "--to", "interchange")
    assert "<q>" not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert "cleaned of marks of other programs (rules 1)" in " ".join(run("analyze", "set").output.split())
    for command in (["score", "set"], ["analyze", "set"], ["convert", "set", str(tmp_path / "x"), "--to", "csv"]):
        refused = CliRunner().invoke(main, [*command, "--clean"])
        assert refused.exit_code == 2
        assert "import its file again with --clean, under another name" in " ".join(refused.output.split())


def test_missing_scores_have_their_reasons_beside_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{tmp_path}/relevance.db")
    summaries = [{"system": system, "text": text} for system, text in (("a", "A reef."), ("b", ""), ("c", "!"))]
    record = {"id": "d", "source": None, "references": ["A reef."], "summaries": summaries}
    (path := tmp_path / "one.jsonl").write_text(json.dumps(record) + "\n")
    metrics = ("--metrics", "rouge1,rouge2,rouge_k")
    run("import", path, "--name", "set")
    told = [
        run("score", path, *metrics, "-o", tmp_path / "scores.jsonl").output,
        run("score", path, *metrics, "-o", f"{tmp_path}/shards/").output,
        run("score", "set", *metrics).output,
    ]
    for message in told:
        assert (
            "rouge1, rouge2: 2 of 3 scores are missing: the summary is empty (1); the summary has no token" in message
        )
        assert (
            "rouge_k: 3 of 3 scores are missing: no keywords: there are not two texts among references and title"
            in message
        )
