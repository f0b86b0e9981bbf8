# SPDX-License-Identifier: Apache-2.0
"""A Python process with a plugin of each language; `CLASSPATH PLUGIN...` are the arguments."""

import sys

import jpype
import tenon

jpype.startJVM(classpath=sys.argv[1].split(":"))
from_java = jpype.JClass("FromJava")
from_java.load()
for plugin in sys.argv[2:]:
    tenon.ops.load_library(plugin)
x = tenon.tensor([-1.0, 0.0, 2.0])
print("C", tenon.ops.from_c.negate(5))
print("C++", tenon.ops.from_cpp.twice(x).tolist())
print("Rust", tenon.ops.from_rust.halve(x).tolist())
print("Java", tenon.ops.from_java.cube(3))
from_java.unload()
