# SPDX-License-Identifier: Apache-2.0
"""The command `tenon`: inspects the registry, explains calls, draws graphs, writes wrappers."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import pathlib
import re
import runpy
import sys
import traceback

import tenon

from . import _tenon, config, introspect, ops
from .picture import profile_svg, table_svg
from .simulator import Simulator
from .wrap import LANGUAGES
from .wrap import wrap as written


class _Refusal(Exception):
    """A usage error, as one line of text."""


def _in_words(error: BaseException) -> str:
    """Returns an error as text: its message, after its class if it is not a tenon.Error."""
    if isinstance(error, tenon.Error):
        return str(error)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _write(text: str, path: str | None) -> None:
    if path in (None, "-"):
        print(text, end="" if text.endswith("\n") or not text else "\n")
        return
    try:
        pathlib.Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise _Refusal(f"{path}: {error.strerror}") from error


def _evaluate(text: str, argument: str) -> object:
    """Evaluates a Python expression in Tenon's namespace: "ones(2, 3)", "2.5", "[1, 2]"."""
    names = {"tenon": tenon, **{name: getattr(tenon, name) for name in tenon.__all__}}
    try:
        return eval(text.strip(), names)
    except (Exception, SystemExit) as error:  # any error is caused by the argument
        raise _Refusal(f"argument {argument!r}: {_in_words(error)}") from error


def _operators(namespace: str | None) -> list[str]:
    names = introspect.operators(namespace)
    if namespace is not None and not names:
        raise _Refusal(f"namespace must be one with operators, got {namespace!r}")
    return names


def list_ops(args: argparse.Namespace) -> None:
    """Lists operators, one per line; --schema adds their schemas and --tags their tags."""
    for name in _operators(args.namespace):
        op = tenon.find_op(name)
        text = str(op._schema) if args.schema else name
        print(f"{text}  [{', '.join(op.tags)}]" if args.tags and op.tags else text)


def list_keys(args: argparse.Namespace) -> None:
    """Lists the runtime keys, highest last, then the alias keys."""
    print("\n".join(Simulator.keys()))


def list_tags(args: argparse.Namespace) -> None:
    """Lists the tags in use, with the number of operators that have each."""
    counts: dict[str, int] = {}
    for name in introspect.operators():
        for tag in tenon.find_op(name).tags:
            counts[tag] = counts.get(tag, 0) + 1
    for tag in sorted(counts):
        print(f"{counts[tag]:6} {tag}")


def show_schema(args: argparse.Namespace) -> None:
    """Prints the schema of an operator, or the parsed form of schema text."""
    text = args.op
    print(tenon.Schema.parse(text) if "(" in text else tenon.find_op(text)._schema)


def show_table(args: argparse.Namespace) -> None:
    """Prints the computed tables, or draws them."""
    if args.svg:
        _write(table_svg(args.op), args.output)
        return
    tables = [(name, introspect.dump_table(name)) for name in args.op]
    _write("".join(f"{name}:\n{t}" if len(tables) > 1 else t for name, t in tables), args.output)


def show_registrations(args: argparse.Namespace) -> None:
    """Prints registrations with their owners and source locations."""
    for name in args.op or _operators(args.namespace):
        print(introspect.dump(name))


def list_dangling(args: argparse.Namespace) -> None:
    """Lists operators that have kernels but no definition, with their kernels."""
    for name in introspect.dangling():
        print(introspect.dump(name))


def check(args: argparse.Namespace) -> None:
    """Recomputes every dispatch table and compares it with the one in use."""
    introspect.invariants()
    print(f"{len(introspect.operators())} operators: every table follows from its registrations")


def show_handles(args: argparse.Namespace) -> None:
    """Prints how many handles of each kind are alive."""
    for kind, count in introspect.live_handles().items():
        print(f"{count:6} {kind}")


def _run(args: argparse.Namespace) -> dict[str, object]:
    """Runs a script as Python itself would, with arguments and folder; returns its globals."""
    before = sys.argv, sys.path[:]
    sys.argv = ["-c" if args.code else args.script, *args.arguments]
    try:
        if args.code:
            names: dict[str, object] = {"__name__": "__main__"}
            exec(compile(args.script, "<command>", "exec"), names)
            return names
        sys.path.insert(0, os.path.dirname(os.path.abspath(args.script)))
        return runpy.run_path(args.script, run_name="__main__")
    finally:
        sys.argv, sys.path[:] = before


def _place(error: BaseException, file: str) -> str:
    """Returns "FILE:LINE: " of the innermost frame of an error in `file`, "" if there is none."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"{file}:{error.lineno}: "
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return f"{file}:{lines[-1]}: " if lines else ""


def _must_exist(args: argparse.Namespace) -> None:
    if not args.code and not os.path.exists(args.script):
        raise _Refusal(f"{args.script}: script must exist, got none")


def _failed(args: argparse.Namespace, error: BaseException) -> _Refusal:
    file = "<command>" if args.code else args.script
    return _Refusal(f"{_place(error, file)}{_in_words(error)}")


def profile(args: argparse.Namespace) -> None:
    """Runs a script, or code after -c, and prints or draws its calls, even if it fails."""
    _must_exist(args)
    left = None
    with introspect.profile(None) as events:
        try:
            _run(args)
        except (Exception, SystemExit) as error:  # reported below, after the calls
            left = error
    if args.svg:
        _write(profile_svg(events), args.output)
    else:
        _write("".join(map(_line, events)), args.output)
    if isinstance(left, SystemExit):
        raise left
    if left is not None:
        raise _failed(args, left) from left


def _line(event: introspect.Event) -> str:
    keys = _tenon.tenon_keyset_print(event.keys)
    took = "   running" if event.duration is None else f"{event.duration / 1000:7.1f} us"
    return f"{event.time / 1000:10.1f} us  {took}  {event:plain}  {keys}\n"


def graph(args: argparse.Namespace) -> None:
    """Runs a script, or code after -c, and prints or draws the backward graph of a tensor."""
    from .autograd.picture import picture, svg, text

    _must_exist(args)
    if args.limit < 1:
        raise _Refusal(f"--limit must be at least 1, got {args.limit}")
    try:
        names = _run(args)
    except (Exception, SystemExit) as error:  # any error is caused by the script
        raise _failed(args, error) from error
    begin = [_tracked(names, args.tensor)]
    shown = picture(begin, _names_of_tensors(names), args.saved, args.limit)
    _write(text(shown) if args.svg is None else svg(shown), args.svg)


def draw(args: argparse.Namespace) -> None:
    """Draws a saved graph of any language as SVG, or prints it as a table or as code."""
    from .fx import from_graph
    from .graph import Graph

    if args.limit < 1:
        raise _Refusal(f"--limit must be at least 1, got {args.limit}")
    graph = Graph.load(args.file)
    with contextlib.suppress(tenon.Error):  # unknown metadata stays unknown
        graph = graph.infer()
    if args.code:
        _write(from_graph(graph).code, args.output)
    else:
        _write(graph.tabular() if args.table else graph.draw(limit=args.limit), args.output)


def _tracked(names: dict[str, object], name: str | None) -> tenon.Tensor:
    """Returns a script's global tensor by name, or the last one that a recorded call made."""
    if name is not None:
        if name not in names:
            raise _Refusal(f"--tensor must name one of the script's globals, got {name!r}")
        tensor = names[name]
        if not isinstance(tensor, tenon.Tensor) or not tensor.requires_grad:
            what = "one that is not tracked" if isinstance(tensor, tenon.Tensor) else type(tensor)
            what = what if isinstance(what, str) else what.__name__
            raise _Refusal(f"--tensor must name a tracked tensor, got {name!r}: {what}")
        return tensor
    for tensor in reversed(names.values()):
        if isinstance(tensor, tenon.Tensor) and tensor.requires_grad and not tensor.is_leaf:
            return tensor
    raise _Refusal("script must leave a tracked tensor in a global, got none")


def _names_of_tensors(names: dict[str, object]) -> list[tuple[str, object]]:
    """Returns (name, tensor) pairs: globals, elements of lists, parameters of modules."""
    pairs: list[tuple[str, object]] = []
    for name, value in names.items():
        if isinstance(value, (list, tuple)):
            pairs += [(f"{name}[{index}]", one) for index, one in enumerate(value)]
        elif not isinstance(value, type) and hasattr(value, "named_parameters"):
            pairs += [(f"{name}.{inner}", one) for inner, one in value.named_parameters()]
    return [*pairs, *names.items()]


def explain(args: argparse.Namespace) -> None:
    """Explains what a call would do: explain aten::add.Tensor "ones(2)" "ones(2)" alpha=2."""
    positional: list[object] = []
    named: dict[str, object] = {}
    for text in args.arguments:
        match = re.match(r"([A-Za-z_]\w*)=(?!=)", text)
        if match is None:
            positional.append(_evaluate(text, text))
        elif match[1] in named:
            raise _Refusal(f"argument {match[1]!r} must be given once, got it twice")
        else:
            named[match[1]] = _evaluate(text[match.end() :], text)
    print(introspect.explain(args.op, *positional, **named))


def wrap(args: argparse.Namespace) -> None:
    """Writes typed wrappers of a namespace's operators for a language: wrap aten --lang cpp."""
    _write(written(args.namespace, args.language, args.package), args.output)


def simulate(args: argparse.Namespace) -> None:
    """Prints the table that registrations on keys would result in: simulate CPU Autograd."""
    simulator = Simulator(args.schema).register(args.key)
    print(simulator.raw_registrations() if args.raw else simulator.registrations())
    print(simulator.raw_dispatch_table() if args.raw else simulator.dispatch_table(), end="")


def show_config(args: argparse.Namespace) -> None:
    """Prints the folders and flags to build plugins in C and C++."""
    words: list[str] = []
    if args.cflags:
        words += config.compiler_flags()
    if args.libs:
        words += config.linker_flags()
    if args.cmake_dir:
        words.append(config.get_cmake_dir())
    if not words:
        raise _Refusal("config: one of --cflags, --libs, --cmake-dir must be given, got none")
    print(" ".join(words))


def loads(one: argparse.ArgumentParser, place: str) -> None:
    """Adds the options that load libraries first, accepted before and after the verb."""
    for option, metavar, text in (
        ("--load", "PLUGIN", "load a plugin first"),
        ("--import", "MODULE", "import a Python module first"),
    ):
        destination = f"{place}_{option[2:]}"
        one.add_argument(
            option, action="append", default=[], metavar=metavar, dest=destination, help=text
        )


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    top = argparse.ArgumentParser(prog="tenon", description=__doc__)
    top.add_argument("--version", action="version", version=f"tenon {tenon.__version__}")
    loads(top, "top")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(name: str, function: object) -> argparse.ArgumentParser:
        text = function.__doc__ or ""
        one = verbs.add_parser(name, help=text.rstrip("."), description=text)
        one.set_defaults(function=function)
        return one

    def drawn(one: argparse.ArgumentParser) -> None:
        one.add_argument("--svg", action="store_true", help="draw an SVG picture")
        one.add_argument("-o", "--output", metavar="FILE", help="where to write it")

    one = verb("config", show_config)
    one.add_argument("--cflags", action="store_true", help="for a compiler of C or C++")
    one.add_argument("--libs", action="store_true", help="for its linker")
    one.add_argument("--cmake-dir", action="store_true", help="for CMAKE_PREFIX_PATH")
    one = verb("ops", list_ops)
    one.add_argument("namespace", nargs="?", help="only of this namespace")
    one.add_argument("--schema", action="store_true", help="with schemas")
    one.add_argument("--tags", action="store_true", help="with tags")
    verb("keys", list_keys)
    verb("tags", list_tags)
    verb("schema", show_schema).add_argument("op", help="full name, or schema text")
    one = verb("table", show_table)
    one.add_argument("op", nargs="+", help="full name, such as aten::add.Tensor")
    drawn(one)
    one = verb("registrations", show_registrations)
    one.add_argument("op", nargs="*", help="full names (default: all)")
    one.add_argument("--namespace", help="only of this namespace")
    verb("dangling", list_dangling)
    verb("invariants", check)
    verb("handles", show_handles)
    one = verb("profile", profile)
    one.add_argument("-c", dest="code", action="store_true", help="SCRIPT is code")
    one.add_argument("script", metavar="SCRIPT")
    one.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    drawn(one)
    one = verb("run", run_program)
    one.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module")
    one.add_argument(
        "--report", action="store_true", help="list the absent names that it touched, at the end"
    )
    one.add_argument("program", metavar="PROGRAM", help="a Python file, or with -m a module")
    one.add_argument("arguments", nargs=argparse.REMAINDER, help="of the program")
    one = verb("graph", graph)
    one.add_argument("-c", dest="code", action="store_true", help="SCRIPT is code")
    one.add_argument("--svg", metavar="OUT", help="draw an SVG picture into this file")
    one.add_argument("--tensor", metavar="NAME", help="the global (default: the last tracked one)")
    one.add_argument("--saved", action="store_true", help="with the shapes of what nodes saved")
    one.add_argument("--limit", type=int, default=200, help="of calls and leaves (default: 200)")
    one.add_argument("script", metavar="SCRIPT")
    one.add_argument("arguments", nargs="*", help="of the script; after -- where they begin with -")
    one = verb("draw", draw)
    how = one.add_mutually_exclusive_group()
    how.add_argument("--table", action="store_true", help="a table instead")
    how.add_argument("--code", action="store_true", help="Python code instead")
    one.add_argument("--limit", type=int, default=200, help="of calls (default: 200)")
    one.add_argument("file", metavar="FILE", help="what Graph.save or tenon_graph_save wrote")
    one.add_argument(
        "output", nargs="?", metavar="OUT", help="where to write it (default: printed)"
    )
    loads(one, "verb")
    one = verb("explain", explain)
    one.add_argument("op")
    one.add_argument("arguments", nargs="*", help='as Python: "ones(2, 3)", alpha=2')
    one = verb("wrap", wrap)
    one.add_argument("namespace", help="such as aten; --load and --import bring it")
    one.add_argument(
        "--lang", choices=LANGUAGES, required=True, dest="language", help="the language"
    )
    one.add_argument("--package", default="", help="of Java's class (default: none)")
    loads(one, "verb")
    one.add_argument("-o", "--output", metavar="FILE", help="where to write it")
    one = verb("simulate", simulate)
    one.add_argument("key", nargs="+", help="runtime or alias key")
    one.add_argument("--raw", action="store_true", help="with places and fallbacks")
    one.add_argument("--schema", default="f(Tensor x) -> Tensor", help="of the imagined operator")
    return top


def run_program(args: argparse.Namespace) -> None:
    """Runs a PyTorch program on Tenon: `import torch` imports Tenon."""
    from .as_torch.program import run

    run(args.program, args.arguments, as_module=args.module, report=args.report)


def _import(module: str) -> None:
    try:
        importlib.import_module(module)
    except (Exception, SystemExit) as error:  # any error is caused by the module
        raise _Refusal(f"--import {module}: {_in_words(error)}") from error


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; on errors, prints them to standard error and returns nonzero."""
    args = parser().parse_args(arguments)
    if args.function is run_program:
        if not args.module and not os.path.exists(args.program):
            print(f"tenon: {args.program}: program must exist, got none", file=sys.stderr)
            return 1
        run_program(args)  # the program's errors get Python's usual traceback
        return 0
    try:
        ops._load_kernels()  # Tenon's own operators, if their plugin is installed
        for path in [*args.top_load, *getattr(args, "verb_load", [])]:
            ops.load_library(path)
        for module in [*args.top_import, *getattr(args, "verb_import", [])]:
            _import(module)
        args.function(args)
        sys.stdout.flush()
    except (tenon.Error, _Refusal) as error:
        print(f"tenon: {error}", file=sys.stderr)
        return 1
    except OSError as error:  # of standard output: its disk is full or its reader is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the final flush
        if not isinstance(error, BrokenPipeError):
            print(f"tenon: standard output: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tenon: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
