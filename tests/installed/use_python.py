# SPDX-License-Identifier: Apache-2.0
"""Calls the program's own operator, one of ATen and those of plugins, and reads an error."""

import sys

import tenon

with tenon.library.Library("consumer", "DEF") as library:
    library.define("square(int x) -> int")
    library.impl("square", lambda x: x * x, "CPU")
    print("square", tenon.ops.consumer.square(7))
x = tenon.tensor([-1.0, 0.0, 2.0], requires_grad=True)
print("relu", x.relu().tolist())
for plugin in sys.argv[1:]:
    tenon.ops.load_library(plugin)
print("twice", tenon.ops.from_cpp.twice(x.detach()).tolist())
print("negate", tenon.ops.from_c.negate(5))
(x * x).sum().backward()
print("grad", x.grad.tolist())
try:
    tenon.ops.aten.relu.default("no tensor")
except TypeError as error:
    print("error", error)
