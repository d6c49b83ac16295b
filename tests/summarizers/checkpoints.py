"""Tiny checkpoints of real architectures: random weights, tokenizers trained here, saved as transformers saves them."""

import json
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from relevance.data.records import Document
from relevance.llm.prompts import ROUGE_K_PAPER

POSITIONS = 64
"""Tokens that fit into a tiny model; more of a source is cut."""

TEXTS = (
    "The committee of the town met on Monday. It decided to build a bridge over the river. Nobody knows who pays.",
    "A red car overtook a blue truck on the old road. The driver of the truck was angry. The police found nobody.",
    "Researchers trained a model of summaries on news. The model copies names. It makes mistakes with numbers.",
    "The bridge over the river is closed. The committee will meet again in spring, when the money is there.",
    "An angry driver met the police on the new bridge. The red truck was gone. The town has no money for roads.",
    "A model of the river shows where the bridge will be. The numbers are of the committee. They are mistakes.",
)

SUMMARIES = (
    "The town will build a bridge.",
    "A car overtook a truck.",
    "A model of summaries makes mistakes.",
    "The bridge is closed until spring.",
    "A driver met the police.",
    "The model of the bridge has mistakes.",
)

DOCUMENTS = [
    Document(f"d{place}", text, (summary,)) for place, (text, summary) in enumerate(zip(TEXTS, SUMMARIES, strict=True))
]

CHAT = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ eos_token }}{% endfor %}<|assistant|>"
"""A chat template."""


def bytepair(texts: Sequence[str], special: Sequence[str], size: int) -> Tokenizer:
    """A byte-level tokenizer as BART's, GPT-2's and Llama 3's, trained on texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([*texts, *SUMMARIES] * 2, trainer)
    return tokenizer


def bart_tokenizer(texts: Sequence[str] = TEXTS, size: int = 400) -> Any:
    """BART's tokenizer: `<s>` before a text and `</s>` after it."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = bytepair(texts, special, size)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    names = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token", "mask_token"), special, strict=True))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="<s>", sep_token="</s>", model_max_length=POSITIONS, **names
    )


def t5_tokenizer(texts: Sequence[str] = TEXTS, size: int = 300) -> Any:
    """T5's tokenizer: pieces of SentencePiece's unigram model, `</s>` after a text."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=size, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator([*texts, *SUMMARIES] * 2, trainer)
    tokenizer.post_processor = processors.TemplateProcessing("$A </s>", "$A </s> $B </s>", [("</s>", 1)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=POSITIONS
    )


def causal_tokenizer(texts: Sequence[str] = TEXTS, size: int = 450, *, chat: bool = False) -> Any:
    """GPT-2's and Llama 3's kind of tokenizer, without padding as theirs; with `chat` it has a chat template.

    It knows the usual prompt, too, which would otherwise leave no room for a document.
    """
    tokenizer = bytepair([*texts, ROUGE_K_PAPER], ["<|end|>"], size)
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<|end|>", eos_token="<|end|>", model_max_length=POSITIONS
    )
    if chat:
        made.chat_template = CHAT
    return made


def save_bart(folder: Path, texts: Sequence[str] = TEXTS, *, seed: int = 0, **settings: Any) -> Path:
    """Write a BART of random weights; `settings` are those of its config. Returns its folder."""
    tokenizer = bart_tokenizer(texts)
    config = transformers.BartConfig(
        **{
            "vocab_size": len(tokenizer),
            "d_model": 32,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64,
            "max_position_embeddings": POSITIONS,
            "forced_bos_token_id": None,
            "init_std": 0.3,  # of smaller weights all texts get nearly the same summary
            **settings,
        }
    )
    return save(folder, transformers.BartForConditionalGeneration, config, tokenizer, seed)


def save_t5(folder: Path, texts: Sequence[str] = TEXTS, *, seed: int = 0, **settings: Any) -> Path:
    """Write a T5 of random weights; `settings` are those of its config. Returns its folder."""
    tokenizer = t5_tokenizer(texts)
    config = transformers.T5Config(
        **{
            "vocab_size": len(tokenizer),
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 64,
            "num_layers": 2,
            "num_heads": 4,
            "pad_token_id": 0,
            "eos_token_id": 1,
            "decoder_start_token_id": 0,
            "initializer_factor": 2.0,
            **settings,
        }
    )
    return save(folder, transformers.T5ForConditionalGeneration, config, tokenizer, seed)


def save_gpt2(folder: Path, texts: Sequence[str] = TEXTS, *, seed: int = 0, **settings: Any) -> Path:
    """Write a GPT-2 of random weights; `settings` are those of its config. Returns its folder."""
    tokenizer = causal_tokenizer(texts)
    config = transformers.GPT2Config(
        **{
            "vocab_size": len(tokenizer),
            "n_positions": POSITIONS,
            "n_embd": 32,
            "n_layer": 2,
            "n_head": 4,
            "bos_token_id": 0,
            "eos_token_id": 0,
            "initializer_range": 0.3,
            **settings,
        }
    )
    return save(folder, transformers.GPT2LMHeadModel, config, tokenizer, seed)


def save_llama(
    folder: Path, texts: Sequence[str] = TEXTS, *, seed: int = 0, chat: bool = False, **settings: Any
) -> Path:
    """Write a Llama of random weights, with `chat` one with a chat template. Returns its folder."""
    tokenizer = causal_tokenizer(texts, chat=chat)
    config = transformers.LlamaConfig(
        **{
            "vocab_size": len(tokenizer),
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": POSITIONS,
            "bos_token_id": 0,
            "eos_token_id": 0,
            "initializer_range": 0.3,
            **settings,
        }
    )
    return save(folder, transformers.LlamaForCausalLM, config, tokenizer, seed)


def save_bert(folder: Path, texts: Sequence[str] = TEXTS, *, seed: int = 0, **settings: Any) -> Path:
    """Write a BERT of random weights; `settings` are those of its config. Returns its folder."""
    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer()
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special, show_progress=False)
    pieces.train_from_iterator(texts, trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces, model_max_length=POSITIONS, **dict(zip(names, special, strict=True))
    )
    config = transformers.BertConfig(
        **{
            "vocab_size": len(tokenizer),
            "hidden_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "max_position_embeddings": POSITIONS,
            **settings,
        }
    )
    return save(folder, transformers.BertModel, config, tokenizer, seed)


def save(folder: Path, kind: Any, config: Any, tokenizer: Any, seed: int) -> Path:
    """Write a network of random weights and its tokenizer; returns the folder."""
    torch.manual_seed(seed)
    kind(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "model.layers.": "blk.",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.o_proj": "attn_output",
    "self_attn.": "attn_",
    "mlp.": "ffn_",
    "_proj": "",
}
"""What llama.cpp calls the parts of a Llama, each replaced in turn."""


def write_gguf(folder: Path, file: Path) -> Path:
    """Write a Llama's folder as a file of GGUF, its weights in single precision; returns the file."""
    import gguf
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text())
    heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}
    words = json.loads((folder / "tokenizer.json").read_text())["model"]
    tokens = sorted(words["vocab"], key=words["vocab"].get)
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_name("tiny")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads["q_proj"])
    writer.add_head_count_kv(heads["k_proj"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL, *[gguf.TokenType.NORMAL] * (len(tokens) - 1)])
    writer.add_token_merges([" ".join(pair) for pair in words["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    for name, tensor in load_file(folder / "model.safetensors").items():
        array = tensor.numpy()
        for part, number in heads.items():
            if part in name:  # the two halves that are rotated together lie beside each other there
                array = array.reshape(number, 2, len(array) // number // 2, -1).swapaxes(1, 2).reshape(array.shape)
        theirs = reduce(lambda text, names: text.replace(*names), GGUF_NAMES.items(), name)
        writer.add_tensor(theirs, array.copy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def change_json(file: Path, **values: Any) -> None:
    """Set values of a file such as config.json."""
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def pickle_weights(folder: Path) -> None:
    """Put a model's weights into the pickled format of old."""
    from safetensors.torch import load_file

    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
