# SPDX-License-Identifier: Apache-2.0
"""Test files that packages carry: einops and opt_einsum, counts of what passed."""

import contextlib
import io
import os

os.environ["EINOPS_TEST_BACKENDS"] = "numpy,torch"

import pytest  # noqa: E402
from report import show  # noqa: E402


class Count:
    def __init__(self):
        self.found = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome == "skipped":
            self.found.setdefault(report.outcome, set()).add(report.nodeid)


for package, options in (
    ("einops.tests", ["-k", "not notebook"]),
    ("opt_einsum.tests.test_backends", ["-k", "torch"]),
    ("opt_einsum.tests.test_sharing", ["-k", "torch or numpy"]),
):
    count = Count()
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", package, *options], [count])
    for outcome, names in sorted(count.found.items()):
        show(f"{package}.{outcome}", len(names))
    for name in sorted(count.found.get("failed", ())):
        show(f"{package}.{name}", "failed")
