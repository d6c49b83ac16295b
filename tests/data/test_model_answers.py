"""What of an answer is the answer: reasoning, announcements and refusals as models write them, and other texts."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.model_answers import REASONING, find_answer, read_summary, strip_announcement, strip_reasoning
from relevance.llm.client import Completion

TEXT = "A bridge was built over the river."


@pytest.mark.parametrize(
    "answer",
    [
        TEXT,
        f"<think>The document is short.</think>{TEXT}",
        f"<think>\nIt is short.\n\nVerdict: first?\n</think>\n\n{TEXT}\n",
        f"<think>\n\n</think>\n\n{TEXT}",
        f"The prompt had the mark at the beginning.</think>\n{TEXT}",
        f"<THINK>short</THINK>{TEXT}",
        f"<thinking>short</thinking><thinking>again</thinking>{TEXT}",
        f"<reasoning>short</reasoning>\n<answer>{TEXT}</answer>",
        f"[THINK]short[/THINK]{TEXT}",
        f"◁think▷short◁/think▷{TEXT}",
        f"<|begin_of_thought|>short<|end_of_thought|>\n<|begin_of_solution|>{TEXT}<|end_of_solution|>",
        f"<|channel|>analysis<|message|>short<|end|><|start|>assistant<|channel|>final<|message|>{TEXT}<|return|>",
        f"{TEXT}\n<think>Was that right? The limit ended th",
        f"<summary>{TEXT}</summary>",
        f"{TEXT}<|im_end|>",
    ],
)
def test_reasoning_is_no_part_of_an_answer(answer: str) -> None:
    assert find_answer(answer) == Completion(answer, "m", "stop", 1, 1, 0.1).answer == TEXT


@pytest.mark.parametrize("answer", ["<think>", "<think>The document is sh", "It is short.</think>", "[THINK]a[/THINK]"])
def test_an_answer_may_be_reasoning_alone(answer: str) -> None:
    assert strip_reasoning(answer) == ""
    assert read_summary(answer) == ("", "only reasoning", True)


@given(reasons=st.text(), name=st.sampled_from(REASONING), end=st.booleans())
def test_nothing_of_the_reasoning_is_left(reasons: str, name: str, end: bool) -> None:
    answer = f"<{name}>{reasons}{f'</{name}>{TEXT}' if end else ''}"
    assert strip_reasoning(answer) == (TEXT if end else strip_reasoning(answer))
    assert end or TEXT not in strip_reasoning(answer)


@pytest.mark.parametrize(
    "announcement",
    [
        "Summary:",
        "**Summary:**",
        "**Summary**:",
        "## Summary\n",
        "Summary\n\n",
        "TL;DR:",
        "One-sentence summary:",
        "Here is a summary:",
        "Here's a summary of the document:\n\n",
        "Here is a one-sentence summary of the given document:",
        "**Here is a 20-word summary:**",
        "Here is a summary of the document in 20 words:",
        "Sure! Here's a brief summary of the document in one sentence:\n\n",
        "Certainly! Below is a concise summary of the article you provided:",
        "Of course! Here is the summary you requested:",
        "Certainly!",
        "A summary of the document can be:",
        "The summary of the article is:",
        "This is a summary of the document.",
        "Hier ist eine kurze Zusammenfassung des Dokuments:",
        "Voici un résumé du document :",
    ],
)
def test_an_announcement_is_cut(announcement: str) -> None:
    for text in (TEXT, f"**{TEXT}**", "- One.\n- Two.", "Summary of the treaty: it failed."):
        assert strip_announcement(f"{announcement} {text}") == text
    summary = read_summary(announcement)
    assert (summary.text, summary.alike) == ("", True)
    assert summary.reason is not None
    assert summary.reason.startswith("only announced: ")


@pytest.mark.parametrize(
    "text",
    [
        "The committee's summary: taxes rise.",
        "Summary of the Paris report: seas rise.",
        "The paper: a study of rivers.",
        "This article is about a report on the news.",
        "Great Britain! won.",
        "Here is the news: a bridge was built.",
        "Summary judgment: the court dismissed the case.",
        "A summary. And more.",
        "Summaries of documents are hard to judge.",
        'He said: "Here is a summary: nothing works."',
        "I can't stand the heat, says the mayor.",
        "I do not like it, the mayor said.",
        "Sorry seems to be the hardest word.",
        "There was no text of the treaty in French, so talks failed.",
        "Please provide us with your opinion, said the mayor.",
        "I cannot provide for my family, a striker says.",
        "I cannot produce wine without rain, says the farmer." + " It has not rained for weeks." * 20,
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert read_summary(text) == (text, None, False)


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with that request.",
        "I am sorry, I cannot summarize this document.",
        "Sorry, I am unable to assist with this request.",
        "I cannot provide a summary of this.",
        "I can't summarize this, as it is too short.",
        "I won't be able to complete this task.",
        "I apologize, but I won't be able to complete this.",
        "As an AI language model, I cannot summarize documents.",
        "As a large language model, I don't have access to the document.",
        "Unfortunately, I do not have access to the document.",
        "I don't have enough information to summarize.",
        "Please provide the document you would like me to summarize.",
        "Sure, please provide the text.",
        "Could you please share the text?",
        "It seems that you have not provided a document.",
        "It looks like you forgot to include the article.",
        "There is no document provided.",
        "No text was given.",
        "<think>It is violent.</think>I'm sorry, but I can't help with that.",
    ],
)
def test_a_refusal_is_no_summary(answer: str) -> None:
    summary = read_summary(answer)
    assert (summary.text, summary.alike) == ("", False)
    assert summary.reason == f"refused: {strip_reasoning(answer)}"


def test_summaries_that_people_and_systems_wrote_stay_as_they_are(shared_data: Path) -> None:
    """Of some thousand real texts, none is taken for anything but a summary."""
    texts = []
    for name in ("summeval.jsonl", "scitldr/test.jsonl", "scitldr/dev.jsonl"):
        if (shared_data / name).is_file():
            for line in (shared_data / name).open(encoding="utf-8"):
                record = json.loads(line)
                texts += [*record.get("references", ()), *(row["text"] for row in record.get("summaries", ()))]
    assert len(texts) > 2000
    changed = [text for text in texts if text.strip() and read_summary(text) != (text.strip(), None, False)]
    assert changed == []
