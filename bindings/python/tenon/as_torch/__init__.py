# SPDX-License-Identifier: Apache-2.0
"""Makes `import torch` import Tenon, in this process and in those that multiprocessing starts.

`import tenon.as_torch` before anything imports torch; `python -m tenon run program.py` does so for
a program. From then on `torch` and the paths below it are modules that take each name from Tenon,
or else from the facts about the host in `tenon.as_torch.facts`. A name of PyTorch that Tenon lacks
can be imported; using it raises an error. See docs/run-a-torch-program.md.

Raises:
    StateError: PyTorch itself is imported already.
"""

from __future__ import annotations

from . import finder
from .absent import Absence, touched

finder.install()

__all__ = ["Absence", "touched"]
