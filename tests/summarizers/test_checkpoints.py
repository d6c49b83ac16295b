"""Checkpoints write what transformers writes, the same in every run, and run no code but the library's."""

import gc
import hashlib
import os
import pickle
import socket
import subprocess
import sys
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from relevance.data.database import connect
from relevance.data.records import OUTPUT_CUT, SOURCE_CUT, Document
from relevance.data.signatures import Signature
from relevance.data.store import DataStore
from relevance.llm.prompts import ROUGE_K_PAPER
from relevance.metrics.models.files import BadModel, ModelUnavailable
from relevance.summarizers import add_systems
from relevance.summarizers.adding import TrainedOnDocuments
from relevance.summarizers.checkpoints import CheckpointFiles, CheckpointSummarizer, WritingOptions, open_checkpoint
from relevance.summarizers.checkpoints.checkpoint import Checkpoint, Output, TooLittleMemory
from relevance.summarizers.checkpoints.loading import load_network
from relevance.summarizers.checkpoints.sources import Source
from relevance.summarizers.training_documents import TrainingDocuments
from tests.mapped import find_mapped
from tests.summarizers.checkpoints import (
    DOCUMENTS,
    TEXTS,
    change_json,
    pickle_weights,
    save_bart,
    save_gpt2,
    save_llama,
    save_t5,
)

pytestmark = pytest.mark.model

ROOT = Path(__file__).parents[2]
KINDS = {"bart": "seq2seq", "t5": "seq2seq", "gpt2": "causal", "llama": "causal"}
SHORT = WritingOptions(max_tokens=12, device="cpu")
LONG = Document("long", " ".join(TEXTS), ("All of it.",))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("checkpoints")
    save = {"bart": save_bart, "t5": save_t5, "gpt2": save_gpt2, "llama": save_llama}
    return {name: save[name](root / name) for name in KINDS}


def summarizer(folder: Path, options: WritingOptions = SHORT, name: str | None = None) -> CheckpointSummarizer:
    kind = "causal" if "GPT2" in (config := (folder / "config.json").read_text()) or "Llama" in config else "seq2seq"
    return CheckpointSummarizer(kind, folder, options, name)


def opened(folder: Path, options: WritingOptions = SHORT) -> Checkpoint:
    return summarizer(folder, options).checkpoint


def written(system: CheckpointSummarizer, documents: Sequence[Document]) -> dict[str, str]:
    return {s.document_id: s.text for batch in system.plan(documents) for s in system.summarize(batch)}


# --- what is written ----------------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize(("name", "beams"), [("bart", 3), ("t5", 1), ("gpt2", 3), ("llama", 1)])
def test_texts_are_those_of_transformers(folders: dict[str, Path], name: str, beams: int) -> None:
    """Written in batches, with padding, they are what the library makes of each text alone."""
    folder = folders[name]
    seq2seq = KINDS[name] == "seq2seq"
    options = replace(
        SHORT, beams=beams, max_tokens=8, no_repeat=2, repetition_penalty=1.2, length_penalty=0.5, min_tokens=4
    )
    system = summarizer(folder, options)
    kind = transformers.AutoModelForSeq2SeqLM if seq2seq else transformers.AutoModelForCausalLM
    network, tokenizer = kind.from_pretrained(folder), transformers.AutoTokenizer.from_pretrained(folder)
    expected = {}
    for document in DOCUMENTS:
        text = document.source_text if seq2seq else ROUGE_K_PAPER.replace("{document}", document.source_text)
        ids = tokenizer(text, return_tensors="pt").input_ids
        assert ids.shape[1] <= system.checkpoint.limit, "of these nothing is cut"
        made = network.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            num_beams=beams,
            max_new_tokens=8,
            min_new_tokens=4,
            no_repeat_ngram_size=2,
            repetition_penalty=1.2,
            length_penalty=0.5,
            do_sample=False,
            pad_token_id=0 if not seq2seq else tokenizer.pad_token_id,
        )[0]
        text = tokenizer.decode(made if seq2seq else made[ids.shape[1] :], skip_special_tokens=True)
        expected[document.id] = text.replace("\0", "").strip()
    assert max(len(batch) for batch in system.plan(DOCUMENTS)) > 1
    assert written(system, DOCUMENTS) == expected
    assert len(set(expected.values())) > 3


def test_processes_share_the_weights_of_a_checkpoint(folders: dict[str, Path]) -> None:
    """They are pages of the file; none is a copy of this process."""
    checkpoint = opened(folders["llama"])
    checkpoint.write([checkpoint.read(TEXTS[0])])
    weights = find_mapped(folders["llama"] / "model.safetensors")
    assert weights.held > 0
    assert weights.own == 0


def test_a_language_model_that_chats_gets_its_template(tmp_path: Path) -> None:
    folder = save_llama(tmp_path / "chat", chat=True, max_position_embeddings=200)
    change_json(folder / "tokenizer_config.json", model_max_length=200)
    checkpoint = opened(folder)
    text = checkpoint.tokenizer.decode(checkpoint.read("The bridge is closed.").ids)
    wanted = "Generate a summary of the following document in one sentence\n\nThe bridge is closed."
    assert text == f"<|user|>{wanted}<|end|><|assistant|>"
    checkpoint = opened(folder, replace(SHORT, prompt="{document} Why?"))
    assert checkpoint.tokenizer.decode(checkpoint.read("Closed.").ids) == "<|user|>Closed. Why?<|end|><|assistant|>"


def test_a_prompt_stands_around_the_document(folders: dict[str, Path]) -> None:
    checkpoint = opened(folders["t5"], replace(SHORT, prompt="summarize: {document}"))
    read = checkpoint.read("the {document} is closed")  # a document that has braces is a document
    assert list(read.ids) == checkpoint.tokenizer("summarize: the {document} is closed").input_ids


@pytest.mark.parametrize("name", KINDS)
def test_a_source_is_cut_to_what_the_model_takes(folders: dict[str, Path], name: str) -> None:
    system = summarizer(folders[name])
    limit = 64 if KINDS[name] == "seq2seq" else 64 - 12  # the output stands beside the input
    assert system.checkpoint.limit == limit
    source = system.checkpoint.read(LONG.source_text)
    assert limit - 3 <= len(source.ids) <= limit
    assert source.cut
    assert LONG.source_text.startswith(source.text)
    text = system.checkpoint.tokenizer.decode(source.ids, skip_special_tokens=True)
    wanted = "" if KINDS[name] == "seq2seq" else ROUGE_K_PAPER.removesuffix("{document}")
    assert text.replace(" ", "").startswith((wanted + source.text).replace(" ", "")[:100])
    cut, whole = system.summarize([LONG, DOCUMENTS[0]])
    assert SOURCE_CUT in cut.remarks
    assert SOURCE_CUT not in whole.remarks


def test_what_stands_behind_a_document_is_never_cut(folders: dict[str, Path]) -> None:
    checkpoint = opened(folders["gpt2"], replace(SHORT, prompt="{document}\nTL;DR:"))
    source = checkpoint.read(LONG.source_text)
    assert source.cut
    assert len(source.ids) <= checkpoint.limit
    assert checkpoint.tokenizer.decode(source.ids) == f"{source.text}\nTL;DR:"


def test_a_language_model_writes_as_in_the_rouge_k_paper(tmp_path: Path) -> None:
    """512 tokens in, 128 out, the first sentence kept (Table 10), unless the options say otherwise."""
    folder = save_llama(tmp_path / "chat", chat=True, max_position_embeddings=1000)
    change_json(folder / "tokenizer_config.json", model_max_length=1000)
    usual, other = WritingOptions(device="cpu"), WritingOptions(device="cpu", source_tokens=600, sentences=2)
    systems = [CheckpointSummarizer("causal", folder, options) for options in (usual, other)]
    values = [Signature.parse(system.signature).values for system in systems]
    assert [of["source"] for of in values] == ["512", "600"]
    assert [of["tokens"] for of in values] == ["0-128", "0-128"]
    assert [of["sentences"] for of in values] == ["1", "2"]
    assert values[0]["prompt"] == hashlib.sha256(ROUGE_K_PAPER.encode()).hexdigest()[:8]
    assert systems[0].checkpoint.limit == 512


@pytest.mark.parametrize(
    ("kind", "sentences", "kept"),
    [
        ("causal", None, "One."),
        ("causal", 2, "One. Two."),
        ("causal", 0, "One. Two. Thr"),
        ("seq2seq", None, "One. Two. Thr"),
        ("seq2seq", 1, "One."),
    ],
)
def test_first_sentences_of_an_output_are_kept(
    kind: str, sentences: int | None, kept: str, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "llama" if kind == "causal" else "bart"
    system = CheckpointSummarizer(kind, folders[name], replace(SHORT, sentences=sentences))
    monkeypatch.setattr(Checkpoint, "write", lambda self, sources: [Output("One. Two. Thr", cut=True, tokens=12)])
    (summary,) = system.summarize(DOCUMENTS[:1])
    assert summary.text == kept
    assert summary.remarks == ((OUTPUT_CUT,) if kept.endswith("Thr") else ())  # what is whole was not cut


def test_a_source_can_be_cut_earlier(folders: dict[str, Path]) -> None:
    source = opened(folders["bart"], replace(SHORT, source_tokens=9)).read(TEXTS[0])
    assert len(source.ids) == 9
    assert (source.ids[0], source.ids[-1]) == (0, 2)  # <s> and </s> are among them


def test_a_prompt_that_leaves_no_room_for_a_document(folders: dict[str, Path]) -> None:
    prompt = "The committee of the town met. " * 20 + "{document}"
    with pytest.raises(ValueError, match="the prompt alone has more than the 52 tokens"):
        opened(folders["gpt2"], replace(SHORT, prompt=prompt)).read(TEXTS[0])


@pytest.mark.parametrize(("name", "most"), [("bart", 64), ("llama", 63)])
def test_an_output_that_has_no_room(folders: dict[str, Path], name: str, most: int) -> None:
    with pytest.raises(ValueError, match=f"can write at most {most} tokens, not {most + 1}"):
        opened(folders[name], replace(SHORT, max_tokens=most + 1))


@pytest.mark.parametrize("name", KINDS)
def test_an_output_is_cut_where_the_model_did_not_end_it(folders: dict[str, Path], name: str) -> None:
    checkpoint = opened(folders[name])
    end = checkpoint.generation.eos_token_id
    token = 20
    assert not checkpoint.output([token] * 11 + [end]).cut or name == "bart"
    assert checkpoint.output([token] * 12).cut
    short = checkpoint.output([token, token, end, 1, 1])
    assert (short.cut, short.tokens) == (False, 3)
    assert short.text == checkpoint.tokenizer.decode([token, token]).strip()


def test_what_bart_is_made_to_end_was_cut(folders: dict[str, Path]) -> None:
    """BART's config puts the token that ends a text where the limit is."""
    checkpoint = opened(folders["bart"], replace(SHORT, max_tokens=3))
    assert checkpoint.generation.forced_eos_token_id == 2
    outputs = checkpoint.write([checkpoint.read(text) for text in TEXTS])
    assert all(output.cut for output in outputs if output.tokens == 3)
    assert any(output.tokens == 3 for output in outputs)


def test_no_nul_is_written(folders: dict[str, Path]) -> None:
    checkpoint = opened(folders["gpt2"])
    nul = checkpoint.tokenizer("a\0b").input_ids
    assert checkpoint.tokenizer.decode(nul) == "a\0b"
    assert checkpoint.output(nul).text == "ab"


def test_documents_without_a_word_have_no_summary(folders: dict[str, Path]) -> None:
    system = summarizer(folders["bart"])
    empty = [Document("empty", "", ("One.",)), Document("white", " \n", ())]
    assert system.plan(empty) == []
    assert system.summarize(empty) == []
    assert {d.id for batch in system.plan([*DOCUMENTS, *empty]) for d in batch} == {d.id for d in DOCUMENTS}


def test_half_a_character_is_read(folders: dict[str, Path]) -> None:
    (summary,) = summarizer(folders["bart"]).summarize([Document("d", "a \ud800 b", ())])
    assert summary.text.encode()


def test_padding_that_the_network_does_not_know(tmp_path: Path) -> None:
    """A token that only the tokenizer got, as for fine-tuning, stands in no batch."""
    folder = save_llama(tmp_path / "llama")
    expected = written(summarizer(folder), DOCUMENTS)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_special_tokens({"pad_token": "<pad>"})
    tokenizer.save_pretrained(folder)
    system = summarizer(folder)
    assert system.checkpoint.tokenizer.pad_token_id == system.checkpoint.model.config.vocab_size
    assert written(system, DOCUMENTS) == expected


def test_too_little_memory_is_said_with_what_to_do(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = opened(folders["bart"])

    def generate(**_: object) -> None:  # no machine of ours has a device that is small enough
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(load_network(checkpoint.model), "generate", generate)
    with pytest.raises(TooLittleMemory, match="the memory of cpu is too small for 1 inputs of together 41 tokens"):
        checkpoint.write([checkpoint.read(TEXTS[0])])
    load_network.cache_clear()


# --- batches ------------------------------------------------------------------------------------------------


def test_batches_are_filled_by_tokens_whatever_the_order(folders: dict[str, Path]) -> None:
    system = summarizer(folders["bart"], replace(SHORT, batch_tokens=80))
    batches = system.plan([LONG, *DOCUMENTS])
    assert sorted(d.id for batch in batches for d in batch) == sorted(d.id for d in [LONG, *DOCUMENTS])
    sizes = [[len(system.checkpoint.read(d.source_text).ids) for d in batch] for batch in batches]
    assert all(len(batch) * batch[0] <= 80 and batch == sorted(batch, reverse=True) for batch in sizes)
    together = [size for batch in sizes for size in batch]
    assert together == sorted(together, reverse=True)
    assert any(len(batch) > 1 for batch in sizes)
    assert system.plan([*reversed(DOCUMENTS), LONG]) == batches


def test_the_plan_of_many_documents_keeps_the_tokens_of_none(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    system, alive = summarizer(folders["bart"]), []
    read = system.checkpoint.read

    class Watched(Source):
        def __del__(self) -> None:
            alive.pop()

    def watch(document: str) -> Source:
        assert len(alive) < 2  # the one before goes when the next one is there
        alive.append(document)
        return Watched(*read(document))

    monkeypatch.setattr(system.checkpoint, "read", watch)
    assert len(system.plan(DOCUMENTS)) == 1


def test_what_is_drawn_depends_on_the_seed_and_the_batch_alone(folders: dict[str, Path]) -> None:
    drawn = replace(SHORT, temperature=1.0, top_p=0.9)
    first, second = DOCUMENTS[:3], DOCUMENTS[3:]
    state = torch.random.get_rng_state()
    system = summarizer(folders["llama"], drawn)
    alone = system.summarize(second)
    assert torch.equal(state, torch.random.get_rng_state())  # nobody else's numbers are used up
    system.summarize(first)
    torch.rand(5)
    assert system.summarize(second) == alone
    assert summarizer(folders["llama"], drawn).summarize(second) == alone
    assert summarizer(folders["llama"], replace(drawn, seed=1)).summarize(second) != alone
    assert system.summarize([DOCUMENTS[0]] * 2)[0].text != system.summarize([DOCUMENTS[0]] * 2)[1].text


def test_one_network_is_in_memory_at_a_time(folders: dict[str, Path]) -> None:
    first, second = summarizer(folders["bart"]), summarizer(folders["gpt2"])
    first.summarize(DOCUMENTS[:1])
    network = weakref.ref(load_network(first.checkpoint.model))
    second.summarize(DOCUMENTS[:1])
    gc.collect()
    assert network() is None


# --- what signatures say ------------------------------------------------------------------------------------

DRAWN = replace(SHORT, temperature=1.0)
CHANGES = [
    {"beams": 2},
    {"max_tokens": 13},
    {"min_tokens": 1},
    {"length_penalty": 2.0},
    {"no_repeat": 2},
    {"repetition_penalty": 1.1},
    {"temperature": 0.9},
    {"top_p": 0.5},
    {"seed": 1},
    {"prompt": "{document}!"},
    {"source_tokens": 30},
    {"sentences": 2},
    {"batch_tokens": 100},
    {"dtype": "bfloat16"},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_every_option_is_in_the_signature(folders: dict[str, Path], change: dict[str, Any]) -> None:
    before, after = summarizer(folders["bart"], DRAWN), summarizer(folders["bart"], replace(DRAWN, **change))
    changed = set(before.signature.split("|")) ^ set(after.signature.split("|"))
    assert len(changed) == (1 if "sentences" in change else 2)  # an encoder-decoder's are all kept


def test_the_options_are_all_in_the_signature() -> None:
    fields = {name for change in CHANGES for name in change}
    others = {"device", "gold_entities"}  # of two devices a machine may have one; these systems find no entities
    assert fields | others == set(vars(SHORT))


def test_a_signature(folders: dict[str, Path]) -> None:
    system = summarizer(folders["bart"], replace(SHORT, beams=2))
    files = CheckpointFiles("seq2seq", folders["bart"]).settings
    assert system.signature == (
        f"seq2seq|model:{files['model']}|config:{files['config']}|tokenizer:{files['tokenizer']}|"
        f"prompt:{system.checkpoint.prompt.signature}|source:64|tokens:0-12|beams:2|length_penalty:1.0|no_repeat:0|"
        "repetition_penalty:1.0|dtype:float32|device:cpu|batch:4096|version:0.2.0"
    )


@pytest.mark.parametrize("name", ["title", "reference:1", "", "a\nb", "x" * 201])
def test_names_that_a_system_cannot_have(folders: dict[str, Path], name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        summarizer(folders["bart"], name=name)


def test_a_system_is_called_as_its_folder(folders: dict[str, Path]) -> None:
    assert summarizer(folders["bart"]).name == "bart"
    assert summarizer(folders["bart"], name="bart-4").summarize(DOCUMENTS[:1])[0].system == "bart-4"


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_other_precisions(folders: dict[str, Path], dtype: str) -> None:
    system = summarizer(folders["bart"], replace(SHORT, dtype=dtype))
    assert len(written(system, DOCUMENTS)) == len(DOCUMENTS)
    assert str(load_network(system.checkpoint.model).dtype) == f"torch.{dtype}"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_a_device_that_is_not_there(folders: dict[str, Path]) -> None:
    with pytest.raises(ModelUnavailable, match="the device 'cuda' cannot be used"):
        opened(folders["bart"], replace(SHORT, device="cuda"))
    assert opened(folders["bart"], replace(SHORT, device="auto")).model.device == "cpu"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_a_cuda_device_is_used(folders: dict[str, Path]) -> None:
    system = summarizer(folders["bart"], replace(SHORT, device="auto"))
    assert len(written(system, DOCUMENTS)) == len(DOCUMENTS)
    assert load_network(system.checkpoint.model).device.type == "cuda"
    assert "|device:cuda|" in system.signature


# --- what is refused, and never done ------------------------------------------------------------------------


class Evil:
    """A pickle that makes a file when it is read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


def test_nothing_is_fetched(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def refuse(*arguments: object, **_: object) -> None:
        tried.append(arguments)
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for name in KINDS:
        load_network.cache_clear()
        summarizer(folders[name]).summarize(DOCUMENTS[:1])
    assert tried == []
    with pytest.raises(OSError, match="no network here"):  # that would have been noticed
        socket.create_connection(("huggingface.co", 443))


@pytest.mark.smoke
def test_pickles_beside_weights_are_not_read(tmp_path: Path) -> None:
    folder = save_bart(tmp_path / "bart")
    made = tmp_path / "made"
    for name in ("pytorch_model.bin", "training_args.bin", "optimizer.pt"):
        (folder / name).write_bytes(pickle.dumps(Evil(made)))
    assert written(summarizer(folder), DOCUMENTS)
    assert not made.exists()
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelUnavailable, match="pickled weights only"):
        summarizer(folder)
    assert not made.exists()
    pickle.loads((folder / "optimizer.pt").read_bytes())
    assert made.exists()  # that would have been noticed


def test_harmless_pickled_weights_are_refused_too(tmp_path: Path) -> None:
    folder = save_bart(tmp_path / "bart")
    pickle_weights(folder)
    with pytest.raises(ModelUnavailable, match=r"pickled weights only \(pytorch_model\.bin\)"):
        summarizer(folder)


def with_code(folder: Path, made: Path, **config: Any) -> None:
    """Put code into a checkpoint that makes a file when it is run, wherever a config may name it."""
    code = f"from pathlib import Path\nPath({str(made)!r}).touch()\n"
    (folder / "own.py").write_text(code)
    (folder / "custom_generate").mkdir()
    (folder / "custom_generate" / "generate.py").write_text(code)
    names = {
        "AutoConfig": "own.Config",
        "AutoModelForSeq2SeqLM": "own.Model",
        "AutoTokenizer": ["own.Slow", "own.Fast"],
    }
    change_json(folder / "config.json", auto_map=names, **config)
    change_json(folder / "tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Slow", "own.Fast"]})


@pytest.mark.smoke
def test_code_of_a_checkpoint_is_not_run(tmp_path: Path) -> None:
    folder, made = save_bart(tmp_path / "bart"), tmp_path / "made"
    expected = written(summarizer(folder), DOCUMENTS)
    with_code(folder, made)
    assert written(summarizer(folder), DOCUMENTS) == expected  # by the library's own classes
    change_json(folder / "config.json", model_type="own")
    with pytest.raises(BadModel, match="needs code of its own, which is not run"):
        opened(folder)
    assert not made.exists()


def remove_weight(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    weights.pop("model.encoder.layers.0.fc1.weight")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


DAMAGES: dict[str, tuple[Any, str]] = {
    "weights": (lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 100), "cannot be loaded"),
    "a weight": (remove_weight, "has no weights for model.encoder.layers.0.fc1.weight"),
    "config": (lambda folder: (folder / "config.json").write_text("{"), "is not JSON"),
    "no config": (lambda folder: (folder / "config.json").write_text("[1]"), "is not a JSON object"),
    "sizes": (lambda folder: change_json(folder / "config.json", d_model=64), "cannot be loaded"),
    "generation": (lambda folder: (folder / "generation_config.json").write_text("["), "cannot be loaded"),
    "tokenizer": (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer|cannot be loaded"),
    "method": (lambda folder: (folder / "method.json").write_text("[]"), "is not a JSON object"),
    "other method": (
        lambda folder: (folder / "method.json").write_text('{"method": "new"}'),
        "'new', which is not known here",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_checkpoints_are_refused_in_one_line(tmp_path: Path, damage: str) -> None:
    folder = save_bart(tmp_path / "bart")
    change, message = DAMAGES[damage]
    change(folder)
    with pytest.raises(ModelUnavailable, match=message) as refused:
        summarizer(folder).summarize(DOCUMENTS)
    assert "\n" not in str(refused.value)


def test_a_folder_of_the_other_kind_is_refused_with_the_right_name(folders: dict[str, Path]) -> None:
    with pytest.raises(BadModel, match=r"is an encoder-decoder \(bart\): ask for seq2seq:"):
        open_checkpoint(CheckpointFiles("causal", folders["bart"]), SHORT)
    with pytest.raises(BadModel, match=r"is not an encoder-decoder \(llama\): ask for causal:"):
        open_checkpoint(CheckpointFiles("seq2seq", folders["llama"]), SHORT)


# --- in data sets -------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> DataStore:
    return filled(f"sqlite:///{tmp_path / 'x.db'}")


def filled(url: str) -> DataStore:
    store = DataStore(connect(url))
    store.add_dataset(name="D", format="x", sha256="", records=[(document, []) for document in DOCUMENTS])
    return store


def texts(store: DataStore) -> dict[str, str]:
    return {s.document_id: s.text for _, summaries in store.records("D") for s in summaries}


KILLED = """
import os, sys
from pathlib import Path
from signal import SIGKILL
from relevance.data.database import connect
from relevance.data.store import DataStore
from relevance.summarizers import add_systems, adding
from relevance.summarizers.checkpoints import CheckpointSummarizer, WritingOptions

adding.EVERY = 0.0  # every batch is stored
store, add = DataStore(connect(sys.argv[1])), DataStore.add_summaries
def add_and_die(*arguments, **options):
    added = add(*arguments, **options)
    if len(store.summarized(dataset="D", system="bart", signature=options["signature"])) >= 3:
        os.kill(os.getpid(), SIGKILL)
    return added
DataStore.add_summaries = add_and_die
options = WritingOptions(max_tokens=12, device="cpu", temperature=1.0, seed=3, batch_tokens=90)
list(add_systems(store, "D", [CheckpointSummarizer("seq2seq", Path(sys.argv[2]), options)]))
"""


@pytest.mark.process
def test_a_killed_run_goes_on_to_the_texts_of_an_uninterrupted_one(folders: dict[str, Path], tmp_path: Path) -> None:
    options = replace(SHORT, temperature=1.0, seed=3, batch_tokens=90)
    whole = filled(f"sqlite:///{tmp_path / 'whole.db'}")
    list(add_systems(whole, "D", [summarizer(folders["bart"], options)]))
    url = f"sqlite:///{tmp_path / 'killed.db'}"
    store = filled(url)
    run = subprocess.run(
        [sys.executable, "-c", KILLED, url, folders["bart"]],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert run.returncode == -9
    before = texts(store)
    assert 3 <= len(before) < len(DOCUMENTS)
    (added,) = add_systems(store, "D", [summarizer(folders["bart"], options)])
    assert (added.before, added.summaries) == (len(before), len(DOCUMENTS) - len(before))
    assert texts(store) == texts(whole)
    assert len(set(texts(whole).values())) > 3


def test_a_batch_that_is_half_there_is_written_whole_and_its_rest_kept(
    folders: dict[str, Path], store: DataStore
) -> None:
    system = summarizer(folders["bart"], DRAWN)
    expected = written(system, DOCUMENTS)
    half = [replace(s, text="kept") for s in system.summarize(DOCUMENTS[:2])]
    store.add_summaries(dataset="D", summaries=half, signature=system.signature, resume=True)
    list(add_systems(store, "D", [system]))
    assert texts(store) == expected | {s.document_id: "kept" for s in half}


def test_remarks_are_stored_and_counted(folders: dict[str, Path], store: DataStore) -> None:
    (added,) = add_systems(store, "D", [summarizer(folders["bart"], replace(SHORT, source_tokens=38))])
    remarks = [s.remarks for _, summaries in store.records("D") for s in summaries]
    cut, ended = (sum(name in remark for remark in remarks) for name in (SOURCE_CUT, OUTPUT_CUT))
    assert 0 < cut < len(DOCUMENTS)
    assert added.remarks == {SOURCE_CUT: cut, OUTPUT_CUT: ended}
    assert f"{cut} source" in added.words("D")


def test_a_system_does_not_summarize_what_it_was_trained_on(tmp_path: Path, store: DataStore) -> None:
    folder = save_bart(tmp_path / "bart")
    TrainingDocuments.of(DOCUMENTS[:2]).write(folder / "training_documents.txt")
    with pytest.raises(TrainedOnDocuments, match="was trained on 2 of the 6 documents"):
        list(add_systems(store, "D", [summarizer(folder)]))
    (added,) = add_systems(store, "D", [summarizer(folder)], trained_on=True)
    assert added.words("D").endswith("; 2 documents that it was trained on")


def test_two_checkpoints_of_one_name_are_not_taken_for_one(folders: dict[str, Path], store: DataStore) -> None:
    systems = [summarizer(folders["bart"], name="x"), summarizer(folders["t5"], name="x")]
    with pytest.raises(ValueError, match="two of the systems are called 'x'"):
        list(add_systems(store, "D", systems))
    assert texts(store) == {}
