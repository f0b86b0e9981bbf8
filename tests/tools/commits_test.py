# SPDX-License-Identifier: Apache-2.0
"""commits.py finds messages that break the rules, and reports if it checks nothing."""

from __future__ import annotations

import contextlib
import io
import pathlib
import subprocess
import tempfile
import unittest

import commits

GOOD = "graph: reject bound plans whose kernel changed\n\nThey ran freed code. A test replaces it."


class MessagesTest(unittest.TestCase):
    def test_a_good_message_passes(self):
        self.assertEqual(commits.complaints(GOOD), [])

    def test_each_rule_is_reported(self):
        body = "\n\nWhy, and how it was checked."
        for message, complaint in (
            (f"graph: reject {'x' * 70}{body}", "subject must have 72 columns at most"),
            (f"Reject bound plans{body}", "subject must be"),
            (f"graph: rejected bound plans{body}", "imperative"),
            (f"graph: rejects bound plans{body}", "imperative"),
            (f"graph: the bound plans{body}", "imperative"),
            (f"graph: reject bound plans.{body}", "full stop"),
            ("graph: reject bound plans", "body"),
            ("graph: reject bound plans\nWhy.", "empty line"),
        ):
            with self.subTest(message):
                self.assertIn(complaint, " ".join(commits.complaints(message)))


class HistoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "repository"
        self.root.mkdir()

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(self.root), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, message: str) -> str:
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def run_main(self, root: pathlib.Path, base: str, date: str = "2001-01-01") -> tuple[int, str]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = commits.main(["--root", str(root), "--base", base, "--date", date])
        return status, out.getvalue()

    def test_only_commits_after_the_base_are_checked(self):
        self.git("init", "-q")
        self.commit("old and wrong")
        base = self.commit("wrong as well")
        self.commit(GOOD)
        self.assertEqual(self.run_main(self.root, base)[0], 0)
        wrong = self.commit("something")
        status, said = self.run_main(self.root, base)
        self.assertEqual(status, 1)
        self.assertIn(wrong[:8], said)
        self.assertIn("2 new, 1 to reword", said)

    def test_a_shallow_clone_goes_by_the_date(self):
        self.git("init", "-q")
        base = self.commit("old and wrong")
        self.commit("new and wrong")
        shallow = self.root.parent / "shallow"
        self.git("clone", "-q", "--depth=1", f"file://{self.root}", str(shallow))
        status, said = self.run_main(shallow, base)
        self.assertEqual((status, "shallow" in said), (1, True))
        status, said = self.run_main(shallow, base, "2099-01-01")
        self.assertEqual((status, "0 new" in said), (0, True))

    def test_without_a_history_it_is_skipped_visibly(self):
        status, said = self.run_main(self.root, commits.BASE)
        self.assertEqual(status, 0)
        self.assertIn("skipped", said)
        self.git("init", "-q")
        self.commit("something")
        status, said = self.run_main(self.root, commits.BASE)
        self.assertEqual((status, "skipped" in said), (0, True))


if __name__ == "__main__":
    unittest.main()
