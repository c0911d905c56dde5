"""A run: its callpaths, answers, events and series."""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any, Union

import pandas

from . import command
from .tables import Tables

if TYPE_CHECKING:
    from .store import Store

#: What stands between the names of a callpath in the store.
_SEPARATOR = "\x1f"


class Run:
    """A run of a store."""

    def __init__(self, store: "Store", name: str) -> None:
        self.store = store
        self.id = name

    def _rows(self, view: str, order: str) -> pandas.DataFrame:
        frame = self.store.frame(f"SELECT * FROM {view} WHERE run = ? ORDER BY {order}", [self.id])
        frame = frame.drop(columns="run")
        if "path" in frame:
            frame["path"] = frame["path"].map(lambda path: tuple(path.split(_SEPARATOR)) if path else ())
        return frame

    def profile(self) -> pandas.DataFrame:
        """Callpaths of threads: calls, seconds, bytes, where most was called, and for what share of the run it was counted."""
        return self._rows("profile_view", "process, thread, path")

    def verdicts(self) -> pandas.DataFrame:
        """Questions of the search, and what became of them."""
        return self._rows("verdict_view", "phase, hypothesis, focus")

    def user_events(self) -> pandas.DataFrame:
        """Counters and gauges of the program's own, in its own unit."""
        return self._rows("user_event_view", "name, kind, process, thread, path")

    def facts(self) -> pandas.DataFrame:
        """What was so during the run."""
        return self._rows("fact_view", "topic, name")

    def series(self, metric: str, focus: str = "<>") -> pandas.DataFrame:
        """A metric at a focus that was measured, over time: its amount in each bin, and per second of what was covered.

        Times are amounts of nanoseconds, so 1e9 per second is one thread.
        """
        words = ["show", self.id, "--histogram", metric, focus, "--json", "--store", str(self.store.path)]
        found: Any = json.loads(command.output(words))
        frame = pandas.DataFrame(found["bins"], columns=["start_s", "amount", "covered_s"])
        frame["end_s"] = frame["start_s"] + found["width_s"]
        # What was not covered is not known, and is no zero.
        frame["per_second"] = (frame["amount"] / frame["covered_s"]).where(frame["covered_s"] > 0)
        return frame

    def hatchet(self) -> Any:
        """The callpaths as a GraphFrame of Hatchet's."""
        import hatchet

        text = command.output(["export", self.id, "--format", "hatchet", "--store", str(self.store.path)])
        return hatchet.GraphFrame.from_json(text)

    def tables(self, folder: Union[str, os.PathLike[str]]) -> Tables:
        """Writes profile, series and verdicts as Parquet into a folder, and reads them from there."""
        words = ["export", self.id, "--format", "parquet", "--output", str(folder), "--store", str(self.store.path)]
        command.output(words)
        return Tables(folder)

    def speedscope(self) -> Any:
        """The callpaths in speedscope's form."""
        words = ["export", self.id, "--format", "speedscope", "--store", str(self.store.path)]
        return json.load(io.StringIO(command.output(words)))

    def __repr__(self) -> str:
        return f"<whyperf.Run {self.id}>"
