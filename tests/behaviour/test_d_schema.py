# SPDX-License-Identifier: Apache-2.0
"""Section D, items 78 to 109: the schema language, compatibility, and calls against a schema.

Items 103, 104 and 108 are in C++: tests/core/schema and calls_test.cpp.
"""

from __future__ import annotations

import pathlib

import peers
import pytest
import tenon
from items import better, same

SCHEMAS = pathlib.Path(__file__).parents[1] / "conformance" / "schemas"
ERRORS = (tenon.ParseError, RuntimeError, IndexError)


def lines(name):
    text = (SCHEMAS / name).read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def schema(peer, text):
    if peer.is_torch:
        return peers.torch._C.parse_schema(text, allow_typevars=False)
    return tenon.Schema.parse(text)


def written(peer, text, index=0):
    """Returns true if an argument's own annotation says that it is written."""
    argument = schema(peer, text).arguments[index]
    return argument.is_write


def prints(peer, *texts):
    for text in texts:
        assert peer.parse(text) == text


def refuses(peer, text, *words):
    """Asserts that the peer refuses the text; Tenon's message has the words and the position."""
    with pytest.raises(ERRORS) as caught:
        peer.parse(text)
    if not peer.is_torch:
        assert isinstance(caught.value, tenon.ParseError)
        assert "at column" in str(caught.value)
        for word in words:
            assert word in str(caught.value)


@better(
    78,
    "Every schema of PyTorch parses, prints as PyTorch prints it, and parses again",
    "the print is the same each time; PyTorch's order of alias sets is not. Four schemas with a "
    "mistake in them are refused, see tests/conformance/schemas/pytorch_exceptions.txt",
)
def test_item_078_round_trip(peer):
    refused = {line.split("\t")[0] for line in lines("pytorch_exceptions.txt")}
    corpus = lines("pytorch.txt")
    assert len(corpus) > 4400
    for text in corpus:
        if text.partition("(")[0] in refused:
            continue
        if peer.is_torch:
            printed = str(peers.torch._C.parse_schema(text))
            again = str(peers.torch._C.parse_schema(printed))
            assert again == printed or again.replace("b|a", "a|b") == printed.replace("b|a", "a|b")
        else:
            assert peer.parse(text) == text


@same(79, "An argument is an output when it is keyword-only and written")
def test_item_079_out_arguments(peer):
    out = schema(peer, "f(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
    assert [argument.is_out for argument in out.arguments] == [False, True]
    inplace = schema(peer, "f(Tensor(a!) x) -> Tensor(a!)")
    assert not inplace.arguments[0].is_out and inplace.is_mutable


@same(80, "Equality sees defaults, keyword-only, alias sets and the names of outputs")
def test_item_080_equality(peer):
    base = "f(Tensor(a!) x, int n=1, *, Tensor(b!) out) -> Tensor(b!)"
    variants = [
        "f(Tensor(a!) x, int n=2, *, Tensor(b!) out) -> Tensor(b!)",
        "f(Tensor(a!) x, *, int n=1, Tensor(b!) out) -> Tensor(b!)",
        "f(Tensor(a) x, int n=1, *, Tensor(b!) out) -> Tensor(b!)",
        "f(Tensor(a!) x, int n=1, *, Tensor(b!) o) -> Tensor(b!)",
        "f(Tensor(a!) x, int n=1, *, Tensor(b!) out) -> Tensor(b!) r",
    ]
    assert schema(peer, base) == schema(peer, base)
    assert hash(schema(peer, base)) == hash(schema(peer, base))
    for text in variants:
        assert schema(peer, text) != schema(peer, base), text
        if not peer.is_torch:
            assert hash(schema(peer, text)) != hash(schema(peer, base))


@same(81, "A list with a written element is written, and prints unchanged")
def test_item_081_written_elements(peer):
    prints(peer, "f(Tensor(a!)[] x) -> ()")
    assert written(peer, "f(Tensor(a!)[] x) -> ()")
    assert not written(peer, "f(Tensor(a)[] x) -> ()")


@better(
    82,
    "Alias sets of a list and of its elements, and sets before and after the call",
    "print in the order of the text; PyTorch's order is that of a hash table",
)
def test_item_082_sets(peer):
    for text in ("f(Tensor(b|c)[](a!) x) -> ()", "f(Tensor(b -> b|c) x) -> ()"):
        if peer.is_torch:
            assert peer.parse(text) in (text, text.replace("b|c", "c|b"))
        else:
            prints(peer, text)
    prints(peer, "f(Tensor(a -> *) x) -> Tensor(a)", "f(Tensor(*) x) -> ()")
    assert written(peer, "f(Tensor(b|c)[](a!) x) -> ()")


@same(83, "An annotation without a set is an error with its position")
def test_item_083_annotation_without_set(peer):
    refuses(peer, "f(Tensor(!) x) -> ()", "alias set", "at column 10")
    refuses(peer, "f(Tensor(a!|b) x) -> ()", "at column 12")
    refuses(peer, "f(Tensor?(a!) x) -> ()", "before '?'")


@same(84, "int[][4] nests; int[2][3] is an error")
def test_item_084_nested_lists(peer):
    prints(peer, "f(int[][4] x) -> ()", "f(int[]?[] x) -> ()", "f(int[2]? x) -> ()")
    refuses(peer, "f(int[2][3] x) -> ()", "at column 9")
    refuses(peer, "f(int[-1] x) -> ()", "length of the list")


@same(85, "Future, Await, RRef, Dict, Union and tuples parse and print")
def test_item_085_compound_types(peer):
    for kind in (
        "Future(int)",
        "Await(int)",
        "RRef(int)",
        "Dict(str, Tensor)",
        "Union(int, str)",
        "(int, Tensor)",
        "Dict(str, Dict(int, Tensor[]))",
    ):
        prints(peer, f"f({kind} x) -> ()")


@same(86, "Unknown types are errors; the message for those of C and C++ names the right type")
def test_item_086_unknown_types(peer):
    refuses(peer, "f(int64_t x) -> ()", "'int64_t'", "write 'int'", "SymInt")
    refuses(peer, "f(double x) -> ()", "write 'float'")
    refuses(peer, "f(Tensr x) -> ()", "'Tensr'", "common types are Tensor")


@same(87, "The overload names `default` and `__x` are refused")
def test_item_087_overload_names(peer):
    refuses(peer, "aten::f.default(int x) -> ()", "'default'")
    refuses(peer, "f.__x(int x) -> ()", "'__x'")
    prints(peer, "f.x_1(int x) -> ()")


@same(88, "With varargs no argument may have a default")
def test_item_088_varargs(peer):
    refuses(peer, "f(int x=1, ...) -> ()", "no defaults")
    prints(peer, "f(int x, ...) -> ...", "f(...) -> ...")


@better(
    89,
    "An argument without default after one with a default",
    "is an ordinary error with its position; PyTorch answers with an internal assertion",
)
def test_item_089_missing_default(peer):
    for text in ("f(int a=1, int b) -> ()", "f(int a=1, int? b) -> ()"):
        refuses(peer, text, "argument 'b' must have a default", "'a'")
        if peer.is_torch:
            with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
                peer.parse(text)


@same(90, "A list may follow a default without having one")
def test_item_090_list_after_default(peer):
    prints(peer, "f(int a=1, int[] b) -> ()", "f(Tensor? a=None, Tensor[] b) -> ()")


@same(91, "One value as the default of a list of fixed length fills it; numbers print collapsed")
def test_item_091_repeated_default(peer):
    argument = schema(peer, "f(bool[2] m=True) -> ()").arguments[0]
    assert (argument.default_value if peer.is_torch else argument.default) == [True, True]
    prints(peer, "f(int[2] s=1) -> ()", "f(int[2] s=[1, 2]) -> ()")
    assert peer.parse("f(int[3] s=[1,1,1]) -> ()") == "f(int[3] s=1) -> ()"
    assert peer.parse("f(bool[2] m=True) -> ()") == "f(bool[2] m=[True, True]) -> ()"


@same(92, "A text prints quoted and parses again, escapes included")
def test_item_092_texts(peer):
    prints(peer, 'f(str? x="NCHW") -> ()', 'f(str x="a\\nb") -> ()', 'f(str x="a\\"b") -> ()')
    assert peer.parse("f(str x='a\"b') -> ()") == 'f(str x="a\\"b") -> ()'


@same(93, "ScalarType, Layout and MemoryFormat keep their names; their values are numbers")
def test_item_093_enumerations(peer):
    prints(peer, "f(ScalarType? d=None, *, Layout? l=None, MemoryFormat? m=None) -> ()")
    text = "f(ScalarType d=float, Layout l=strided, MemoryFormat m=contiguous_format) -> ()"
    assert peer.parse(text) == "f(ScalarType d=6, Layout l=0, MemoryFormat m=0) -> ()"
    if peer.is_torch:
        assert str(schema(peer, text).arguments[0].type) == "int"
    else:
        assert schema(peer, text).arguments[0].type == "ScalarType"


@same(94, "SymInt, SymInt[] and SymInt? parse, and their kernels take plain integers")
def test_item_094_symbolic_types(peer):
    prints(peer, "f(SymInt a, SymInt[] b, SymInt? c) -> SymInt")
    with peers.scratch(peer, "op(SymInt a, SymInt[] b, SymInt? c=None) -> SymInt") as op:
        op.add_call("CompositeExplicitAutograd", lambda a, b, c=None: a + sum(b) + (c or 0))
        assert op.overload()(1, [2, 3]) == 6
        assert op.overload()(1, [2, 3], 4) == 10


@better(
    95,
    "A default of another type than its argument",
    "is refused, naming the argument; PyTorch takes it",
)
def test_item_095_type_of_default(peer):
    for text in (
        "f(int x=1.5) -> ()",
        "f(int? x='s') -> ()",
        "f(bool b=1) -> ()",
        "f(int x=True) -> ()",
    ):
        if peer.is_torch:
            peer.parse(text)
        else:
            refuses(peer, text, "default of argument", "must be of type")


@better(96, "Two arguments of one name", "are refused; PyTorch takes them")
def test_item_096_duplicate_names(peer):
    text = "f(int x, int x) -> ()"
    if peer.is_torch:
        prints(peer, text)
    else:
        refuses(peer, text, "'x' appears twice")


@better(
    97,
    "A default device",
    "prints in quotes, so that it parses again; PyTorch's print does not",
)
def test_item_097_device_default(peer):
    for device in ("cpu", "cuda:0"):
        printed = peer.parse(f"f(Device d='{device}') -> ()")
        if peer.is_torch:
            with pytest.raises(ERRORS):
                peer.parse(printed)
        else:
            assert printed == f'f(Device d="{device}") -> ()'
            prints(peer, printed)


@same(98, "Text after the schema is an error")
def test_item_098_trailing_text(peer):
    refuses(peer, "f(int x) -> () junk", "'junk'", "at column 16")
    refuses(peer, "f(int x) -> () ()", "expected the end")


@same(99, "A name without arguments is a name, and no schema")
def test_item_099_only_a_name(peer):
    refuses(peer, "ns::f", "not only a name")
    refuses(peer, "ns::f.x", "not only a name")


@same(100, "Names of returns are kept, of one return too")
def test_item_100_named_returns(peer):
    prints(peer, "f(int x) -> (int a, Tensor b)", "f(int x) -> int a", "f(int x) -> (int, int)")


def matrix():
    cases = [line.split("\t") for line in lines("compatibility.txt")]
    assert len(cases) > 60
    return cases


@same(101, "Backward compatibility: the same verdict for each pair of the table")
def test_item_101_backward_compatibility(peer):
    for older, newer, backward, _ in matrix():
        verdict = schema(peer, newer).is_backward_compatible_with(schema(peer, older))
        assert verdict == (backward == "1"), (older, newer)


@better(
    102,
    "Forward compatibility: a verdict for each pair of the table, with a reason",
    "the public question is whether old and new callers get along, so that it wants backward "
    "compatibility as well; the reason is one line (tests/core/schema has the bare verdicts)",
)
def test_item_102_forward_compatibility(peer):
    for older, newer, backward, forward in matrix():
        new, old = schema(peer, newer), schema(peer, older)
        if peer.is_torch:
            verdict, _ = new.check_forward_compatible_with(old)
            assert verdict == (forward == "1"), (older, newer)
        else:
            verdict = new.is_forward_compatible_with(old)
            if not verdict:
                with pytest.raises(ValueError, match=r"^\w[\w.]*: "):
                    new.check_compatible(old, forward=True)
            assert verdict == (backward == forward == "1"), (older, newer)


@same(105, "A schema is functional when nothing is written or aliased and something is returned")
def test_item_105_functional(peer):
    table = {
        "f(Tensor x) -> Tensor": True,
        "f(Tensor x) -> Tensor[]": True,
        "f(Tensor x) -> (Tensor, int)": True,
        "f(Tensor(a) x) -> Tensor(a)": False,
        "f(Tensor(a!) x) -> Tensor(a!)": False,
        "f(Tensor(a!) x) -> Tensor": False,
        "f(Tensor x) -> ()": False,
    }
    for text, functional in table.items():
        if peer.is_torch:
            from torch._library.utils import is_functional_schema

            assert is_functional_schema(schema(peer, f"ns::{text}")) is functional, text
        else:
            assert schema(peer, text).is_functional is functional, text


@same(106, "Too many, missing, unknown, doubled and mistyped arguments each get their message")
def test_item_106_arguments(peer):
    with peers.scratch(peer, "op(Tensor x, int n, *, float k=1.0) -> Tensor") as op:
        op.add_call("CPU", lambda x, n, **kwargs: x)
        call, x = op.overload(), peer.tensor()
        errors = (TypeError, RuntimeError)
        for arguments, keywords, words in (
            ((x, 1, 2.0), {}, ("k", "position 2")),
            ((x,), {}, ("n",)),
            ((x, 1), {"zz": 1}, ("zz",)),
            ((x, 1), {"n": 1}, ("n",)),
            ((3, 1), {}, ("x", "Tensor", "int")),
            ((x, "one"), {}, ("n", "int", "str")),
        ):
            with pytest.raises(errors) as caught:
                call(*arguments, **keywords)
            text = str(caught.value)
            assert op.name in text, text
            if not peer.is_torch:
                assert all(word in text for word in words), text


@better(
    107,
    "A schema inferred from a function has arguments _0, _1 and so on",
    "and is text that a definition takes, in C++ and Rust alike",
)
def test_item_107_inferred(peer):
    if peer.is_torch:
        with peers.scratch(peer) as op:
            op.add("CPU", "cpu")
            assert "cpu :: (Tensor _0) -> Tensor _0" in peer.raw(op.name)
        return
    prints(peer, "ns::f(Tensor _0, int _1) -> (Tensor, int)", "ns::f(Tensor _0) -> ()")


@better(
    109,
    "A kernel that does not fit the schema is found out when the definition comes second, too",
    "the definition is refused and may be repeated; nothing has changed",
)
def test_item_109_impl_before_def(peer):
    ns = peers.fresh_namespace()
    library = peer.Library(ns, "FRAGMENT")
    try:
        if peer.is_torch:
            library.m.impl_t_t("op", "CPU", debug="cpu")
            with pytest.raises(RuntimeError, match="number of arguments is different"):
                library.define("op(Tensor x, Tensor y) -> Tensor")
            library.define("op(Tensor x) -> Tensor")
            return
        # Python kernels fit every schema; tests/core/dispatch and tests/hpp test typed kernels.
        library.impl("op", lambda x: x, "CPU")
        with pytest.raises(tenon.ParseError):
            library.define("op(Tensr x) -> Tensor")
        assert peer.dangling() == [f"{ns}::op"]
        library.define("op(Tensor x) -> Tensor")
        assert peer.dangling() == []
    finally:
        library._destroy()
