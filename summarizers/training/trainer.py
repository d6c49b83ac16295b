"""The trainer: transformers' `Seq2SeqTrainer` with a method's batches, loss and summaries."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from relevance.data.training_history import TrainingEntry
from relevance.data.wording import format_count, format_duration
from relevance.summarizers.methods.base import Network
from relevance.summarizers.methods.published import Training
from relevance.summarizers.methods.weights import WEIGHTS, save_weights
from relevance.summarizers.training.measuring import measure, write_all
from relevance.summarizers.training.record import RunRecord
from relevance.summarizers.training.task import Task

SECONDS = 600.0
"""Seconds between checkpoints within an epoch: no more work than that is lost."""

ENTRIES = 200
"""The entries of the history of a run that makes all possible updates, besides those at the ends of epochs."""

LINE_SECONDS = 60.0
"""Seconds between two lines about a run, besides those at the ends of epochs."""


class Diverged(ValueError):
    """The loss is not a finite number."""


class Reporter:
    """Writer of a run's history, with a line about it at the end of each epoch, and otherwise once a minute."""

    def __init__(self, record: RunRecord, training: Training, say: Callable[[str], None]) -> None:
        self.record, self.training, self.say = record, training, say
        self.begin(0, 0)

    def begin(self, step: int, total: int) -> None:
        """Note where the run begins, or goes on, and the number of all possible updates."""
        self.first, self.total = step, total
        self.began = self.told_at = time.monotonic()

    def report(self, entry: TrainingEntry) -> None:
        """Write the history, of which this is the last entry, and say so if it is time for that."""
        self.record.write_history()
        if entry.score is not None or time.monotonic() - self.told_at >= LINE_SECONDS:
            self.told_at = time.monotonic()
            self.say(self.describe(entry))

    def describe(self, entry: TrainingEntry) -> str:
        """Describe what was reached, and the time left if the updates left take as long as those made."""
        parts = [
            f"update {entry.step:,} of {self.total:,} (epoch {entry.epoch:.2f})",
            f"loss {entry.loss:.4g}",
            f"learning rate {entry.learning_rate:.3g}",
        ]
        if entry.score is not None and (best := self.record.best):
            so_far = "the best" if best.step == entry.step else f"best {best.score:.4f} after {best.step:,}"
            parts.append(f"{entry.measure} on dev {entry.score:.4f} ({so_far})")
        made = entry.step - self.first
        if entry.score is not None and entry.step < self.total and self.record.is_over(self.training):
            parts.append(f"which ends it: no better score in {format_count(self.training.patience, 'epoch')}")
        elif made > 0 and entry.step < self.total:
            left = (time.monotonic() - self.began) / made * (self.total - entry.step)
            parts.append(f"at most {format_duration(left)} left")
        return ", ".join(parts)


def make_trainer(
    task: Task, network: Network, record: RunRecord, progress: Callable[[int, int], None], say: Callable[[str], None]
) -> Any:
    """Make the trainer of a task.

    `progress` is called with the numbers of updates made and of all possible ones, `say` with lines about the run.
    """
    import safetensors.torch
    import torch
    import transformers

    training, history = task.training, record.history
    reporter = Reporter(record, training, say)

    class MethodTrainer(transformers.Seq2SeqTrainer):
        """A trainer with a method's loss, evaluated by its summaries."""

        def compute_loss(self, model: Any, inputs: Any, *_: object, **__: object) -> Any:
            """Compute the mean loss of a batch; means of accumulated batches are averaged. Raises `Diverged`."""
            loss = task.method.loss(model, inputs)
            if not torch.isfinite(loss):
                raise Diverged(
                    f"the loss is not a number after {self.state.global_step} updates: try a lower learning rate"
                )
            history.add_loss(loss.item())
            return loss

        def evaluate(self, *_: object, **__: object) -> dict[str, float]:
            """Score the summaries of the dev documents, and keep the best weights."""
            network.model.eval()
            history.add(self.state.global_step, self.state.epoch)
            texts = write_all(task.method, network, task.dev, task.decoding)
            score = measure(task.dev, texts, task.measure)
            reporter.report(history.add_score(score, task.measure))
            if record.best == record.scores[-1]:
                save_weights(network.model, record.best_weights)
            self.control.should_training_stop |= record.is_over(training)
            return {f"eval_{task.measure}": score}

        def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
            """Write the weights of a checkpoint; weights that layers share are written once."""
            folder = Path(output_dir or record.resume)
            folder.mkdir(parents=True, exist_ok=True)
            save_weights(network.model, folder / WEIGHTS)

        def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
            """Read the weights of a checkpoint."""
            safetensors.torch.load_model(network.model, str(Path(resume_from_checkpoint) / WEIGHTS))

    trainer = MethodTrainer(
        model=network.model,
        args=arguments(task, record.resume),
        train_dataset=list(task.documents),
        eval_dataset=list(task.dev),  # type: ignore[arg-type]  # anything with a length and items
        data_collator=partial(task.method.batch, network, labels=True),
        callbacks=[keeping(record, reporter, progress)],
        optimizers=(task.method.optimizer(network.model, training.learning_rate, training.weight_decay), None),
    )
    trainer.model_accepts_loss_kwargs = False  # a method's loss is a mean, whatever the model can do
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def keeping(record: RunRecord, reporter: Reporter, progress: Callable[[int, int], None]) -> Any:
    """Make the callback for updates and checkpoints."""
    import transformers

    class Keeping(transformers.TrainerCallback):
        """A callback that reports progress and keeps history and checkpoints."""

        kept = time.monotonic()

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: object) -> None:
            """Note where the run begins, or goes on."""
            reporter.begin(state.global_step, state.max_steps)

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            """Note the learning rate of the update."""
            record.history.learning_rate = given["optimizer"].param_groups[0]["lr"]

        def on_step_end(self, args: Any, state: Any, control: Any, **_: object) -> None:
            """Report progress, and ask for a checkpoint from time to time."""
            if state.global_step % max(1, state.max_steps // ENTRIES) == 0:
                reporter.report(record.history.add(state.global_step, state.epoch))
            progress(state.global_step, state.max_steps)
            # The end of an epoch is kept after its summaries are scored, so that a resumed run does not score them
            # again.
            within = state.epoch % 1 > 0 and state.global_step < state.max_steps
            control.should_save |= within and time.monotonic() - self.kept >= SECONDS

        def on_save(self, args: Any, state: Any, control: Any, **_: object) -> None:
            """Make the checkpoint the one to resume from."""
            record.keep(record.resume / f"checkpoint-{state.global_step}")
            self.kept = time.monotonic()

    return Keeping()


def arguments(task: Task, folder: Path) -> Any:
    """Make the trainer's settings."""
    import transformers

    training = task.training
    return transformers.Seq2SeqTrainingArguments(
        output_dir=str(folder),
        seed=task.seed,
        data_seed=task.seed,
        use_cpu=task.device == "cpu",
        bf16=task.dtype == "bfloat16",
        learning_rate=training.learning_rate,
        per_device_train_batch_size=training.batch,
        gradient_accumulation_steps=training.accumulation,
        num_train_epochs=training.epochs,
        max_steps=training.updates or -1,
        weight_decay=training.weight_decay,
        max_grad_norm=training.clip,
        lr_scheduler_type=training.scheduler,
        warmup_steps=training.warmup,
        optim="adamw_torch",
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        logging_nan_inf_filter=False,  # such a loss is refused
        use_cache=True,  # otherwise the trainer changes it in the config, which is saved
        remove_unused_columns=False,  # documents have none
        dataloader_pin_memory=False,
    )
