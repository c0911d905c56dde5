"""The store: a SQLite file, read by the views that it has for that."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import Any, Sequence, Union

import pandas

from . import command
from .comparison import Comparison
from .run import Run

#: The oldest version of the store that has views.
_OLDEST = 8


class StoreError(RuntimeError):
    """The store cannot be read, or has no such run."""


class Store:
    """The runs of one file. Nothing is ever written to it."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise StoreError(f"there is no store {self.path}")
        try:
            self._connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)
            found = self._connection.execute("SELECT max(version) FROM schema_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path} is no store of whyperf: {error}") from error
        if found < _OLDEST:
            raise StoreError(f"{self.path} is of an older whyperf: any whyperf that writes to it brings it up to date")

    def frame(self, query: str, parameters: Sequence[Any] = ()) -> pandas.DataFrame:
        """What an SQL query answers. The views are described in docs/experiments.md."""
        return pandas.read_sql_query(query, self._connection, params=list(parameters))

    def runs(self) -> pandas.DataFrame:
        """All runs, the newest first."""
        runs = self.frame("SELECT * FROM run_view ORDER BY started_s DESC, run")
        runs["command"] = runs["command"].map(json.loads)
        for flag in ("complete", "is_diagnosis"):
            runs[flag] = runs[flag].astype(bool)
        return runs

    def run(self, name: str = "latest") -> Run:
        """A run by its id, the beginning of one, a tag, `latest` or `latest~1`."""
        words = ["show", name, "--json", "--store", str(self.path)]
        try:
            shown = json.loads(command.output(words))
        except command.CommandError as error:
            raise StoreError(str(error)) from error
        return Run(self, shown["id"])

    def query(self, question: str) -> pandas.DataFrame:
        """What `whyperf query` answers, as a frame."""
        words = ["query", question, "--format", "csv", "--store", str(self.path)]
        return pandas.read_csv(io.StringIO(command.output(words)))

    def compare(self, a: str, b: str, *options: str) -> Comparison:
        """How, by how much and why `b` differs from `a`; operands and options are those of `whyperf compare`."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "comparison.json"
            words = ["compare", a, b, *options, "--json", str(path), "--store", str(self.path)]
            command.output(words, allowed=(0, 3))
            return Comparison(json.loads(path.read_text()))

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"whyperf.Store({str(self.path)!r})"


def open_store(path: Union[str, os.PathLike[str]] = "whyperf.db") -> Store:
    """Opens a store to be read."""
    return Store(path)
