"""Runs that whyperf kept, as pandas data frames."""

from .comparison import Comparison
from .run import Run
from .store import Store, StoreError
from .store import open_store as open

__all__ = ["Comparison", "Run", "Store", "StoreError", "compare", "open", "runs"]


def runs(path="whyperf.db"):
    """The runs of a store, the newest first, as a frame."""
    return open(path).runs()


def compare(a, b, path="whyperf.db"):
    """How, by how much and why `b` differs from `a`: runs or experiments of a store."""
    return open(path).compare(a, b)
