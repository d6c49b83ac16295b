"""GSum and TDSum: what they change in BART, against computations by hand and transformers' own code."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from relevance.data.records import Document
from relevance.summarizers.methods.base import Batch, Decoding, Network, UnsuitableModel
from relevance.summarizers.methods.gsum import GSum, encode_guidance, overlap_of, own_top, predict_guidance
from relevance.summarizers.methods.guidance import Guide, guide_of, guided
from relevance.summarizers.methods.plain import IGNORED, Plain, Seq2SeqMethod
from relevance.summarizers.methods.published import Training
from relevance.summarizers.methods.registry import METHODS
from relevance.summarizers.methods.tdsum import TDSum
from relevance.summarizers.training.run import train
from tests.summarizers.checkpoints import DOCUMENTS, save_bart, save_t5
from tests.summarizers.training.tasks import small_task

pytestmark = pytest.mark.model

BOTH = [GSum(), TDSum(), TDSum(keys="tfidf+encoder states")]


def start(method: Seq2SeqMethod, bart: Path) -> Network:
    torch.manual_seed(1)  # what methods add is drawn
    network = method.start(bart, DOCUMENTS)
    network.model.eval()
    return network


def test_a_model_that_is_no_bart_is_refused_by_its_name(tmp_path: Path) -> None:
    save_t5(tmp_path)
    for method in BOTH:
        with pytest.raises(UnsuitableModel, match=rf"{method.name} changes layers of bart, and this model is t5"):
            method.start(tmp_path, DOCUMENTS)


@pytest.mark.parametrize("method", BOTH, ids=str)
def test_a_plain_bart_is_loaded_into_the_changed_one_as_it_is(method: Seq2SeqMethod, bart: Path) -> None:
    before = start(Plain(), bart).model.state_dict()
    after = start(method, bart).model.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    assert len(after) > len(before)


def test_the_two_encoders_of_gsum_share_all_but_the_top_layer(bart: Path) -> None:
    model = start(GSum(), bart).model
    encoder = model.get_encoder()
    source = [layer.fc1.weight.data_ptr() for layer in encoder.layers]
    with own_top(encoder):
        guidance = [layer.fc1.weight.data_ptr() for layer in encoder.layers]
    assert guidance[:-1] == source[:-1]
    assert guidance[-1] != source[-1]
    assert torch.equal(encoder.guidance_layer.fc1.weight, encoder.layers[-1].fc1.weight)  # copied at first
    assert [layer.fc1.weight.data_ptr() for layer in encoder.layers] == source  # and put back
    added = set(model.state_dict()) - set(start(Plain(), bart).model.state_dict())
    assert all(".guidance_layer." in name or ".guide_" in name for name in added)


def test_overlap_keywords_guide_gsum_as_in_the_rouge_k_paper(bart: Path) -> None:
    """Those that references and title share, in training and when it writes; by default those of the source."""
    document = Document(
        "d", "A bridge is built.", ("The town council builds a bridge.", "A bridge of the council."), "Bridge"
    )
    network = start(GSum(), bart)
    by_overlap = GSum(guidance="overlap")
    assert overlap_of(document) == ["bridge", "council"]
    read = network.tokenizer("bridge, council")["input_ids"]
    for labels in (True, False):
        assert by_overlap.batch(network, [document], labels=labels)["guidance_ids"].tolist() == [read]
        source = GSum().batch(network, [document], labels=labels)["guidance_ids"].tolist()
        assert source == [network.tokenizer(predict_guidance(document.source_text, 10))["input_ids"]]
    assert (GSum().reads_references, by_overlap.reads_references) == (False, True)
    alone = Document("e", "A bridge is built.", ("Nobody came.",))
    assert [by_overlap.gives_nothing(item) for item in (document, alone)] == [False, True]
    assert not GSum().gives_nothing(alone)
    with pytest.raises(ValueError, match="guidance must be one of source, overlap"):
        GSum(guidance="title")


def test_guidance_trains_the_shared_layers_and_its_own_but_not_the_source_s_top(bart: Path) -> None:
    network = start(GSum(), bart)
    batch = GSum().batch(network, DOCUMENTS[:2], labels=False)
    encode_guidance(network.model, batch["guidance_ids"], batch["guidance_mask"]).sum().backward()
    encoder = network.model.get_encoder()
    assert encoder.layers[0].fc1.weight.grad is not None
    assert encoder.guidance_layer.fc1.weight.grad is not None
    assert encoder.layers[-1].fc1.weight.grad is None


def test_a_decoder_layer_attends_to_itself_then_to_guidance_then_to_the_source(bart: Path) -> None:
    """The attention to guidance by hand, one head at a time; the other two are seen to be asked in order."""
    network = start(GSum(), bart)
    layer = network.model.get_decoder().layers[0]
    norm, attention = layer.self_attn_layer_norm, layer.self_attn_layer_norm.guide_attention
    torch.manual_seed(3)
    states, mask, hidden = torch.randn(1, 4, 32), torch.tensor([[1, 1, 1, 0]]), torch.randn(1, 2, 32)
    x = torch.nn.functional.layer_norm(hidden, (32,), norm.weight, norm.bias)
    heads = []
    for part in (slice(8 * head, 8 * head + 8) for head in range(4)):
        query = attention.q_proj(x)[0, :, part]
        key, value = attention.k_proj(states)[0, :3, part], attention.v_proj(states)[0, :3, part]
        heads.append(torch.softmax(query @ key.T / 8**0.5, -1) @ value)
    expected = norm.guide_norm(x[0] + attention.out_proj(torch.cat(heads, -1)))
    with torch.no_grad(), guided(network.model, states, mask):
        assert torch.allclose(norm(hidden)[0], expected, atol=1e-6)

    called: list[str] = []
    for name, part in (("self", layer.self_attn), ("guidance", attention), ("source", layer.encoder_attn)):
        part.register_forward_hook(lambda *_, name=name: called.append(name))
    GSum().loss(network.model, GSum().batch(network, DOCUMENTS[:2], labels=True))
    assert called == ["self", "guidance", "source"]


def test_the_loss_of_gsum_smooths_labels(bart: Path) -> None:
    """Three tokens by hand: .9 of a label is the token's, .1 is spread over the whole vocabulary."""
    network, method = start(GSum(), bart), GSum()
    batch = method.batch(network, DOCUMENTS[:1], labels=True)
    batch["labels"] = torch.tensor([[7, 9, 2]])
    log = method.run(network.model, batch).logits[0].log_softmax(-1)
    by_hand = -sum(0.9 * log[place, token] + 0.1 * log[place].mean() for place, token in enumerate((7, 9, 2))) / 3
    assert method.loss(network.model, batch).item() == pytest.approx(by_hand.item(), rel=1e-5)
    padded = batch | {"labels": torch.tensor([[7, 9, 2, IGNORED]])}
    assert method.loss(network.model, padded).item() == pytest.approx(by_hand.item(), rel=1e-5)
    plain = GSum(smoothing=0.0)
    assert plain.loss(network.model, batch).item() == pytest.approx(plain.run(network.model, batch).loss.item())


def test_the_loss_of_tdsum_is_that_of_tdmtl(bart: Path) -> None:
    """(1 - l) CE + l MSE over the tokens of text, three of them by hand."""
    method = TDSum(share=0.25)
    network = start(method, bart)
    batch = method.batch(network, DOCUMENTS[:1], labels=True)
    batch = {name: value[:, :5] for name, value in batch.items()}  # <s> and four tokens
    batch["text"] = torch.tensor([[0, 1, 1, 1, 0]])
    outputs = method.run(network.model, batch)
    scores = network.model.token_head(outputs.encoder_last_hidden_state)[0, 1:4, 0]
    squares = sum((a - b) ** 2 for a, b in zip(scores.tolist(), batch["importance"][0, 1:4].tolist(), strict=True)) / 3
    expected = 0.75 * outputs.loss.item() + 0.25 * squares
    assert method.loss(network.model, batch).item() == pytest.approx(expected, rel=1e-5)
    without = TDSum(share=0.0)
    without.importance = method.importance
    assert without.loss(network.model, batch).item() == outputs.loss.item()


def test_the_two_layers_of_tdsum_by_hand(bart: Path) -> None:
    layers = start(TDSum(), bart).model.get_encoder().importance_layers
    importance = torch.tensor([[0.0, 0.3, 0.7]])
    inner = importance[..., None] @ layers.inner.weight.T + layers.inner.bias
    gelu = inner * 0.5 * (1 + torch.erf(inner / math.sqrt(2)))
    assert torch.allclose(layers(importance), gelu @ layers.outer.weight.T + layers.outer.bias, atol=1e-6)


def test_only_the_variant_of_tdsum_tells_tokens_of_one_weight_apart(bart: Path) -> None:
    seen: dict[str, torch.Tensor] = {}
    for method in (TDSum(), TDSum(keys="tfidf+encoder states")):
        network = start(method, bart)
        batch = method.batch(network, DOCUMENTS[:1], labels=True)
        batch["importance"] = torch.full_like(batch["importance"], 0.5)
        guide = guide_of(network.model)

        def look(*_: Any, guide: Guide = guide, keys: str = method.keys) -> None:
            assert guide.states is not None
            seen[keys] = guide.states[0]

        network.model.get_decoder().layers[0].register_forward_pre_hook(look)
        states = method.run(network.model, batch).encoder_last_hidden_state[0]
    literal, variant = seen["tfidf"], seen["tfidf+encoder states"]
    assert torch.equal(literal, literal[:1].expand_as(literal))
    assert torch.allclose(variant - states, literal, atol=1e-5)


def generate(method: Seq2SeqMethod, network: Network, batch: Batch, **options: Any) -> torch.Tensor:
    with method.given(network.model, batch):
        written: torch.Tensor = network.model.generate(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            num_beams=3,
            max_new_tokens=12,
            **options,
        )
    return written


@pytest.mark.parametrize("method", BOTH, ids=str)
def test_cached_beam_search_equals_uncached(method: Seq2SeqMethod, bart: Path) -> None:
    network = start(method, bart)
    batch = method.batch(network, DOCUMENTS[:3], labels=False)
    with torch.no_grad():
        cached = generate(method, network, batch)
    uncached = generate(method, network, batch, use_cache=False)  # with gradients guidance is not kept either
    assert torch.equal(cached, uncached)
    assert len({tuple(row) for row in cached.tolist()}) == 3


@pytest.mark.parametrize("method", BOTH, ids=str)
def test_a_summary_does_not_depend_on_the_others_of_its_batch(method: Seq2SeqMethod, bart: Path) -> None:
    network = start(method, bart)
    decoding = Decoding(num_beams=3, max_new_tokens=12)
    together = method.write(network, DOCUMENTS[:3], decoding)
    assert together == [method.write(network, [document], decoding)[0] for document in DOCUMENTS[:3]]


def test_guidance_decides_what_is_written_and_has_to_be_there(bart: Path) -> None:
    network = start(GSum(), bart)
    batch = GSum().batch(network, DOCUMENTS[:2], labels=True)
    others = batch | {name: batch[name].flip(0) for name in ("guidance_ids", "guidance_mask")}
    first, second = (GSum().run(network.model, item).logits for item in (batch, others))
    assert not torch.allclose(first, second, atol=1e-2)
    with pytest.raises(RuntimeError, match="no guidance"):
        network.model(input_ids=batch["input_ids"], labels=batch["labels"])


def test_gsum_is_guided_by_keywords_of_the_source_alone(bart: Path) -> None:
    source = "The bridge over the river is closed. The old bridge was red. The committee of the town met."
    # bridge 2 * (ln(4/3) + 1) = 2.58, then 1 * (ln(4/2) + 1) = 1.69 of which river comes first
    assert predict_guidance(source, 2) == "bridge, river"
    network = start(GSum(), bart)
    gold = Document("gold", source, ("The secret keyword of the town.",), title="A secret keyword")
    other = Document("other", source, ("Something else.",))
    batch = GSum().batch(network, [gold, other], labels=True)
    assert torch.equal(*batch["guidance_ids"])


@pytest.mark.parametrize("method", ["gsum", "tdsum"])
def test_documents_are_learned_by_heart(method: str, tmp_path: Path) -> None:
    task = replace(
        small_task(save_bart(tmp_path / "bart", init_std=0.05, dropout=0.0), method),
        documents=tuple(DOCUMENTS[:4]) * 25,
        dev=tuple(DOCUMENTS[:4]),
        training=Training(learning_rate=5e-3, batch=4, accumulation=1, epochs=3, patience=3, clip=1.0),
        decoding=Decoding(max_new_tokens=30, no_repeat_ngram_size=0),
    )
    assert train(task, tmp_path / "out")
    again = METHODS[method](**task.method.settings)
    texts = again.write(again.load(tmp_path / "out"), DOCUMENTS[:4], task.decoding)
    assert texts == [document.references[0] for document in DOCUMENTS[:4]]


@pytest.mark.parametrize("method", BOTH, ids=str)
def test_a_finished_folder_writes_what_the_trained_network_wrote(
    method: Seq2SeqMethod, bart: Path, tmp_path: Path
) -> None:
    network = start(method, bart)
    decoding = Decoding(num_beams=2, max_new_tokens=10)
    expected = method.write(network, DOCUMENTS[:2], decoding)
    method.save(network, tmp_path, decoding)
    again = type(method)(**method.settings)
    assert again.write(again.load(tmp_path), DOCUMENTS[:2], decoding) == expected
    assert {file.suffix for file in tmp_path.iterdir()} <= {".json", ".safetensors"}


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: GSum(keywords=0), "at least 1 keyword"),
        (lambda: GSum(smoothing=1.5), "from 0 to 1"),
        (lambda: TDSum(share=-1), "from 0 to 1"),
        (lambda: TDSum(keys="gold"), "keys"),
    ],
)
def test_settings_out_of_range_are_refused(made: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        made()
