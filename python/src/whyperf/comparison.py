"""What `whyperf compare` found."""

from __future__ import annotations

from typing import Any, Mapping

import pandas


class Comparison:
    """Two operands side by side; `data` is the comparison as JSON, whose members docs/experiments.md describes."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        if data.get("format") != "whyperf-comparison":
            raise ValueError("this is no comparison of whyperf's")
        self.data = data

    @property
    def verdict(self) -> str:
        """`slower`, `faster` or `no difference`; `unknown` where the time of a run is."""
        wall = self.data.get("wall")
        return wall["verdict"] if wall else "unknown"

    @property
    def differences(self) -> pandas.DataFrame:
        """What differs, the cause of most first."""
        columns = ["metric", "focus", "a", "b", "unit", "change", "beside", "share_of_change", "is_cause"]
        return pandas.DataFrame(self.data["differences"], columns=columns)

    @property
    def conclusions(self) -> pandas.DataFrame:
        """Bottlenecks that are new, gone, grown, shrunk or moved."""
        rows = [{"what": what, **one} for what, all_of_them in self.data["conclusions"].items() for one in all_of_them]
        return pandas.DataFrame(rows, columns=None if rows else ["what", "hypothesis", "focus"])

    def __repr__(self) -> str:
        return f"<whyperf.Comparison: {self.verdict}, {len(self.data['differences'])} differences>"
