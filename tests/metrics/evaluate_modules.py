"""Modules of Hugging Face evaluate, as that library loads them from a folder."""

from pathlib import Path

MODULE = """
import datasets
import evaluate

class {name}(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        texts = {references}
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="",
            features=datasets.Features({{"predictions": text, "references": texts}}),
        )

    def _compute(self, predictions, references):
        shared = [len(set(p.split()) & set(str(r).split())) for p, r in zip(predictions, references)]
        return {result}
"""


def write_module(folder: Path, name: str, result: str, references: str = "text") -> None:
    """Write a module whose result can be computed from `shared`, the words that each pair of texts shares."""
    (folder / name).mkdir(parents=True)
    code = MODULE.format(name=name.title(), references=references, result=result)
    (folder / name / f"{name}.py").write_text(code)
