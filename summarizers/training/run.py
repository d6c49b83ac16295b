"""One training run: from a checkpoint and documents to a folder that summaries are written with."""

from collections.abc import Callable
from pathlib import Path

from summarizers.methods.base import Network
from summarizers.training.record import RunRecord, open_record
from summarizers.training.task import Task, check_installed
from summarizers.training_documents import TRAINING_DOCUMENTS, TrainingDocuments


def train(
    task: Task,
    output: Path,
    *,
    resume: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> bool:
    """Train, keep the weights whose summaries of the dev documents scored best, and write them into a folder.

    It stops after the task's epochs or updates, or where so many epochs brought no better score as its patience says.
    A run that was stopped, or killed, goes on with `resume` from its last checkpoint, kept each epoch and every ten
    minutes, and comes to exactly what it would have come to on the same processor. `progress` hears of the updates that
    are made and of all there may be; it may raise to stop. Returns whether there was anything to do: not where the
    folder holds the same run, finished.

    Trained and tested with tiny models of random weights only; nothing has been trained at the papers' size.
    Raises ValueError for what cannot be trained (`UnsuitableModel`, `UnsuitableDocuments`, `NotInstalled`), a folder in
    use (`OutputInUse`, `AnotherRun`), a checkpoint that is damaged (`DamagedCheckpoint`) and a loss that is no number
    (`Diverged`).
    """
    check_installed()
    record = open_record(output, task.as_json(), resume=resume)
    if record is None:
        return False
    network = start(task)  # which may refuse: nothing is written before
    record.begin()
    if not record.is_over(task.training):
        from summarizers.training.trainer import make_trainer

        checkpoint = record.checkpoint
        make_trainer(task, network, record, progress).train(resume_from_checkpoint=checkpoint and str(checkpoint))
    finish(task, network, record)
    return True


def start(task: Task) -> Network:
    """Make the network, from the seed."""
    import transformers

    transformers.set_seed(task.seed)
    return task.method.start(task.model, task.documents)


def finish(task: Task, network: Network, record: RunRecord) -> None:
    """Write the best weights as a folder of its own."""
    from safetensors.torch import load_model

    load_model(network.model, str(record.best_weights))
    task.method.save(network, record.folder, task.decoding)
    TrainingDocuments.of(task.documents).write(record.folder / TRAINING_DOCUMENTS)
    record.finish()
