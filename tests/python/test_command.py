# SPDX-License-Identifier: Apache-2.0
"""The command `tenon`, explanations, the simulator and the pictures."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
import tenon
from tenon import introspect
from tenon.__main__ import main
from tenon.introspect import Simulator, explain
from tenon.picture import table_svg, profile_svg

SVG = "{http://www.w3.org/2000/svg}"


def said(capsys, *arguments):
    """Runs the command, which must succeed; returns its output."""
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def test_lists(capsys):
    assert "aten::add.Tensor\n" in said(capsys, "ops")
    schemas = said(capsys, "ops", "aten", "--schema")
    assert "aten::relu(Tensor self) -> Tensor\n" in schemas
    assert all(line.startswith("aten::") for line in schemas.splitlines())
    keys = said(capsys, "keys").split()
    assert keys[:2] == ["CPU", "CUDA"] and "CompositeImplicitAutograd" in keys
    assert "tensor" in said(capsys, "handles")
    assert "operators: every table follows" in said(capsys, "invariants")


def test_tags(capsys, library):
    library.define("tagged(int x) -> int", tags=("pointwise", "core"))
    assert "pointwise" in said(capsys, "tags")
    assert f"{library.ns}::tagged  [pointwise, core]" in said(capsys, "ops", library.ns, "--tags")


def test_schema_of_an_operator_and_of_text(capsys):
    assert said(capsys, "schema", "aten::relu") == "aten::relu(Tensor self) -> Tensor\n"
    assert said(capsys, "schema", "f(int[2] s=[1,1]) -> ()") == "f(int[2] s=1) -> ()\n"


def test_registrations_say_where(capsys, library):
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x, "CPU")
    library.impl("lost", lambda x: x, "CPU")
    text = said(capsys, "registrations", f"{library.ns}::f")
    assert f"defined: {__file__}" in text and f"<lambda> at {__file__}" in text
    assert f"{library.ns}::f" in said(capsys, "registrations", "--namespace", library.ns)
    dangling = said(capsys, "dangling")
    assert f"name: {library.ns}::lost\nschema: (none)" in dangling
    assert f"{library.ns}::f\n" not in dangling


def test_errors_are_one_line(capsys):
    assert main(["schema", "aten::nope"]) == 1
    caught = capsys.readouterr()
    assert caught.out == "" and caught.err.startswith("tenon: aten::nope")
    assert main(["explain", "aten::mm", "ones(2, 2)"]) == 1
    assert "mat2" in capsys.readouterr().err
    assert main(["simulate", "CPU", "CPU"]) == 1
    with pytest.raises(SystemExit):
        main(["no-such-verb"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ops", "nowhere"], "'nowhere'"),
        (["registrations", "--namespace", "nowhere"], "'nowhere'"),
        (["registrations", "nope"], "nope: operator must exist"),
        (["table", "aten::mm", "aten::nope"], "aten::nope"),
        (["table", "--svg", "aten::mm", "-o", "/nowhere/x.svg"], "/nowhere/x.svg: No such file"),
        (["table", "aten::mm", "-o", "/"], "/: Is a directory"),
        (["explain", "aten::relu"], "self must be given, got nothing"),
        (["explain", "aten::relu", "ones(2"], "argument 'ones(2': SyntaxError"),
        (["explain", "aten::relu", "nope(2)"], "argument 'nope(2)': NameError"),
        (["explain", "aten::relu", "exit(3)"], "argument 'exit(3)': SystemExit"),
        (["explain", "aten::relu", "ones(-2)"], "argument 'ones(-2)': aten::"),
        (["explain", "aten::relu", "self="], "argument 'self=': SyntaxError"),
        (["explain", "aten::relu", "self=ones(2)", "self=ones(2)"], "'self' must be given once"),
        (["explain", "aten::relu", "other=ones(2)"], "'other'"),
        (["simulate", "Nope"], '"Nope"'),
        (["simulate", "CPU", "--schema", "f("], "column 3"),
        (["profile", "nowhere.py"], "nowhere.py: script must exist"),
        (["profile", "/"], "ImportError"),
        (["profile", "-c", "x ="], "<command>:1: SyntaxError"),
        (["profile", "-c", "\n1/0"], "<command>:2: ZeroDivisionError"),
        (["profile", "-o", "/nowhere/x", "-c", "pass"], "/nowhere/x: No such file"),
        (["--load", "/nowhere/x.so", "keys"], "/nowhere/x.so"),
        (["--import", "no_such_module", "keys"], "--import no_such_module: ModuleNotFoundError"),
    ],
)
def test_errors_are_plain_sentences(capsys, arguments, says):
    assert main(arguments) == 1
    caught = capsys.readouterr()
    assert caught.out == "" and caught.err.startswith("tenon: ") and says in caught.err
    # errors in schemas show the schema
    assert len(caught.err.splitlines()) == (3 if "column" in says else 1)


def test_profiles_of_scripts_that_end_early(capsys, tmp_path):
    (tmp_path / "beside.py").write_text("import tenon\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import beside, sys\n"
        "beside.tenon.ones(2)\n"
        "sys.exit(3) if sys.argv[1:] == ['--leave'] else int('x')\n"
    )
    path, argv = sys.path[:], sys.argv
    with pytest.raises(SystemExit) as left:
        main(["profile", str(script), "--leave"])
    assert left.value.code == 3 and "call aten::ones" in capsys.readouterr().out
    assert main(["profile", str(script)]) == 1
    caught = capsys.readouterr()
    assert "call aten::ones" in caught.out
    assert caught.err.startswith(f"tenon: {script}:3: ValueError: invalid literal")
    assert len(caught.err.splitlines()) == 1
    assert (path, argv) == (sys.path, sys.argv)


def test_explain_takes_named_arguments(capsys):
    assert "aten::add.Tensor(" in said(
        capsys, "explain", "aten::add.Tensor", "ones(2)", "ones(2)", "alpha=2"
    )
    text = said(capsys, "explain", "aten::empty.memory_format", "[2]", 'device="meta"')
    assert "BackendSelect chooses the backend of the device meta" in text


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_readers_may_leave(reader):
    command = f"{sys.executable} -m tenon registrations | {reader}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""


def test_a_full_disk_is_said():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tenon", "keys"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "tenon: standard output: No space left on device\n"


def test_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "tenon", "simulate", "CPU"], capture_output=True, text=True
    )
    assert done.returncode == 0 and "fn_CPU [kernel]" in done.stdout, done.stderr


def test_explain_names_key_kernel_reason_and_next_key(library, ops):
    def backend(x, y):
        return x

    def autograd(x, y):
        return x

    library.define("f(Tensor x, Tensor[] y) -> Tensor")
    library.impl("f", backend, "CPU")
    library.impl("f", autograd, "Autograd")
    text = explain(ops.f, tenon.ones(1), [tenon.ones(1)])
    lines = text.splitlines()
    assert lines[0] == f"{library.ns}::f(Tensor x, Tensor[] y) -> Tensor"
    assert "  x has {AutocastCPU, ADInplaceOrView, CPU}" in text
    assert "  y[0] has" in text
    assert "the highest key is AutogradCPU" in text and "autograd (Python" in text
    assert "because AutogradCPU has no kernel of its own, and the alias Autograd serves it" in text
    assert "below it, CPU:" in text and "backend (Python" in text
    assert f"at {__file__}:{backend.__code__.co_firstlineno})" in text
    assert "excludes {AutocastMeta" in text
    with tenon.library.ExcludeDispatchKeyGuard("Autograd"):
        excluded = explain(f"{library.ns}::f", tenon.ones(1), [])
    assert "the highest key is CPU" in excluded and "nothing is below" in excluded


def test_explain_says_why_a_call_fails(library, ops):
    library.define("f(Tensor[] x) -> Tensor")
    library.impl("f", lambda x: x[0], "CPU")
    meta = explain(ops.f, [tenon.empty(1, device="meta")])
    assert "the highest key is Meta, which has no kernel: the call fails" in meta
    assert "kernels of" in meta and "CPU" in meta.splitlines()[-1]
    assert "no key is left (no tensor brings one)" in explain(ops.f, [])
    with pytest.raises(TypeError):
        explain(ops.f, 3)
    with pytest.raises(LookupError):
        explain("no::such")
    with pytest.raises(ValueError, match=r"aten::add.*'Tensor'"):
        explain(tenon.ops.aten.add, tenon.ones(1), tenon.ones(1))


def test_explain_names_who_overrides(library, ops):
    class Stand:
        @classmethod
        def __torch_function__(cls, op, types, args, kwargs):
            pytest.fail("asked")

    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x, "CPU")
    text = explain(ops.f, Stand())
    assert "  x, an object of " in text and "Stand, has {Override}" in text
    assert "the highest key is Override: run_overrides" in text
    assert "it calls these handlers in order until one accepts the call: the types " in text


def test_explain_factories_and_views():
    text = explain("aten::empty.memory_format", [2], device="cpu")
    assert "no argument can be a tensor: BackendSelect chooses the backend of the device" in text
    assert "the highest key is CPU" in text
    shipped = explain("aten::add.Tensor", tenon.ones(1), tenon.ones(1))
    place = "(C++ at kernels/ops/arithmetic/add.h:"
    assert place in shipped, "places in the repository, not on some machine"


def test_explain_makes_no_call(library, ops):
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: pytest.fail("called"), "CPU")
    assert "CPU" in explain(ops.f, tenon.ones(1))


# The tables that PyTorch's PythonDispatcher computes for the same keys.
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["CompositeImplicitAutograd"], {"CPU": "math", "AutogradCPU": "math"}),
        (["CPU", "CompositeImplicitAutograd"], {"CPU": "kernel", "AutogradCPU": "backend"}),
        (["CPU", "Autograd"], {"CPU": "kernel", "AutogradCPU": "autograd", "CUDA": None}),
        (["CPU", "CompositeExplicitAutograd"], {"CUDA": "default", "AutogradCUDA": "backend"}),
    ],
)
def test_simulator_tables(keys, expected):
    simulator = Simulator("imagined(Tensor x) -> Tensor")
    table = simulator.register(keys).table()
    for key, provenance in expected.items():
        found = table[key].provenance.partition(" ")[0] if key in table else None
        assert found == provenance, key
    assert all(f"fn_{key}" in simulator.registrations() for key in keys)
    assert "fallback" not in simulator.dispatch_table()
    assert "[backend fallback]" in simulator.raw_dispatch_table()
    assert "simulated::imagined(Tensor x) -> Tensor" in simulator.raw_registrations()
    assert "simulated::imagined" not in introspect.operators() + introspect.dangling()


def test_simulator_errors():
    simulator = Simulator().register(["CPU"])
    assert repr(simulator) == "Simulator('f(Tensor x) -> Tensor') with kernels for CPU"
    before = simulator.raw_registrations()
    with pytest.raises(ValueError, match="CPU twice"):
        simulator.register(["CPU"])
    with pytest.raises(ValueError, match="both"):
        simulator.register(["CompositeImplicitAutograd", "CompositeExplicitAutograd"])
    with pytest.raises(LookupError, match="Nonsense"):
        simulator.register(["CUDA", "Nonsense"])
    with pytest.raises(TypeError):
        simulator.register(["CUDA", 3])
    with pytest.raises(LookupError, match="CUDA"):
        simulator.remove("CUDA")
    with pytest.raises(tenon.Error, match=r"f\(Tensor"):
        Simulator("f(Tensor")
    assert simulator.raw_registrations() == before
    assert set(Simulator.keys()) > {"CPU", "AutogradCPU", "Autograd", "BatchedDecomposition"}


def test_simulator_removes_skips_and_explains():
    simulator = Simulator().register(["CPU", "CompositeImplicitAutograd"])
    simulator.register(["AutogradCPU"], fallthrough=True)
    assert simulator.table()["AutogradCPU"].fallthrough
    both = tenon.library.DispatchKeySet("AutogradCPU", "CPU")
    text = simulator.explain(both)
    assert "skipped: AutogradCPU" in text and "the highest key is CPU: fn_CPU" in text
    simulator.remove("CPU")
    assert simulator.table()["CPU"].provenance == "math kernel"
    written = Simulator("f_(Tensor(a!) self) -> Tensor(a!)")
    assert not written.table()["ADInplaceOrView"].fallthrough
    assert Simulator().table()["ADInplaceOrView"].fallthrough


def test_simulators_leave_nothing():
    before = introspect.live_handles()
    assert "simulator" in before
    Simulator().register(["CPU", "Autograd"]).table()
    assert introspect.live_handles() == before


def test_table_picture(capsys, library, tmp_path):
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x, "CPU")
    library.impl("f", lambda x: x, "CompositeExplicitAutograd")
    root = xml.fromstring(table_svg([f"{library.ns}::f", "aten::mm"]))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert f"{library.ns}::f" in texts and "AutogradCPU" in texts and "math kernel" in texts
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert any(t.startswith("CPU: ") and t.endswith("[kernel]") and "<lambda>" in t for t in titles)
    assert any(t.startswith("Meta: ") and t.endswith("[default backend kernel]") for t in titles)
    path = tmp_path / "table.svg"
    assert said(capsys, "table", "--svg", "-o", path, "aten::mm") == ""
    assert xml.parse(path).getroot().tag == f"{SVG}svg"
    assert said(capsys, "table", "aten::mm").startswith("CPU: cpu::mm")


def test_profiles_have_times_and_a_picture(capsys, tmp_path):
    with introspect.profile(None) as events:
        tenon.ones(2, 3) @ tenon.ones(3, 2)
    times = [event.time for event in events]
    assert times == sorted(times) and times[0] >= 0 and times[-1] > times[0]
    assert all(event.end >= event.time for event in events)
    root = xml.fromstring(profile_svg(events))
    assert len(list(root.iter(f"{SVG}title"))) == len(events)
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    longest = max(range(len(events)), key=lambda number: events.events[number].duration)
    assert float(bars[longest].get("width")) == max(float(bar.get("width")) for bar in bars)
    assert xml.fromstring(profile_svg([])) is not None
    script = tmp_path / "script.py"
    script.write_text("import sys, tenon\ntenon.ones(int(sys.argv[1])).relu()\n")
    lines = said(capsys, "profile", script, "3").splitlines()
    assert "us  call aten::ones" in lines[0] and "aten::relu [CPU]" in lines[-1]
    assert "{CPU}" in lines[-1]
    assert lines[0].count(" us  ") == 2, "when it began, and how long it took"
    assert "<svg" in said(capsys, "profile", "--svg", "-c", "import tenon; tenon.ones(2)")


def test_config_of_a_package_that_is_not_installed():
    for get in (tenon.get_include, tenon.get_cmake_dir):
        with pytest.raises(tenon.NotFoundError, match=f"{get.__name__}: .* must exist"):
            get()
    with pytest.raises(SystemExit):
        main(["config", "--unknown"])
    assert main(["config"]) == 1 and main(["config", "--libs"]) == 1
