"""The encoder: each text once, places in the original, nothing that depends on the neighbours, bounded memory."""

import json
import pickle
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, pre_tokenizers, processors
from tokenizers import models as tokenizer_models

from relevance.data.records import Example
from relevance.metrics.bertscore import BertScore
from relevance.metrics.carouge import Carouge
from relevance.metrics.models import encoder as encoder_module
from relevance.metrics.models.encoder import Encoded, Encoder, make_batches, shared_encoder
from relevance.metrics.models.files import ModelUnavailable
from relevance.metrics.models.vectors import EncoderVectors
from tests.mapped import find_mapped

pytestmark = pytest.mark.model

TEXTS = [
    "The cat sat on the mat.",
    "A dog ran far away from home, and nobody has seen it since then; its owners are still looking for it.",
    "Home",
    "",
    "the mat " * 40,
]


@pytest.fixture(scope="module")
def embedded() -> Encoder:
    return Encoder()


def test_an_encoder_is_sent_as_its_settings(embedded: Encoder) -> None:
    embedded.want((3,))
    before = embedded.encode(TEXTS, (3,))
    sent = pickle.dumps(embedded)
    assert len(sent) < 1000
    restored = pickle.loads(sent)
    assert (restored.name, restored.signature) == (embedded.name, embedded.signature)
    assert 3 in restored.wanted
    assert restored is shared_encoder()
    assert apart(restored.encode(TEXTS, (3,)), before, 3) == 0


def apart(ours: list[Encoded], theirs: list[Encoded], layer: int) -> float:
    """The largest difference between two encodings of the same texts."""
    assert [e.ids for e in ours] == [e.ids for e in theirs]
    return max(
        (first.vectors[layer] - second.vectors[layer]).abs().max().item()
        for first, second in zip(ours, theirs, strict=True)
    )


# --- each text once -----------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_metrics_that_share_an_encoder_encode_each_text_once() -> None:
    references = ("A dog ran away.", "The dog is gone.")
    batch = [Example("d", str(i), text, references, None, "") for i, text in enumerate([*TEXTS, *TEXTS, *references])]
    encoder = Encoder()
    best, mean, vectors = BertScore(encoder=encoder), BertScore("mean", encoder=encoder), EncoderVectors(encoder)
    carouge = Carouge(vectors=vectors)
    best.score(batch)
    assert encoder.encoded == len({*TEXTS, *references})
    scores = [best.score(batch), mean.score(batch), carouge.score(batch), carouge.score(batch)]
    assert scores[0][0].evidence.matches
    # CAROUGE reads single words, and one to see how wide a vector is.
    assert encoder.encoded == len({*TEXTS, *references, *carouge.words(batch), "word"})
    assert encoder.tokens == sum(len(e.ids) for e in encoder.kept.values())


def test_equal_settings_share_one_encoder() -> None:
    assert shared_encoder() is shared_encoder(dtype="float32") is BertScore().encoder is EncoderVectors().encoder
    assert shared_encoder(dtype="bfloat16") is not shared_encoder()


def test_each_distinct_text_is_encoded_once_and_in_order() -> None:
    encoder = Encoder()
    first = encoder.encode(["b", "a", "b", "c"], [0])
    assert encoder.encoded == 3
    assert [e.ids for e in first] == [e.ids for e in encoder.encode(["b", "a", "b", "c"], [0])]
    assert first[0].ids == first[2].ids != first[1].ids
    encoder.encode(["c", "d"], [0])
    assert encoder.encoded == 4


def test_kept_vectors_stay_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_module, "KEPT_BYTES", 1 << 20)
    kept: list[int] = []

    class Watched(Encoder):
        def keep(self, text: str, encoded: Encoded) -> None:
            super().keep(text, encoded)
            kept.append(self.kept_bytes)

    encoder = Watched()
    texts = [f"number {i}" for i in range(3000)]
    encoder.encode(texts, [0])
    assert max(kept) <= 1 << 20
    assert max(kept) > (1 << 20) - 20_000  # as much as there is room for
    assert encoder.kept_bytes == sum(e.nbytes for e in encoder.kept.values())
    newest = next(reversed(encoder.kept))
    encoder.encode([newest], [0])
    assert encoder.encoded == 3000
    gone = next(text for text in texts if text not in encoder.kept)
    (again,) = encoder.encode([gone], [0])
    assert encoder.encoded == 3001
    # The clones hold their own tokens only, not the batch that they came from.
    assert again.vectors[0].untyped_storage().nbytes() == again.nbytes == len(again.ids) * 384 * 4


def test_a_text_larger_than_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_module, "KEPT_BYTES", 1000)
    encoder = Encoder()
    assert len(encoder.encode(TEXTS, [0])) == len(TEXTS)
    assert (encoder.kept_bytes, len(encoder.kept)) == (0, 0)


# --- what it sees -------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Lower case, without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("naïve CAFÉ", ["naïve", "CAFÉ"]),
        ("e\u0301te\u0301 a", ["e\u0301t", "e\u0301", "a"]),  # a letter has its combining accents
        ("İstanbul", ["İstanbul"]),
        ("中国人 dog", ["中", "国", "人", "dog"]),
        ("a 😀 b👩\u200d👩\u200d👧c", None),
        ("unbelievably\n\n well-known", None),
        ("\x00odd \ufffd\u200bspaces\u00a0here", None),
    ],
)
def test_spans_are_in_the_original_text(embedded: Encoder, text: str, pieces: list[str] | None) -> None:
    (encoded,) = embedded.encode([text], [0])
    tokens = embedded.tokenizer.convert_ids_to_tokens(encoded.ids)
    assert (tokens[0], tokens[-1]) == ("[CLS]", "[SEP]")
    assert encoded.special == (True, *[False] * (len(tokens) - 2), True)
    assert (encoded.spans[0], encoded.spans[-1]) == ((0, 0), (0, 0))
    shown = [text[start:end] for start, end in encoded.spans[1:-1]]
    if pieces is not None:
        assert shown == pieces
    for token, piece in zip(tokens[1:-1], shown, strict=True):
        assert piece
        assert token == "[UNK]" or token.removeprefix("##") == plain(piece)
    assert list(encoded.spans[1:-1]) == sorted(encoded.spans[1:-1])


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_text_without_tokens(embedded: Encoder, text: str) -> None:
    (encoded,) = embedded.encode([text], [5])
    assert (encoded.special, encoded.truncated) == ((True, True), False)
    assert embedded.encode([], [5]) == []


def test_half_a_character_counts_as_one_that_cannot_be_read(embedded: Encoder) -> None:
    """JSON may hold half of a surrogate pair, which tokenizers refuse; the places of the rest must stay."""
    text = "a cat\ud83d sat"
    broken, whole = embedded.encode([text, text.replace("\ud83d", "\ufffd")], [5])
    assert [text[start:end] for start, end in broken.spans[1:-1]] == ["a", "cat\ud83d"[:3], "sat"]
    assert apart([broken], [whole], 5) < 1e-5
    (score,) = BertScore(encoder=embedded).score([Example("d", "s", "\udc00", ("\ud800 cat",), None, "")])
    assert score.missing == "the summary has no token"
    (score,) = BertScore(encoder=embedded, idf=["\ud800 cat", "dog"]).score(
        [Example("d", "s", "\udc00 cat", ("\ud800 cat",), None, "")]
    )
    assert score.value == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(("words", "truncated"), [(509, False), (510, False), (511, True), (2000, True)])
def test_only_what_is_longer_than_the_limit_is_truncated(embedded: Encoder, words: int, truncated: bool) -> None:
    (encoded,) = embedded.encode(["cat " * words], [0])  # 512 tokens, two of them special
    assert (encoded.truncated, len(encoded.ids)) == (truncated, min(words + 2, 512))


@pytest.mark.smoke
def test_vectors_do_not_depend_on_the_batch() -> None:
    together = Encoder().encode(TEXTS, [5])
    for encoder, texts in [
        (Encoder(batch_tokens=1), TEXTS),
        (Encoder(batch_tokens=64), TEXTS[::-1]),
        (Encoder(batch_tokens=100_000), [*TEXTS, "more " * 300]),
    ]:
        others = dict(zip(texts, encoder.encode(texts, [5]), strict=True))
        assert apart(together, [others[text] for text in TEXTS], 5) < 1e-5


@pytest.mark.smoke
def test_processes_share_the_weights(embedded: Encoder) -> None:
    """They are pages of the file; none is a copy of this process."""
    embedded.encode(TEXTS, [6])
    weights = find_mapped(embedded.model.folder / "model.safetensors")
    assert weights.held > 2**25
    assert weights.own == 0


def test_batches() -> None:
    lengths = [5, 1, 4, 20, 2]
    assert list(make_batches([3, 0, 2, 4, 1], lengths, 10)) == [[3], [0, 2], [4, 1]]
    assert list(make_batches([], [], 10)) == []


def test_layers() -> None:
    both, one_by_one = Encoder(), Encoder()
    together = both.encode(TEXTS, [2, 5])
    assert {*together[0].vectors} == {2, 5}
    assert one_by_one.layers == -1
    for layer, loaded in [(2, 2), (5, 5), (2, 5)]:  # upwards and back
        assert apart(together, one_by_one.encode(TEXTS, [layer]), layer) < 1e-5
        assert one_by_one.layers == loaded
    assert both.encoded == len(TEXTS)


@pytest.mark.parametrize("layer", [7, -1])
def test_a_layer_that_the_model_does_not_have(layer: int, embedded: Encoder) -> None:
    for encoder in (Encoder(), embedded):
        with pytest.raises(ValueError, match=f"all-MiniLM-L6-v2 has the hidden layers 0 to 6, no layer {layer}"):
            encoder.encode(["never seen before"], [layer])


def test_bfloat16(embedded: Encoder) -> None:
    half = Encoder(dtype="bfloat16")
    assert half.signature == "all-MiniLM-L6-v2@53aa5117@bfloat16"
    assert "|model:all-MiniLM-L6-v2@53aa5117@bfloat16|" in BertScore(encoder=half).signature
    for ours, theirs in zip(half.encode(TEXTS, [5]), embedded.encode(TEXTS, [5]), strict=True):
        assert ours.vectors[5].dtype == torch.float32
        cosines = torch.nn.functional.cosine_similarity(ours.vectors[5], theirs.vectors[5])
        assert cosines.min() > 1 - 1e-2
        assert not torch.equal(ours.vectors[5], theirs.vectors[5])


@pytest.mark.parametrize("options", [{"dtype": "float16"}, {"batch_tokens": 0}])
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Encoder(**options)


# --- other models -------------------------------------------------------------------------------------------

WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat", "ran", "far", "away", "home"]
SPECIAL = {"cls_token": "<s>", "pad_token": "<pad>", "sep_token": "</s>", "unk_token": "<unk>"}
VOCABULARY = {token: i for i, token in enumerate([*SPECIAL.values(), *WORDS])}
SIZE: dict[str, Any] = {"vocab_size": len(VOCABULARY), "pad_token_id": 1}
ENDS: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 2}
LAYERS = 3


def roberta() -> Any:
    small = {"hidden_size": 16, "num_hidden_layers": LAYERS, "num_attention_heads": 2, "intermediate_size": 32}
    return transformers.RobertaModel(transformers.RobertaConfig(**SIZE, **ENDS, **small, max_position_embeddings=20))


def distilbert() -> Any:
    small = {"dim": 16, "n_layers": LAYERS, "n_heads": 2, "hidden_dim": 32}
    return transformers.DistilBertModel(transformers.DistilBertConfig(**SIZE, **small, max_position_embeddings=20))


def t5() -> Any:
    small = {"d_model": 16, "d_kv": 8, "num_layers": LAYERS, "num_heads": 2, "d_ff": 32}
    return transformers.T5Model(transformers.T5Config(**SIZE, **small, decoder_start_token_id=1))


def bart() -> Any:
    small = {f"{side}_{name}": 2 for side in ("encoder", "decoder") for name in ("layers", "attention_heads")}
    small |= {"d_model": 16, "encoder_layers": LAYERS, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
    return transformers.BartModel(
        transformers.BartConfig(**SIZE, **ENDS, **small, max_position_embeddings=20, decoder_start_token_id=2)
    )


MODELS = {"roberta": roberta, "distilbert": distilbert, "t5": t5, "bart": bart}


def save(folder: Path, kind: str) -> Path:
    """Save a small encoder of random weights, with a tokenizer of a word a token."""
    torch.manual_seed(0)
    MODELS[kind]().save_pretrained(folder)
    tokenizer = Tokenizer(tokenizer_models.WordLevel(VOCABULARY, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **SPECIAL).save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("kind", "limit"),
    [
        ("roberta", 18),  # of 20 positions two are below the first token's
        ("distilbert", 20),
        ("bart", 20),
        ("t5", encoder_module.UNLIMITED),
    ],
)
def test_models_of_other_kinds(kind: str, limit: int, tmp_path: Path) -> None:
    folder = save(tmp_path / kind, kind)
    encoder = Encoder(str(folder))
    assert encoder.signature.startswith(f"{kind}@")
    texts = ["the cat sat on the mat", "a dog ran", "dog " * 16, "dog " * 18, "dog " * 19]
    made = encoder.encode(texts, [1, 2, LAYERS])
    assert encoder.limit == limit
    assert [e.truncated for e in made] == [length > limit for length in (8, 5, 18, 20, 21)]
    assert [texts[0][start:end] for start, end in made[0].spans[1:-1]] == texts[0].split()
    # A layer's vectors do not depend on how many layers are loaded, nor on the neighbours.
    for layer in (1, 2, LAYERS):
        assert apart(made, Encoder(str(folder), batch_tokens=1).encode(texts, [layer]), layer) < 1e-5
    # They are those of the library's own model.
    network = transformers.AutoModel.from_pretrained(folder).eval()
    network = network.get_encoder() if network.config.is_encoder_decoder else network
    with torch.inference_mode():
        theirs = network(torch.tensor([made[0].ids]), output_hidden_states=True)
    assert torch.allclose(made[0].vectors[LAYERS], theirs.last_hidden_state[0], atol=1e-5)
    norm = getattr(network, "final_layer_norm", lambda vectors: vectors)  # of T5, which a cut network ends with too
    with torch.inference_mode():
        assert torch.allclose(made[0].vectors[2], norm(theirs.hidden_states[2])[0], atol=1e-5)
    (score,) = BertScore(encoder=encoder, layer=2).score([Example("d", "s", texts[0], (texts[0], texts[1]), None, "")])
    assert score.value == pytest.approx(1, abs=1e-5)


def test_byte_level_tokens_have_their_places(tmp_path: Path) -> None:
    """RoBERTa's tokenizer: a token per byte here, so that a letter may be several tokens in one place."""
    folder = save(tmp_path / "roberta", "roberta")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate([*SPECIAL.values(), *alphabet])}
    tokenizer = Tokenizer(tokenizer_models.BPE(vocabulary, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    transformers.RobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    size = SIZE | {"vocab_size": len(vocabulary)}
    transformers.RobertaModel(
        transformers.RobertaConfig(**size, **ENDS, **small, max_position_embeddings=20)
    ).save_pretrained(folder)
    text = "aé 😀b"
    (encoded,) = Encoder(str(folder)).encode([text], [1])
    shown = [text[start:end] for start, end in encoded.spans[1:-1]]
    assert [piece for piece in shown if piece.strip()] == ["a", "é", "é", *["😀"] * 4, "b"]


def change_config(folder: Path, **values: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | values))


def lose_weights(folder: Path, name: str) -> None:
    weights = load_file(folder / "model.safetensors")
    kept = {key: tensor for key, tensor in weights.items() if name not in key}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", {"format": "pt"})


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 100), "cannot be loaded: Error while deser"),
        (lambda folder: (folder / "config.json").unlink(), "cannot be loaded: Unrecognized model"),
        (lambda folder: (folder / "tokenizer.json").write_text("{"), "cannot be loaded: "),
        (lambda folder: [file.unlink() for file in folder.glob("tokenizer*")], "has no tokenizer"),
        # Weights that are not in the file would be random numbers.
        (lambda folder: lose_weights(folder, "layer.1"), "has no weights for transformer.layer.1"),
        (lambda folder: change_config(folder, dim=32), "cannot be loaded: "),
        # Code in a model's folder is neither run nor asked about.
        (
            lambda folder: change_config(folder, model_type="own", auto_map={"AutoConfig": "own.Own"}),
            "cannot be loaded: .*custom code",
        ),
    ],
)
def test_a_model_that_is_broken_is_named(spoil: Any, message: str, tmp_path: Path) -> None:
    folder = save(tmp_path / "model", "distilbert")
    spoil(folder)
    with pytest.raises(ModelUnavailable, match=message) as refused:
        Encoder(str(folder)).encode(["the cat"], [2])
    assert str(folder) in str(refused.value)
