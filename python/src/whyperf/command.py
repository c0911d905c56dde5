"""The whyperf command, of which is asked what only it computes."""

from __future__ import annotations

import os
import subprocess
from typing import Sequence


class CommandError(RuntimeError):
    """The command refused; its sentence says why."""


def name() -> str:
    """The command: what WHYPERF_COMMAND says, or the one on the path."""
    return os.environ.get("WHYPERF_COMMAND", "whyperf")


def output(words: Sequence[str], allowed: Sequence[int] = (0,)) -> str:
    """What the command writes to standard output; refused where it ends with another status."""
    try:
        done = subprocess.run([name(), *words], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise CommandError(f"there is no command {name()}: put it on the path, or say where it is by WHYPERF_COMMAND") from error
    if done.returncode not in allowed:
        raise CommandError(done.stderr.strip() or f"{name()} ended with status {done.returncode}")
    return done.stdout
