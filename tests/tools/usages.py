# SPDX-License-Identifier: Apache-2.0
"""Checks that each public header has a usage example, and that the examples compile.

An example is a comment that begins with `// Usage:` and an empty line, with the code indented by
three spaces. It may use the names that WORLD declares.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import cheader

USAGE = re.compile(r"^// Usage:\n//\n((?://(?:   .*)?\n)+)", re.M)
MOST_LINES = 12
# Parts of tenon.hpp that programs do not include directly.
EXEMPT = {f"hpp/{name}.hpp" for name in ("arguments", "lowering", "result", "site", "types")}
EXEMPT |= {f"hpp/{name}.hpp" for name in ("kernel", "tensor_methods", "tensor_tree", "wrapper")}
TOP_LEVEL = {"hpp/plugin.hpp", "hpp/overrides.hpp"}  # their examples are outside of functions
WORLD = """
#include <stdio.h>
#include <string.h>
#include "tenon/tenon.h"
extern tenon_status status;
extern const tenon_op* op;
extern tenon_value arg, ret;
extern tenon_tensor *x, *y, *loss, *grad, *dual, *primal, *tangent, *tangent_of_y;
extern tenon_library* library;
extern tenon_kernel kernel;
extern tenon_stack* stack;
extern tenon_keyset keys, own;
extern tenon_graph* graph;
extern tenon_object* mode;
extern tenon_object_type type;
extern tenon_device device;
extern void *ctx, *data, *source, *self;
extern int64_t nbytes, count, input;
tenon_status twice(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
tenon_status function(void* ctx, tenon_stack* stack);
tenon_status forward(void* ctx, tenon_function_context* context, tenon_stack* stack);
tenon_status backward(const tenon_backward_call* call);
tenon_status print_gradient(tenon_hook_call* call);
tenon_status scale(void* ctx, int64_t begin, int64_t end);
tenon_status print(void* ctx, const char* category, const char* message, const char* op);
tenon_status count_devices(void* ctx, int32_t* out_count);
tenon_status allocate(void* ctx, int32_t index, int64_t nbytes, void** out_data);
void release(void* ctx, int32_t index, void* data);
tenon_status copy(void* ctx, void* dst, const tenon_device* dst_device, const void* src,
                  const tenon_device* src_device, int64_t nbytes, void* stream, int32_t blocking);
void release_counter(void* self);
"""
WORLD_OF_CPP = """
#include <iostream>
#include <vector>
#include "tenon/tenon.hpp"
#include "tenon/hpp/check.hpp"
#include "tenon/hpp/func.hpp"
#include "tenon/hpp/graph.hpp"
#include "tenon/hpp/introspect.hpp"
#include "tenon/ops/aten.hpp"
extern tenon::Library library;
extern tenon::Tensor x, y, w;
namespace aten = tenon::ops::aten;
"""


def usage_of(text: str) -> str:
    """Returns the code of a header's example, '' if it has none."""
    match = USAGE.search(text)
    return "" if match is None else re.sub(r"^//(?:   )?", "", match[1], flags=re.M)


def examples(include: pathlib.Path, suffix: str) -> tuple[dict[str, str], list[str]]:
    """Returns code by header, and complaints about headers without a proper example."""
    found, complaints = {}, []
    for path in sorted((include / "tenon").rglob(f"*{suffix}")):
        name = str(path.relative_to(include / "tenon"))
        code = usage_of(path.read_text())
        if code:
            found[name] = code
            if len(code.splitlines()) > MOST_LINES:
                most = f"must have {MOST_LINES} lines at most, got {len(code.splitlines())}"
                complaints.append(f"{name}: usage {most}")
        elif name not in EXEMPT:
            complaints.append(f"{name}: must have an example that begins with // Usage:")
    return found, complaints


def unit(codes: dict[str, str], world: str, result: str) -> str:
    """Returns one source with a function per example, with line numbers of the header."""
    parts = [world]
    for name, code in codes.items():
        if name in TOP_LEVEL:
            parts.append(f'#line 1 "{name}"\n{code}')
            continue
        function = re.sub(r"\W", "_", name)
        tail = "return status;\n" if result == "tenon_status" else ""
        head = f"{result} usage_{function}(void);\n{result} usage_{function}(void) {{\n"
        parts.append(f'{head}#line 1 "{name}"\n{code}{tail}}}\n')
    return "\n".join(parts)


def compiled(source: str, suffix: str, *folders: pathlib.Path) -> str:
    """Compiles a source; returns the compiler's complaints, '' if there are none."""
    compiler = ["gcc", "-std=c99"] if suffix == ".h" else ["g++", "-std=c++20"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("usages.c" if suffix == ".h" else "usages.cpp")
        path.write_text(source)
        command = [
            *compiler,
            "-Wall",
            "-Werror",
            "-Wno-unused",
            "-fsyntax-only",
            *[f"-I{one}" for one in folders],
        ]
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=pathlib.Path, default=cheader.INCLUDE)
    parser.add_argument("--generated", type=pathlib.Path, help="folder with tenon/ops/aten.hpp")
    parser.add_argument("--print", choices=(".h", ".hpp"), help="the source, and do nothing else")
    options = parser.parse_args(arguments)
    complaints, count = [], 0
    for suffix, world, result in ((".h", WORLD, "tenon_status"), (".hpp", WORLD_OF_CPP, "void")):
        codes, found = examples(options.include, suffix)
        source = unit(codes, world, result)
        if options.print == suffix:
            print(source)
        if options.print:
            continue
        count += len(codes)
        complaints += found
        generated = [] if options.generated is None else [options.generated]
        text = compiled(source, suffix, options.include, *generated)
        complaints += [text] if text else []
    if options.print:
        return 0
    for text in complaints:
        print(f"usages: {text}")
    print(f"usages: {count} examples, {len(complaints)} complaints")
    return 1 if complaints or not count else 0


if __name__ == "__main__":
    sys.exit(main())
