# SPDX-License-Identifier: Apache-2.0
"""Makes `import torch` import Tenon, in this process and in those that multiprocessing starts.

`import tenon.as_torch` must come before anything imports torch; `python -m tenon run program.py`
does so for a program. Afterwards `torch` and its submodules are modules that take each name from
Tenon, or from the facts about the host in `tenon.as_torch.facts`. A name of PyTorch that Tenon
lacks can be imported; using it raises an error. See docs/run-a-torch-program.md.

Raises:
    StateError: If PyTorch itself has already been imported.
"""

from __future__ import annotations

from . import finder
from .absent import Absence, touched

finder.install()

__all__ = ["Absence", "touched"]
