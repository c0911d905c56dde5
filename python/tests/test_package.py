"""Frames of a store that was made of two profiles; and the notebook, cell by cell.

    WHYPERF_COMMAND=target/release/whyperf PYTHONPATH=python/src python3 -m unittest discover python/tests
"""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import whyperf

HEAD = "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Hostname</name><value>n{rank}</value></attribute></metadata>\n"
NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "imbalance.ipynb"


def profile(folder: Path, slower: int) -> None:
    """TAU's files of two ranks, of which the second computes `slower` microseconds more while the first waits."""
    folder.mkdir()
    for rank in range(2):
        work, wait = 1_000_000 + slower * rank, 500_000 + slower * (1 - rank)
        rows = [
            ("main", 1, 2, 0, work + wait, "TAU_USER"),
            ("work", 10, 0, work, work, "TAU_USER"),
            ("MPI_Recv()", 4, 0, wait, wait, "MPI"),
            ("main => work", 10, 0, work, work, "TAU_CALLPATH|TAU_USER"),
            ("main => MPI_Recv()", 4, 0, wait, wait, "TAU_CALLPATH|MPI"),
        ]
        lines = [f'"{name}" {calls} {subs} {own} {all_} 0 GROUP="{group}" \n' for name, calls, subs, own, all_, group in rows]
        text = f"{len(rows)} templated_functions_MULTI_TIME\n" + HEAD.format(rank=rank) + "".join(lines)
        text += '0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n"residual" 3 9 1 4 98\n'
        (folder / f"profile.{rank}.0.0").write_text(text)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        for name, slower in (("before", 0), ("after", 300_000)):
            profile(cls.folder / name, slower)
            words = ["import", name, "--application", "ocean", "--experiment", name, "--store", "whyperf.db"]
            subprocess.run([whyperf.store.command.name(), *words], cwd=cls.folder, check=True, capture_output=True)
        cls.store = whyperf.open(cls.folder / "whyperf.db")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.store.close()
        cls.place.cleanup()

    def test_runs_are_rows(self) -> None:
        runs = self.store.runs()
        self.assertEqual(list(runs["application"]), ["ocean", "ocean"])
        self.assertEqual(set(runs["experiment"]), {"before", "after"})
        self.assertEqual(runs["command"].iloc[0][:2], ["whyperf", "import"])

    def test_a_profile_has_paths_and_seconds(self) -> None:
        frame = self.store.run("latest").profile()
        work = frame[frame["path"] == ("main", "work")].set_index("process")["exclusive_s"]
        self.assertEqual(dict(work), {0: 1.0, 1: 1.3})

    def test_events_of_the_program_have_their_mean(self) -> None:
        events = self.store.run("latest").user_events()
        self.assertEqual(list(events["name"]), ["residual", "residual"])
        self.assertEqual((events["count"].iloc[0], events["least"].iloc[0], events["most"].iloc[0]), (3, 1, 9))

    def test_a_question_is_a_frame(self) -> None:
        frame = self.store.query("sync_wait at </Process/0> of experiment:after")
        self.assertEqual(len(frame), 1)

    def test_a_comparison_names_the_cause_first(self) -> None:
        found = self.store.compare("experiment:before", "experiment:after")
        self.assertEqual(found.verdict, "slower")
        first = found.differences.iloc[0]
        self.assertEqual((first["metric"], "/Process/1" in first["focus"]), ("compute", True))

    def test_tables_of_parquet_and_arrow_say_what_the_store_does(self) -> None:
        run = self.store.run("latest")
        profile = run.profile()
        for form in ("parquet", "arrow"):
            words = ["export", run.id, "--format", form, "--output", form, "--store", "whyperf.db"]
            subprocess.run([whyperf.store.command.name(), *words], cwd=self.folder, check=True, capture_output=True)
            tables = whyperf.read_parquet(self.folder / form)
            read = tables.profile()
            columns = ["process", "thread", "path", "calls", "inclusive_s", "exclusive_s"]
            self.assertEqual(read[columns].to_dict("list"), profile[columns].to_dict("list"))
            self.assertTrue(read["source"].isna().all(), "no place in the source is no empty text")
            self.assertEqual((len(tables.series()), len(tables.verdicts())), (0, 0))
            self.assertEqual(list(tables.series("cpu").columns[:4]), ["metric", "unit", "focus", "start_s"])
        self.assertEqual(len(run.tables(self.folder / "again").profile()), len(profile))
        with self.assertRaisesRegex(FileNotFoundError, "whyperf export --format parquet"):
            whyperf.read_parquet(self.folder / "nowhere").profile()

    def test_a_graph_frame_of_hatchet_has_the_time_of_all_callpaths(self) -> None:
        run = self.store.run("latest")
        frame = run.hatchet()
        self.assertAlmostEqual(frame.dataframe["time"].sum(), run.profile()["exclusive_s"].sum())
        self.assertEqual(len(frame.graph.roots), 1)

    def test_what_is_not_there_is_refused_in_a_sentence(self) -> None:
        with self.assertRaisesRegex(whyperf.StoreError, "there is no store"):
            whyperf.open(self.folder / "nothing.db")
        with self.assertRaises(whyperf.StoreError):
            self.store.run("no such run")

    def test_the_notebook_runs(self) -> None:
        cells = json.loads(NOTEBOOK.read_text())["cells"]
        names: dict = {}
        told = io.StringIO()
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(told):
                for cell in cells:
                    if cell["cell_type"] == "code":
                        exec("".join(cell["source"]), names)  # a notebook of ours
        finally:
            os.chdir(before)
        self.assertIn("process 1 computes 13 % more than the mean", told.getvalue())


if __name__ == "__main__":
    unittest.main()
