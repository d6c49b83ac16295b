"""One training run: from a checkpoint and documents to a folder of a system."""

from collections.abc import Callable
from pathlib import Path

from relevance.summarizers.methods.base import Network
from relevance.summarizers.methods.registry import read_method
from relevance.summarizers.training.record import RunRecord, open_record
from relevance.summarizers.training.task import Task, check_installed
from relevance.summarizers.training_documents import TRAINING_DOCUMENTS


def train(
    task: Task,
    output: Path,
    *,
    resume: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda line: None,
) -> bool:
    """Train, and save the weights whose summaries of the dev documents scored best in a folder.

    Training stops after the task's epochs or updates, or when as many epochs as its patience brought no better score.
    With `resume`, a run that was stopped or killed continues from its last checkpoint, kept each epoch and every ten
    minutes, and has exactly the same result as an uninterrupted run on the same processor. `progress` is called with
    the numbers of updates made and of all possible ones; it may raise to stop. `say` is called with a line about loss,
    learning rate, dev score and time left, each minute and each epoch; `history.jsonl` in the folder has all of it but
    the time left, and is written while the run goes on. Returns False if the folder already holds the same run,
    finished.

    Trained and tested with tiny models of random weights only; nothing has been trained at the papers' size.
    Raises ValueError if training is not possible (`UnsuitableModel`, `UnsuitableDocuments`, `NotInstalled`), for a
    folder in use (`OutputInUse`, `AnotherRun`), a damaged checkpoint (`DamagedCheckpoint`) and a loss that is not a
    number (`Diverged`).
    """
    check_installed()
    record = open_record(output, task.as_json(), resume=resume)
    if record is None:
        return False
    network = start(task)  # may refuse, so it comes before anything is written
    record.begin()
    if not record.is_over(task.training):
        from relevance.summarizers.training.trainer import make_trainer

        checkpoint = record.checkpoint
        trainer = make_trainer(task, network, record, progress, say)
        trainer.train(resume_from_checkpoint=checkpoint and str(checkpoint))
    finish(task, network, record)
    return True


def start(task: Task) -> Network:
    """Make the network with the task's seed."""
    import transformers

    transformers.set_seed(task.seed)
    if task.model is not None and task.method.inherits:
        begun = read_method(task.model)
        return task.method.go_on(begun, begun.load(task.model))
    return task.method.start(task.model, task.documents)


def finish(task: Task, network: Network, record: RunRecord) -> None:
    """Save the best weights as the finished system."""
    from safetensors.torch import load_model

    load_model(network.model, str(record.best_weights))
    task.method.save(network, record.folder, task.decoding)
    task.learned_from.write(record.folder / TRAINING_DOCUMENTS)
    record.finish()
