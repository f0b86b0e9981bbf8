# SPDX-License-Identifier: Apache-2.0
"""Quick start in Python: define an operator, give it a kernel, call it."""

# [quickstart.begin]
import tenon

library = tenon.library.Library("quick_python", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x + x, "CPU")
print(tenon.ops.quick_python.twice(tenon.tensor([1.0, 2.0])))
# [quickstart.end]
