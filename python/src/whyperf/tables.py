"""Tables that `whyperf export --format parquet` or `arrow` wrote: a run without its store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional, Union

import pandas


class Tables:
    """A folder with the tables `profile`, `series` and `verdicts`; it has what a run of a store has, and needs no command."""

    def __init__(self, folder: Union[str, os.PathLike[str]]) -> None:
        self.folder = Path(folder)

    def _table(self, name: str) -> pandas.DataFrame:
        for ending, read in (("parquet", pandas.read_parquet), ("arrow", pandas.read_feather)):
            path = self.folder / f"{name}.{ending}"
            if path.is_file():
                return read(path)
        raise FileNotFoundError(f"{self.folder} has no {name}.parquet and no {name}.arrow: write them with `whyperf export --format parquet`")

    def profile(self) -> pandas.DataFrame:
        """Callpaths of threads: calls, seconds, bytes, where most was called, and for what share of the run it was counted."""
        frame = self._table("profile")
        frame["path"] = frame["path"].map(lambda path: tuple(path.split(" => ")) if path else ())
        return frame

    def series(self, metric: Optional[str] = None, focus: Optional[str] = None) -> pandas.DataFrame:
        """All that was measured over time, or one metric or focus of it: amounts in each bin, and per second of what was covered."""
        frame = self._table("series")
        for column, wanted in (("metric", metric), ("focus", focus)):
            if wanted is not None:
                frame = frame[frame[column] == wanted]
        frame = frame.reset_index(drop=True)
        # What was not covered is not known, and is no zero.
        frame["per_second"] = (frame["amount"] / frame["covered_s"]).where(frame["covered_s"] > 0)
        return frame

    def verdicts(self) -> pandas.DataFrame:
        """Questions of the search, and what became of them."""
        return self._table("verdicts")

    def __repr__(self) -> str:
        return f"whyperf.Tables({str(self.folder)!r})"
