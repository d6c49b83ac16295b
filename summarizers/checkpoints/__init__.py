"""Checkpoints: any model in a local folder or file that transformers loads, as a system that writes summaries.

Nothing is downloaded, nothing is unpickled, and no code that comes with a checkpoint is run.
"""

from relevance.summarizers.checkpoints.checkpoint import Checkpoint, open_checkpoint
from relevance.summarizers.checkpoints.files import KINDS, CheckpointFiles
from relevance.summarizers.checkpoints.options import WritingOptions
from relevance.summarizers.checkpoints.summarizer import CheckpointSummarizer, checkpoint_summarizer, is_checkpoint

__all__ = [
    "KINDS",
    "Checkpoint",
    "CheckpointFiles",
    "CheckpointSummarizer",
    "WritingOptions",
    "checkpoint_summarizer",
    "is_checkpoint",
    "open_checkpoint",
]
