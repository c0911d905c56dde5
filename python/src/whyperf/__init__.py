"""Runs that whyperf kept, as pandas data frames."""

from __future__ import annotations

import os
from typing import Union

import pandas

from .comparison import Comparison
from .run import Run
from .store import Store, StoreError
from .store import open_store as open
from .tables import Tables

__all__ = ["Comparison", "Run", "Store", "StoreError", "Tables", "compare", "open", "read_parquet", "runs"]


def runs(path: Union[str, os.PathLike[str]] = "whyperf.db") -> pandas.DataFrame:
    """The runs of a store, the newest first, as a frame."""
    return open(path).runs()


def read_parquet(folder: Union[str, os.PathLike[str]]) -> Tables:
    """The tables that `whyperf export --format parquet` or `arrow` wrote into a folder."""
    return Tables(folder)


def compare(a: str, b: str, path: Union[str, os.PathLike[str]] = "whyperf.db") -> Comparison:
    """How, by how much and why `b` differs from `a`: runs or experiments of a store."""
    return open(path).compare(a, b)
