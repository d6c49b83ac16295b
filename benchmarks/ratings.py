"""What importing a table of ratings takes, a row for each annotator, beside reading the same file by pandas.

    python -m benchmarks.ratings [--ratings 100000] [--words 60]

Printed are, for each kind of file: its size, the seconds and the most memory of `relevance import`, which reads it and
stores the summaries with each rating in SQLite, and those of pandas, which only reads it; then those of `relevance
analyze --by-annotator` of what was stored. All are processes of their own.
"""

import argparse
import random
import tempfile
from pathlib import Path

from benchmarks.choices import READ, READERS, SYSTEMS, measure, write

HEADER = ("document", "source", "reference", "system", "summary", "relevance", "fluency", "worker")
PEOPLE = 5
"""The annotators of each summary."""


def make_rows(ratings: int, words: int) -> list[dict[str, object]]:
    """Made-up ratings of summaries of a third of `words`, each by five of 50 people on two aspects."""
    draw = random.Random(1)
    known = [f"word{number}" for number in range(5000)]

    def text(length: int) -> str:
        return " ".join(draw.choices(known, k=length))

    rows: list[dict[str, object]] = []
    for number in range(max(1, ratings // (PEOPLE * len(SYSTEMS)))):
        document = f"d{number}", text(words), text(words // 4)
        people = draw.sample(range(50), PEOPLE)
        for system in SYSTEMS:
            summary = text(words // 3)
            for who in people:
                values = (*document, system, summary, draw.randint(1, 5), draw.randint(1, 5), f"w{who}")
                rows.append(dict(zip(HEADER, values, strict=True)))
    return rows


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ratings", type=int, default=100_000, help="rows of two ratings each")
    parser.add_argument("--words", type=int, default=60, help="words of a document")
    options = parser.parse_args()
    rows = make_rows(options.ratings, options.words)
    print(f"{options.ratings:,} rows             MB   import: s     MB   pandas: s     MB   analyze: s     MB")
    with tempfile.TemporaryDirectory() as folder:
        for ending, (reader, settings) in READERS.items():
            path = Path(folder, f"ratings{ending}")
            write(path, rows, HEADER)
            url = f"sqlite:///{folder}/{ending[1:]}.db"
            command = ("-m", "relevance", "import", str(path), "--name", "ratings")
            ours = measure(*command, RELEVANCE_DATABASE_URL=url)
            theirs = measure("-c", READ, reader, str(path), repr(settings))
            arguments = ("ratings", "--metrics", "length", "--by-annotator", "--tables", "agreement,rating_reliability")
            analysis = measure("-m", "relevance", "analyze", *arguments, RELEVANCE_DATABASE_URL=url)
            size = path.stat().st_size / 1e6
            print(
                f"{ending:19} {size:7.1f} {ours[0]:11.1f} {ours[1]:6.0f} {theirs[0]:11.1f} {theirs[1]:6.0f} "
                f"{analysis[0]:12.1f} {analysis[1]:6.0f}"
            )


if __name__ == "__main__":
    main()
