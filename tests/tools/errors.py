# SPDX-License-Identifier: Apache-2.0
"""Writes the catalogue of messages in docs/errors.md from the source, and checks that it is whole.

Below its mark the page lists every message of an error or a warning that a user can meet. They are
found by the functions that raise (messages.py), and a raising call whose words cannot be found is
an error, unless PASSED_ON says whose words it carries.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import re
import sys

import python_messages
import raised
from messages import Message

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = pathlib.Path("docs") / "errors.md"
MARK = "<!-- Generated from here on by tests/tools/errors.py --write; do not edit. -->\n"
MOST_FILES = 3

# Calls that carry the words of others: file and function, with the reason.
PASSED_ON = {
    ("core/autograd/record/recording_modes.cpp", "push_saved_hooks"): "the words of who disabled",
    ("capi/src/hooks.cpp", "tenon_saved_hooks_disable"): "stores a message for later",
    ("core/base/error.cpp", "fail_with"): "the end of fail()",
    ("core/base/error.h", ""): "the constructor of Error",
    ("core/base/language.cpp", "capture_frames"): "an error that only collects frames",
    ("core/dispatch/call_errors.cpp", "make_error"): "callers are read",
    ("core/dispatch/call_older.cpp", "fail_call"): "callers are read",
    ("capi/src/error.cpp", "catch_current_exception"): "the words of an exception of C++",
    ("capi/src/error.cpp", "tenon_error_raise"): "the words of the caller in C",
    ("capi/src/warning.cpp", "tenon_warning_emit"): "the words of the caller in C",
    ("capi/src/warning.cpp", "tenon_warning_emit_once"): "the words of the caller in C",
    ("capi/include/tenon/error.h", ""): "the declaration",
    ("capi/include/tenon/hpp/check.hpp", "fail_check"): "a user's TENON_CHECK",
    ("capi/include/tenon/hpp/error.hpp", ""): "the constructor of Error",
    ("capi/include/tenon/hpp/error.hpp", "current_error"): "the words of an exception of C++",
    ("kernels/common/check.cpp", "fail"): "callers are read",
    ("bindings/python/native/binding.c", "tnp_name_argument_in_error"): "tnp_mismatch_text",
    ("bindings/python/native/call.c", "call"): "the text of tnp_mismatch_text",
    ("bindings/python/native/error.c", "tnp_raise_format"): "callers are read",
    ("bindings/python/native/warning.c", "on_warning"): "a warning of another language",
    ("bindings/java/src/main/java/dev/tenon/CallFrame.java", "isVirtual"): "an error of the JVM",
    ("bindings/java/src/main/java/dev/tenon/CompoundConversion.java", "write"): "an assertion",
    ("bindings/java/src/main/java/dev/tenon/Conversion.java", "write"): "an assertion",
    ("bindings/java/src/main/java/dev/tenon/Errors.java", "take"): "an error of C",
    ("bindings/java/src/main/java/dev/tenon/Errors.java", "fromNative"): "an error of C",
    ("bindings/java/src/main/java/dev/tenon/NativeHandle.java", ""): "an error of the JVM",
    ("bindings/java/src/main/java/dev/tenon/NativeHandle.java", "release"): "an assertion",
    ("bindings/java/src/main/java/dev/tenon/ThreadState.java", "bind"): "an error of the JVM",
    ("bindings/java/src/main/java/dev/tenon/internal/Memory.java", "unsafe"): "an error of the JVM",
    ("bindings/java/src/main/java22/dev/tenon/EntryStub.java", "make"): "an error of the JVM",
    ("bindings/java/src/main/java22/dev/tenon/internal/Memory.java", "segment"): "an assertion",
    ("bindings/rust/tenon/src/error.rs", "from"): "the words of an error of Rust",
    ("bindings/rust/tenon/src/error.rs", "from_boxed"): "the words of an error of Rust",
    ("bindings/rust/tenon/src/error.rs", "from_panic"): "the words of a panic",
    ("bindings/rust/tenon/src/error.rs", "build"): "callers are read",
    ("bindings/rust/tenon/src/error.rs", "from_raw"): "an error of C",
    ("bindings/rust/tenon/src/warning.rs", "emit"): "the words of the caller",
    ("bindings/rust/tenon/src/warning.rs", "emit_once"): "the words of the caller",
    ("bindings/python/tenon/__init__.py", ""): "the reason why a name of PyTorch is absent",
    ("bindings/python/tenon/as_torch/facts.py", "refuse"): "the reason why a name is absent",
    ("bindings/python/tenon/as_torch/facts.py", "_load_library"): "an error of the loader",
    ("bindings/python/tenon/autograd/gradcheck.py", "_told"): "the report of a failed check",
    ("bindings/python/tenon/opcheck.py", "opcheck"): "the report of a failed check",
    ("bindings/python/tenon/serialization.py", "__call__"): "the name of a file",
    ("bindings/python/tenon/testing/comparison.py", "describe"): "lines that the callers supply",
    ("bindings/python/tenon/utils/data/worker.py", "reraise"): "an exception of a worker",
}

# The heading of each layer, and the folders that separate its subjects.
TITLES = {
    "kernels": "Operators",
    "core": "Dispatcher, tensors, autograd, graphs and transforms",
    "C++": "C++",
    "Python": "Python",
    "Java": "Java",
    "Rust": "Rust",
}
SUBJECTS = {
    "kernels": re.compile(r"kernels/(?:ops|cpu)/(\w+)/|kernels/(cuda)/|kernels/(common)/"),
    "core": re.compile(r"core/(\w+)/|(capi)/"),
    "Python": re.compile(r"bindings/python/(native)/|bindings/python/tenon/(\w+)/"),
}
ELSEWHERE = {"kernels": "common", "Python": "the package"}
SHARED = "several families"


def collected(root: pathlib.Path) -> tuple[dict[str, list[Message]], list[str]]:
    """The messages of each layer, and complaints."""
    found: dict[str, list[Message]] = {}
    complaints: list[str] = []
    used: set = set()
    for name, folders in raised.LAYERS:
        layer = raised.Layer(root, folders, PASSED_ON)
        found.setdefault(name, []).extend(layer.messages())
        complaints += layer.complaints
        used |= layer.used
    package = python_messages.Package(root, "bindings/python/tenon", PASSED_ON)
    found["Python"] += package.messages()
    complaints += package.complaints
    for file, function in sorted(set(PASSED_ON) - used - package.used):
        complaints.append(
            f"errors.py: PASSED_ON must name calls that raise, got {file}: {function}"
        )
    return found, complaints


def subject(layer: str, file: str) -> str:
    match = SUBJECTS[layer].match(file) if layer in SUBJECTS else None
    if match is None:
        return ELSEWHERE.get(layer, "")
    return next(group for group in match.groups() if group)


def sections(layer: str, found: list[Message]) -> dict[str, dict]:
    """Messages by subject: the text and codes, with the files of each."""
    texts: dict[str, list[Message]] = collections.defaultdict(list)
    for message in found:
        texts[message.text].append(message)
    out: dict[str, dict] = collections.defaultdict(dict)
    for text, group in texts.items():
        subjects = {subject(layer, message.file) for message in group}
        out[subjects.pop() if len(subjects) == 1 else SHARED][text] = group
    return out


def row(text: str, group: list[Message]) -> str:
    codes = ", ".join(sorted({f"`{m.code}`" for m in group if m.code}))
    files = sorted({m.file for m in group})
    shown = ", ".join(f"`{file}`" for file in files[:MOST_FILES])
    if len(files) > MOST_FILES:
        shown += f" and {len(files) - MOST_FILES} more"
    text = text.replace("`", "'").replace("|", "\\|")
    return f"| `{text}` | {codes} | {shown} |"


def order(text: str) -> tuple:
    """Sorts by the words, whatever raises."""
    words = re.sub(r"^[^:]*: ", "", text)
    return (re.sub(r"[^A-Za-z ]", "", words).casefold(), text)


def catalogue(root: pathlib.Path) -> tuple[str, int, list[str]]:
    """The generated part of the page, the number of its rows, and complaints."""
    found, complaints = collected(root)
    lines = [MARK, "## Messages", ""]
    number = 0
    body: list[str] = []
    for layer in TITLES:
        parts = sections(layer, found[layer])
        body += [f"### {TITLES[layer]}", ""]
        for name in sorted(parts, key=lambda name: (name != SHARED, name)):
            if len(parts) > 1:
                body += [f"#### {TITLES[layer]}: {name}", ""]
            body += ["| message | code | file |", "|---|---|---|"]
            body += [row(text, parts[name][text]) for text in sorted(parts[name], key=order)]
            body.append("")
            number += len(parts[name])
    lines += [
        f"The {number} messages of errors and warnings. A `<name>` is a placeholder for a value,",
        "and `{one | other}` a choice of words; `<operator>` is the overload's name, as in",
        "`aten::add.Tensor`. A message that is raised in several places is listed once.",
        "",
        *body,
    ]
    return "\n".join(lines).rstrip("\n") + "\n", number, complaints


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--write", action="store_true", help="write the catalogue")
    options = parser.parse_args(arguments)
    path = options.root / PAGE
    head = path.read_text().partition(MARK)[0]
    text, number, complaints = catalogue(options.root)
    text = head.rstrip("\n") + "\n\n" + text
    if options.write:
        path.write_text(text)
    elif path.read_text() != text:
        complaints.append(f"{PAGE} must be what the source says; run errors.py --write")
    for complaint in complaints:
        print(complaint)
    print(f"errors: {number} messages: {len(complaints)} complaints")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
