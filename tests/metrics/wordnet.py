"""A WordNet of a few words, in the format of the database (wndb(5WN)), as NLTK reads it."""

from pathlib import Path

KINDS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}

LICENCE = "  1 WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.\n"


def write_wordnet(folder: Path, **synonyms: list[tuple[str, ...]]) -> Path:
    """Write a WordNet with these sets of synonyms, by their kind, into a folder for NLTK's data, and return it."""
    corpus = folder / "corpora" / "wordnet"
    corpus.mkdir(parents=True)
    for number, (name, kind) in enumerate(KINDS.items()):
        data, places = LICENCE, dict[str, list[int]]()
        for words in synonyms.get(name, []):
            for word in words:
                places.setdefault(word, []).append(len(data))
            listed = " ".join(f"{word} 0" for word in words)
            frames = "00 " if name == "verb" else ""
            data += f"{len(data):08d} {number:02d} {kind} {len(words):02x} {listed} 000 {frames}| a meaning\n"
        index = "".join(
            f"{word} {kind} {len(at)} 0 {len(at)} 0 {' '.join(f'{item:08d}' for item in at)}\n"
            for word, at in sorted(places.items())
        )
        for file, text in ((f"data.{name}", data), (f"index.{name}", LICENCE + index), (f"{name}.exc", "")):
            (corpus / file).write_text(text)
    (corpus / "lexnames").write_text(
        "".join(f"{number:02d}\t{name}.all\t{number}\n" for number, name in enumerate(KINDS))
    )
    for file in ("index.sense", "cntlist.rev"):
        (corpus / file).write_text("")
    return folder
