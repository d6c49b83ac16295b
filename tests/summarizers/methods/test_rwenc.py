from pathlib import Path
from typing import Any

import pytest

from relevance.summarizers.methods.base import Decoding, UnsuitableModel
from relevance.summarizers.methods.plain import Plain
from relevance.summarizers.methods.rwenc import RwEnc
from tests.summarizers.checkpoints import DOCUMENTS, save_bart

pytestmark = pytest.mark.model


def states(method: RwEnc, model: Any, batch: Any) -> Any:
    """The encoder's last states."""
    import torch

    with torch.no_grad(), method.given(model, batch):
        return model.get_encoder()(batch["input_ids"], batch["attention_mask"]).last_hidden_state


def plain_states(bart: Path, attention: str, batch: Any) -> Any:
    """What the encoder gives as it is."""
    import torch

    model = Plain().start(bart, DOCUMENTS).model.eval()
    model.set_attn_implementation(attention)
    with torch.no_grad():
        return model.get_encoder()(batch["input_ids"], batch["attention_mask"], output_hidden_states=True)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("documents", [1, 3], ids=["unpadded", "padded"])
def test_attention_by_hand(attention: str, documents: int, bart: Path) -> None:
    import torch

    method = RwEnc(layers=(1,))
    network = method.start(bart, DOCUMENTS)
    model = network.model.eval()
    model.set_attn_implementation(attention)
    batch = method.batch(network, DOCUMENTS[:documents], labels=False)
    assert (batch["importance"] > 0.2).any()
    below = plain_states(bart, attention, batch)
    layer = model.get_encoder().layers[1]

    # softmax(QK' / sqrt(d) + T) V, head by head, then what a layer of BART does with it
    given, attends = below.hidden_states[1], layer.self_attn
    heads, mixed = model.config.encoder_attention_heads, []
    wide = given.shape[-1] // heads
    for head in range(heads):
        part = slice(head * wide, (head + 1) * wide)
        q, k, v = attends.q_proj(given)[..., part], attends.k_proj(given)[..., part], attends.v_proj(given)[..., part]
        scores = q @ k.transpose(1, 2) / wide**0.5 + batch["importance"][:, None, :]
        scores = scores.masked_fill(batch["attention_mask"][:, None, :] == 0, -torch.inf)
        mixed.append(scores.softmax(-1) @ v)
    attended = layer.self_attn_layer_norm(given + attends.out_proj(torch.cat(mixed, -1)))
    by_hand = layer.final_layer_norm(attended + layer.fc2(layer.activation_fn(layer.fc1(attended))))

    result, real = states(method, model, batch), batch["attention_mask"] == 1
    assert torch.allclose(result[real], by_hand[real], atol=1e-5)
    assert not torch.allclose(result[real], below.last_hidden_state[real], atol=1e-3)  # T does something


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_a_constant_t_changes_nothing(attention: str, bart: Path) -> None:
    import torch

    method = RwEnc(layers=(0, 1))
    network = method.start(bart, DOCUMENTS)
    model = network.model.eval()
    model.set_attn_implementation(attention)
    batch = method.batch(network, DOCUMENTS[:3], labels=False)
    zero = states(method, model, batch | {"importance": torch.zeros_like(batch["importance"])})
    half = states(method, model, batch | {"importance": torch.full_like(batch["importance"], 0.5)})
    assert torch.allclose(zero, plain_states(bart, attention, batch).last_hidden_state, atol=1e-6)
    assert torch.allclose(half, zero, atol=1e-5)


def test_other_models_and_missing_layers_are_refused(bart: Path, t5: Path, tmp_path: Path) -> None:
    with pytest.raises(UnsuitableModel, match="rwenc changes layers of bart, and this model is t5"):
        RwEnc().start(t5, DOCUMENTS)
    with pytest.raises(
        UnsuitableModel, match=r"reweights encoder layer 4, and this model has the layers 0 to 1: .*--layers"
    ):
        RwEnc().start(bart, DOCUMENTS)
    twelve = save_bart(tmp_path / "twelve", encoder_layers=9)
    assert RwEnc().start(twelve, DOCUMENTS)  # the paper's layers


def test_what_was_counted_is_kept(bart: Path, tmp_path: Path) -> None:
    import torch

    method = RwEnc(layers=(1,))
    network = method.start(bart, DOCUMENTS)
    method.save(network, tmp_path, Decoding())
    again = RwEnc(layers=(1,))
    loaded = again.load(tmp_path)
    assert torch.equal(again.importance.idf, method.importance.idf)
    batch = again.batch(loaded, DOCUMENTS[:3], labels=False)
    assert torch.equal(states(again, loaded.model, batch), states(method, network.model.eval(), batch))
    assert {path.suffix for path in tmp_path.iterdir()} <= {".json", ".safetensors", ".jinja", ".txt"}
