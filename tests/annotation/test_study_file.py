"""The study file: what is written is read as it was, and what is wrong is refused with file, line and key."""

import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.annotation.protocol.file import BadStudyFile, read_protocol, read_study_file
from relevance.annotation.protocol.records import (
    LANGUAGES,
    RATIONALES,
    Checks,
    Consent,
    Judging,
    Panel,
    Pinned,
    Places,
    Sampling,
    Stopping,
    StudyProtocol,
    SurveyQuestion,
    Surveys,
    Training,
    TrainingPair,
)
from relevance.annotation.protocol.writing import edit_text, write_protocol
from relevance.data.records import BadRecord
from tests.fuzzing import mutations

PAIR = TrainingPair(document="A long text.\nOf two lines.", better="Good.", worse="Bad.", explanation="It says more.")
FULL = StudyProtocol(
    name="S",
    title="News",
    language="de",
    closes=datetime(2030, 12, 31, 18, tzinfo=timezone(timedelta(hours=1))),
    question='Which is "better"?',
    instructions='Read.\n\n"""Choose."""\tC:\\new "',
    dataset=Pinned(name="news", sha256="0" * 64, systems=("a", "b")),
    sampling=Sampling(rule="conflicts", signatures=("rouge1|x", "rouge_k|y"), random_share=0.5, count=60, seed=3),
    judging=Judging(judgments_per_pair=3, ties=True, most_per_annotator=30, idle_minutes=20, rationale="required"),
    checks=Checks(count=4, warn_after=1, end_after=2),
    consent=Consent(text="I agree.\r\n\u202eTo what?\u2028"),
    training=Training(pairs=(PAIR, replace(PAIR, title="Second")), pass_mark=1, attempts=2),
    surveys=Surveys(
        before=(
            SurveyQuestion(name="age", ask="How old are you?", kind="number", least=18, most=120.5),
            SurveyQuestion(
                name="english", ask="Your English?", kind="radio", options=("native", "good"), required=False
            ),
        ),
        after=(SurveyQuestion(name="remarks", ask="Remarks?", kind="text"),),
    ),
    panel=Panel(kind="prolific", completed="C1", failed="F1", screened_out="S1"),
    links=Places(places=12, ends=datetime(2030, 1, 1, tzinfo=UTC)),
    stopping=Stopping(first="rouge1|x", second="rouge_k|y", alpha=0.1, most_documents=200),
    texts={"Next": "Weiter", "I agree": 'Ja, "gern"\n'},
)
PLAIN = StudyProtocol(name="S", dataset=Pinned(name="news"), sampling=Sampling(rule="random"))


def test_a_written_file_is_one_to_read() -> None:
    assert write_protocol(replace(PLAIN, instructions="Read.\nChoose.", training=FULL.training)) == (
        '''format = 1
name = "S"
language = "en"
question = "Which summary is more relevant to the document?"
instructions = """
Read.
Choose."""

[dataset]
name = "news"

[sampling]
rule = "random"
random_share = 0.25
seed = 0

[judging]
judgments_per_pair = 1
judged_twice = 0
ties = false
both_bad = false
rationale = "optional"
confidence = false
marks = false

[checks]
count = 0

[training]
pass_mark = 1
attempts = 2

[[training.pairs]]
document = """
A long text.
Of two lines."""
better = "Good."
worse = "Bad."
explanation = "It says more."

[[training.pairs]]
document = """
A long text.
Of two lines."""
better = "Good."
worse = "Bad."
explanation = "It says more."
title = "Second"
'''
    )


@pytest.mark.parametrize("protocol", [PLAIN, FULL, replace(FULL, links=Places())])
def test_what_is_written_is_read_as_it_was(protocol: StudyProtocol) -> None:
    assert read_protocol(write_protocol(protocol)) == protocol


SAID = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30).filter(str.strip)
QUOTED = st.text("\"'\\\n\t\r #[]=\u202e\u2028\x7f\x85a", min_size=1, max_size=20).filter(str.strip)
TEXTS = SAID | QUOTED
NAMES = st.text(string.ascii_letters + "é中", min_size=1, max_size=9)
TIMES = st.datetimes(datetime(2000, 1, 2), datetime(9998, 12, 30), timezones=st.just(UTC))


@given(
    st.builds(
        StudyProtocol,
        name=NAMES,
        title=st.none() | NAMES,
        language=st.sampled_from(LANGUAGES),
        closes=st.none() | TIMES,
        question=TEXTS,
        instructions=TEXTS | st.just(""),
        dataset=st.builds(Pinned, name=NAMES, systems=st.just(()) | st.just(("a", "b"))),
        sampling=st.builds(
            Sampling,
            rule=st.just("all"),
            random_share=st.floats(0, 1, exclude_min=True, exclude_max=True),
            count=st.none() | st.integers(1, 2**31 - 1),
        ),
        judging=st.builds(Judging, rationale=st.sampled_from(RATIONALES), marks=st.booleans()),
        consent=st.none() | st.builds(Consent, text=TEXTS),
        surveys=st.builds(
            Surveys,
            after=st.just(())
            | st.tuples(st.builds(SurveyQuestion, name=NAMES, ask=TEXTS, kind=st.just("text"), required=st.booleans())),
        ),
        training=st.none()
        | st.builds(
            Training,
            pairs=st.tuples(
                st.builds(
                    TrainingPair,
                    document=TEXTS,
                    better=TEXTS.map("b".__add__),
                    worse=TEXTS.map("w".__add__),
                    explanation=TEXTS,
                )
            ),
            pass_mark=st.just(1),
        ),
        texts=st.dictionaries(TEXTS, TEXTS, max_size=3),
    )
)
def test_any_protocol_comes_back(protocol: StudyProtocol) -> None:
    text = write_protocol(protocol)
    assert read_protocol(text) == protocol
    assert write_protocol(read_protocol(text)) == text


@given(TEXTS, st.none() | NAMES, st.none() | TIMES)
def test_an_edit_changes_the_keys_and_nothing_else(
    instructions: str, title: str | None, closes: datetime | None
) -> None:
    written = (
        write_protocol(FULL).replace('title = "News"', 'title = "News"   # to be changed').replace("\n[", "\n# so\n[")
    )
    changes: dict[str, Any] = {"instructions": instructions, "title": title, "closes": closes}
    edited = edit_text(written, changes)
    assert read_protocol(edited) == replace(FULL, **changes)
    assert edited.count("# so\n[") == written.count("# so\n[")
    assert ("# to be changed" in edited) == (title is not None)
    # what was taken out, or never there, is put before all tables
    assert read_protocol(edit_text(edit_text(write_protocol(PLAIN), changes), changes)) == replace(PLAIN, **changes)


def changed(old: str, new: str) -> str:
    """The full file with one place changed, which must be there once."""
    text = write_protocol(FULL)
    assert text.count(old) == 1, old
    return text.replace(old, new)


PROLIFIC = 'kind = "prolific"\ncompleted = "C1"\nfailed = "F1"\nscreened_out = "S1"'


def generic(completed: str, parameters: str = '["id"]') -> str:
    return changed(PROLIFIC, f'kind = "generic"\ncompleted = "{completed}"\nparameters = {parameters}')


MISTAKES: dict[str, tuple[str, str]] = {
    "unknown table": (
        changed("[sampling]", "[sampeling]"),
        r"study.toml:17: unknown key 'sampeling'; did you mean 'sampling'\?",
    ),
    "unknown key": (
        changed("ties =", "tie ="),
        r"study.toml:\d+: unknown key 'tie' in \[judging\]; did you mean 'ties'\?",
    ),
    "unknown key far from all": (
        changed("ties =", "xxxxxx ="),
        r"unknown key 'xxxxxx' in \[judging\]; known are judgments_per_pair, ",
    ),
    "unknown key of a pair": (
        changed('title = "Second"', 'tilte = "Second"'),
        r"study.toml:\d+: unknown key 'tilte' in \[\[training.pairs\]\]; did you mean 'title'",
    ),
    "no format": (
        changed("format = 1\n", ""),
        r"study.toml: the key 'format' is missing: begin the file with format = 1",
    ),
    "later format": (
        changed("format = 1\n", "format = 2\n"),
        r"study.toml:1: this version reads study files of format = 1 only",
    ),
    "true is not a format": (changed("format = 1\n", "format = true\n"), r"study.toml:1: this version"),
    "no name": (changed('name = "S"\n', ""), r"study.toml: the key 'name' is missing"),
    "no data set": ('format = 1\nname = "S"', r"the key 'dataset' is missing; write \[dataset\] and its keys"),
    "no text of the consent": (
        changed("[consent]\ntext", "[consent]\n#"),
        r"study.toml:\d+: (the key 'text' in \[consent\] is missing|this is not TOML)",
    ),
    "a number for a text": (
        changed('name = "S"', "name = 5"),
        r"study.toml:2: 'name' must be a text in quotes, say \"5\"",
    ),
    "a text for a number": (
        changed("seed = 3", 'seed = "3"'),
        r"'seed' in \[sampling\] must be a whole number, without quotes",
    ),
    "a fraction for a number": (changed("seed = 3", "seed = 3.0"), r"'seed' in \[sampling\] must be a whole number"),
    "true for a number": (changed("seed = 3", "seed = true"), r"'seed' in \[sampling\] must be a whole number"),
    "a text for true": (
        changed("ties = true", 'ties = "yes"'),
        r"'ties' in \[judging\] must be true or false, without quotes",
    ),
    "both bad without ties": (
        changed("ties = true\nboth_bad = false", "ties = false\nboth_bad = true"),
        r"study.toml:\d+: 'both_bad' in \[judging\] needs ties = true",
    ),
    "a text for a list": (
        changed('systems = ["a", "b"]', 'systems = "a, b"'),
        r"'systems' in \[dataset\] must be a list, such as \[\"one\"",
    ),
    "a number in a list": (
        changed('systems = ["a", "b"]', 'systems = ["a",\n 5]'),
        r"study.toml:16: item 2 of 'systems' in \[dataset\] must be a text",
    ),
    "a list for tables": (
        changed("[[surveys.after]]", "[surveys.after]"),
        r"'after' in \[surveys\] must be tables: write \[\[surveys.after\]\] before each",
    ),
    "a text for a table": (
        'format = 1\nname = "S"\ndataset = "news"',
        r"study.toml:3: 'dataset' is a table: write \[dataset\]",
    ),
    "a text for the texts": (
        'format = 1\nname = "S"\ndataset = { name = "n" }\ntexts = "news"',
        r"study.toml:4: 'texts' is a table",
    ),
    "a number among the texts": (
        changed('Next = "Weiter"', "Next = 5"),
        r"'Next' in \[texts\] must be a text in quotes",
    ),
    "no zone": (
        changed("closes = 2030-12-31T18:00:00+01:00", "closes = 2030-12-31T18:00:00"),
        r"study.toml:5: 'closes' must be a date and time with its zone",
    ),
    "a day": (
        changed("closes = 2030-12-31T18:00:00+01:00", "closes = 2030-12-31"),
        r"study.toml:5: 'closes' must be a date and time with its zone",
    ),
    "another century": (changed("closes = 2030", "closes = 0030"), r"'closes' must be in the years 2000 to 9998"),
    "a blank name": (changed('name = "S"', 'name = " "'), r"study.toml:2: 'name' needs 1 to 200 printable characters"),
    "a name with spaces": (changed('name = "S"', 'name = " S"'), r"study.toml:2: 'name' begins or ends with a space"),
    "a blank question": (changed('question = "Which is \\"better\\"?"', 'question = " "'), r"'question' is empty"),
    "a language": (changed('"de"', '"fr"'), r"study.toml:4: 'language' cannot be 'fr'; known are en, de, zh, ar"),
    "a hash": (changed("0" * 64, "0" * 63), r"'sha256' in \[dataset\] must be 64 digits"),
    "one system": (changed('["a", "b"]', '["a"]'), r"'systems' in \[dataset\] must name at least two"),
    "a system twice": (changed('["a", "b"]', '["a", "a"]'), r"'a' stands twice in 'systems' in \[dataset\]"),
    "a rule": (
        changed('rule = "conflicts"', 'rule = "conflict"'),
        r"'rule' in \[sampling\] cannot be 'conflict'; did you mean 'conflicts'\?",
    ),
    "one metric in conflict": (
        changed('["rouge1|x", "rouge_k|y"]', '["rouge1|x"]'),
        r"at least two metrics that may conflict",
    ),
    "two of ROUGE-K": (changed('rule = "conflicts"', 'rule = "rouge_k_differs"'), r"the one signature of ROUGE-K"),
    "scores of no rule": (changed('rule = "conflicts"', 'rule = "all"'), r"the rule 'all' compares no scores"),
    "a share of all": (changed("random_share = 0.5", "random_share = 1"), r"above 0 and below 1"),
    "a share of nan": (changed("random_share = 0.5", "random_share = nan"), r"above 0 and below 1"),
    "no pairs": (changed("count = 60", "count = 0"), r"'count' in \[sampling\] must be from 1 to 2147483647, not 0"),
    "a seed": (changed("seed = 3", "seed = -3"), r"'seed' in \[sampling\] must be from 0 to 2147483647, not -3"),
    "no judgments": (changed("judgments_per_pair = 3", "judgments_per_pair = 0"), r"must be from 1 to"),
    "two judgments of a part where all have three": (
        changed("judged_twice = 0", "judged_twice = 5"),
        r"'judged_twice' in \[judging\] needs judgments_per_pair = 1: each pair has 3",
    ),
    "two judgments of a part, and a stopping rule": (
        changed("judgments_per_pair = 3\njudged_twice = 0", "judgments_per_pair = 1\njudged_twice = 5"),
        r"'judged_twice' in \[judging\] does not go with \[stopping\]",
    ),
    "idle": (
        changed("idle_minutes = 20", "idle_minutes = 99999"),
        r"'idle_minutes' in \[judging\] must be from 1 to 10080",
    ),
    "a rationale": (
        changed('rationale = "required"', 'rationale = "must"'),
        r"'rationale' in \[judging\] cannot be 'must'; known are off",
    ),
    "checks": (changed("count = 4", "count = 101"), r"'count' in \[checks\] must be from 0 to 100"),
    "end after all": (
        changed("end_after = 2", "end_after = 5"),
        r"'end_after' in \[checks\] must be from 1 to the number of checks, which is 4",
    ),
    "warn after end": (
        changed("warn_after = 1", "warn_after = 2"),
        r"'warn_after' in \[checks\] must be less than 'end_after'",
    ),
    "a pass mark": (
        changed("pass_mark = 1", "pass_mark = 3"),
        r"'pass_mark' in \[training\] must be from 1 to the number of pairs, which is 2",
    ),
    "attempts": (changed("attempts = 2", "attempts = 0"), r"'attempts' in \[training\] must be from 1 to 100"),
    "no training pairs": (
        'format = 1\nname = "S"\n[dataset]\nname = "n"\n[sampling]\nrule = "all"\n[training]\npass_mark = 0\npairs=[]',
        r"study.toml:9: \[\[training.pairs\]\] must appear 1 to 100 times",
    ),
    "the same name": (changed('name = "english"', 'name = "age"'), r"two questions named 'age'"),
    "a kind": (
        changed('kind = "radio"', 'kind = "ratio"'),
        r"'kind' in \[\[surveys.before\]\] cannot be 'ratio'; did you mean 'radio'",
    ),
    "one option": (
        changed('["native", "good"]', '["native"]'),
        r"a radio question in \[\[surveys.before\]\] needs 2 to 100 'options'",
    ),
    "options of a text": (
        changed('kind = "text"', 'kind = "text"\noptions = ["a"]'),
        r"a text question in \[\[surveys.after\]\] has no 'options'",
    ),
    "a limit of a text": (
        changed('kind = "text"', 'kind = "text"\nmost = 5'),
        r"'most' in \[\[surveys.after\]\] goes with kind = \"number\"",
    ),
    "limits crossed": (changed("least = 18", "least = 121"), r"'least' in \[\[surveys.before\]\] is more than 'most'"),
    "a limit of nan": (changed("least = 18", "least = nan"), r"must be a finite number"),
    "a panel": (
        changed('kind = "prolific"', 'kind = "mturk"'),
        r"'kind' in \[panel\] cannot be 'mturk'; known are prolific, generic",
    ),
    "a code": (
        changed('"C1"', '"C1&x=2"'),
        r"study.toml:\d+: 'completed' in \[panel\]: 'C1&x=2' is not a completion code",
    ),
    "plain http": (
        generic("http://panel.example/done"),
        r"'completed' in \[panel\]: .* is not an address to send people",
    ),
    "a script": (generic("javascript:alert(1)"), r"is not an address to send people back to: it needs https://"),
    "no host": (generic("https:///done"), r"is not an address to send people back to"),
    "a host by a placeholder": (generic("https://{person}.example/"), r"is not an address to send people back to"),
    "a host behind a name": (
        generic("https://panel.example@evil.example/"),
        r"is not an address to send people back to",
    ),
    "an unknown placeholder": (
        generic("https://panel.example/?p={pearson}"),
        r"is not an address to send people back to",
    ),
    "an address of two lines": (generic("https://panel.example/\\nx"), r"is not an address to send people back to"),
    "an odd parameter": (generic("https://panel.example/", '["a&b"]'), r"'a&b' is not a name of a parameter"),
    "a parameter twice": (generic("https://panel.example/", '["a", "a"]'), r"'a' stands twice in 'parameters'"),
    "parameters of Prolific": (
        changed(PROLIFIC, PROLIFIC + '\nparameters = ["id"]'),
        r"Prolific's parameters are always the same",
    ),
    "places": (changed("places = 12", "places = 0"), r"'places' in \[links\] must be from 1"),
    "alpha": (changed("alpha = 0.1", "alpha = 0"), r"'alpha' in \[stopping\] must be above 0"),
    "one metric twice": (
        changed('second = "rouge_k|y"', 'second = "rouge1|x"'),
        r"'second' in \[stopping\] is the same metric",
    ),
    "a long title": (changed('"News"', f'"{"x" * 201}"'), r"study.toml:3: 'title' needs 1 to 200 printable characters"),
    "a long text": (changed("I agree.", "x" * 100_001), r"'text' in \[consent\] has at most 100,000 characters"),
    "NUL": (changed("I agree.", "\\u0000"), r"'text' in \[consent\] contains a NUL character"),
    "half a character": (changed('"News"', '"\ud800"'), r"study.toml:3: there is half a character"),
    "half a character, escaped": (
        changed('"News"', '"\\ud800"'),
        r"study.toml:3: this is not TOML: escaped character is not",
    ),
    "no TOML": (changed('"News"', "News"), r"study.toml:3: this is not TOML: invalid value"),
    "a key twice": (
        changed('"News"', '"News"\ntitle = "Old"'),
        r"study.toml:4: this is not TOML: cannot overwrite a value",
    ),
    "an open text": ('format = 1\nname = "S', r"study.toml:2: this is not TOML"),
    "many digits": (changed("seed = 3", "seed = " + "3" * 5000), r"study.toml:\d+: a number has too many digits"),
    "a large number": (changed("seed = 3", "seed = " + "3" * 25), r"'seed' in \[sampling\] must be from 0"),
    "a deep list": ("format = " + "[" * 5000, r"study.toml: its lists or tables are nested too deeply"),
    "a long key": ("format = 1\n" + "a." * 50_000 + "a = 1", r"study.toml:2: a key has more than 8 parts"),
    "a byte order mark": ("\ufeff" + write_protocol(FULL), r"study.toml:1: the file begins with a byte order mark"),
    "a large file": ("#" * (1024 * 1024 + 1), r"study.toml: a study file has at most 1024 KiB"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_refused_by_file_line_and_key(what: str) -> None:
    text, message = MISTAKES[what]
    with pytest.raises(BadStudyFile, match=message):
        read_protocol(text, "study.toml")


def test_a_line_is_that_of_the_key_and_not_of_a_text_that_looks_like_it() -> None:
    text = changed(
        'Of two lines."""\nbetter = "Good."\nworse = "Bad."\nexplanation = "It says more."\ntitle = "Second"',
        '[judging]\nties = 3"""\nbetter = "Good."\nworse = 5\nexplanation = "It says more."',
    )
    line = text.split("\n").index("worse = 5") + 1
    with pytest.raises(BadStudyFile, match=rf"study file:{line}: 'worse' in \[\[training.pairs\]\] must be a text"):
        read_protocol(text)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_bytes(b'format = 1\nname = "\xe9"')
    with pytest.raises(BadStudyFile, match=r"study.toml:2: this is not UTF-8; save the file as UTF-8"):
        read_study_file(file)
    file.write_bytes(b"#" * 2_000_000)
    with pytest.raises(BadStudyFile, match="at most 1024 KiB"):
        read_study_file(file)
    with pytest.raises(BadRecord, match="not an ordinary file"):
        read_study_file(Path("/dev/zero"))
    file.write_bytes(b"format = 1\r\n")
    assert read_study_file(file) == "format = 1\r\n"  # or what is exported would have other bytes


@pytest.mark.exhaustive
def test_a_damaged_file_is_read_or_refused_in_a_line() -> None:
    samples = [write_protocol(FULL).encode(), write_protocol(PLAIN).encode()]
    read = 0
    for content in mutations(samples, 1500, seed=0):
        try:
            protocol = read_protocol(content.decode(errors="surrogateescape"), "study.toml")
        except BadStudyFile as refused:
            assert str(refused).startswith("study.toml:")  # noqa: PT017  most are refused, and the others read
            continue
        read += 1
        assert read_protocol(write_protocol(protocol)) == protocol
    assert read > 100
