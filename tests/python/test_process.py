# SPDX-License-Identifier: Apache-2.0
"""Tests that need a separate process: import, exit, threads, unsupported interpreters."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import textwrap

import pytest
import tenon


def run(code: str, *options: str, **env: str) -> subprocess.CompletedProcess:
    """Runs code in a new interpreter."""
    return subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **env},
    )


def good(code: str, *options: str, **env: str) -> str:
    done = run(code, *options, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_no_numpy_and_few_modules():
    out = good(
        """
        import sys
        before = set(sys.modules)
        import tenon
        tenon.Schema.parse("ns::f() -> ()")
        print(" ".join(sorted(set(sys.modules) - before)))
        """
    )
    loaded = set(out.split())
    assert not loaded & {"numpy", "typing", "dataclasses", "inspect", "re", "ctypes"}, loaded


def test_import_as_torch():
    out = good(
        """
        import tenon as torch
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
        print((x @ x).sum().item(), torch.float, torch.bool, torch.device("cpu"))
        """
    )
    assert out.split() == ["54.0", "tenon.float32", "tenon.bool", "cpu"]


def test_exit_with_everything_alive():
    out = good(
        """
        import tenon
        library = tenon.library.Library("alive", "DEF")
        library.define("a(Tensor x) -> Tensor")
        library.impl("a", lambda x: (library, x)[1], "CPU")
        t = tenon.ones(2)
        t.self = t
        capsule = t.__dlpack__()
        kept = [tenon.ops.alive.a(t), tenon.from_dlpack(tenon.ones(3))]
        try:
            tenon.ops.alive.a(1)
        except TypeError as failure:
            error = failure
        print("end")
        """
    )
    assert out == "end\n"


def test_exit_while_another_thread_runs_a_kernel():
    out = good(
        """
        import threading, time, tenon
        library = tenon.library.Library("busy", "DEF")
        library.define("a(Tensor x) -> Tensor")
        started = threading.Event()
        def kernel(x):
            started.set()
            while True:
                time.sleep(0.001)
        library.impl("a", kernel, "CPU")
        threading.Thread(target=tenon.ops.busy.a, args=(tenon.ones(1),), daemon=True).start()
        started.wait()
        print("end")
        """
    )
    assert out == "end\n"


def test_exit_under_development_mode():
    done = run(
        """
        import tenon, gc
        class Mine(tenon.Tensor): pass
        for _ in range(100):
            t = tenon.ones(2).as_subclass(Mine)
            t.note = t
            c = t.__dlpack__()
            del t
            gc.collect()
        a = tenon.ones(3)
        a.x = 1
        """,
        "-X",
        "dev",
        PYTHONMALLOC="debug",
    )
    # SWIG before 4.4 makes types without a module, about which Python 3.13 warns.
    swig = re.compile(
        r".*DeprecationWarning: builtin type [Ss]wig\w+ has no __module__ attribute\n"
    )
    assert done.returncode == 0 and swig.sub("", done.stderr) == "", done.stderr


def test_threads_share_operators():
    out = good(
        """
        import threading, tenon
        library = tenon.library.Library("many", "DEF")
        library.define("a(Tensor x, int n) -> Tensor")
        library.impl("a", lambda x, n: x + n, "CPU")
        x = tenon.zeros(4)
        wrong = []
        def work(n):
            for _ in range(500):
                if tenon.ops.many.a(x, n).tolist() != [float(n)] * 4:
                    wrong.append(n)
                with tenon.library.Library(f"thread{n}", "DEF") as own:
                    own.define("b(Tensor x) -> Tensor")
                    own.impl("b", lambda x: x, "CPU")
                    if getattr(tenon.ops, f"thread{n}").b(x) is not x:
                        wrong.append(-n)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        print(wrong)
        """
    )
    assert out == "[]\n"


def test_thousands_of_short_threads_call_and_register():
    out = good(
        """
        import threading, tenon
        from tenon.library import IncludeDispatchKeyGuard, Library, included_keys
        library = Library("crowd", "DEF")
        library.define("a(Tensor x) -> Tensor")
        library.impl("a", lambda x: x, "CPU")
        wrong = []
        def work(n):
            t = tenon.ones(1)
            # The guard is never left: the thread's keys go with it.
            guard = IncludeDispatchKeyGuard("Tracer")
            guard.__enter__()
            if tenon.ops.crowd.a(t) is not t or (t + t).item() != 2:
                wrong.append(n)
            if n % 4 == 0:
                with Library("crowd", "FRAGMENT") as own:
                    own.impl("a", lambda x: x, "CPU", allow_override=True)
                    if tenon.ops.crowd.a(t) is not t:
                        wrong.append(-n)
        for first in range(0, 2000, 20):
            threads = [threading.Thread(target=work, args=(first + n,)) for n in range(20)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
        kept = []
        last = threading.Thread(target=lambda: kept.append(included_keys()))
        last.start()
        last.join()
        print(wrong, kept[0].has("Tracer"))
        """
    )
    assert out == "[] False\n"


def test_threads_that_python_did_not_start():
    """C threads run Python kernels; each keeps its Python thread state until it ends."""
    out = good(
        """
        import ctypes, threading, tenon
        libc = ctypes.CDLL(None)
        library = tenon.library.Library("foreign", "DEF")
        library.define("a(Tensor x) -> int")
        idents = set()
        library.impl("a", lambda keys, x: idents.add(threading.get_ident()) or 7, "CPU",
                     with_keyset=True)
        op, x = tenon.ops.foreign.a, tenon.ones(1)
        START = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
        results = []
        @START
        def start(_):
            results.append(op(x))
            return None
        for _ in range(20):
            thread = ctypes.c_ulong()
            libc.pthread_create(ctypes.byref(thread), None, start, None)
            libc.pthread_join(thread, None)
        print(len(results), set(results))
        """
    )
    assert out == "20 {7}\n"


def test_subinterpreters_are_refused_clearly():
    code = """
        import tenon
        try:
            import _xxsubinterpreters as sub
        except ImportError:
            import _interpreters as sub
        try:
            name = sub.create()
        except Exception:
            name = sub.create("legacy")
        try:
            result = sub.run_string(name, "import tenon")
            print("refused" if result is not None else "accepted", result)
        except Exception as error:
            print("refused", error)
        """
    done = run(code)
    if "No module named" in done.stderr and "interp" in done.stderr:
        pytest.skip("this Python has no subinterpreter module")
    assert done.stdout.startswith("refused"), done.stdout + done.stderr
    assert "main one" in done.stdout or "subinterpreter" in done.stdout, done.stdout


def test_a_package_built_for_another_python_says_so(tmp_path):
    source = pathlib.Path(tenon.__file__).parent
    package = tmp_path / "tenon"
    package.mkdir()
    for path in source.glob("*.py"):
        shutil.copy(path, package / path.name)
    wanted = sysconfig.get_config_var("EXT_SUFFIX")
    begin = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
    done = run(begin + "import tenon")
    expected = f"ImportError: tenon: the package must be built for this Python, as _tenon{wanted}"
    remedy = "run ./dev build in the source tree, or pip install its bindings/python"
    assert f"{expected}, got no extension at all; {remedy}" in done.stderr
    (package / "_tenon.cpython-27-other.so").touch()
    done = run(begin + "import tenon")
    assert f"{expected}, got _tenon.cpython-27-other.so" in done.stderr
    done = run(
        begin + "import sysconfig as s; s.get_config_vars()['Py_GIL_DISABLED'] = 1; import tenon"
    )
    assert "must be a build with the GIL, got a free-threaded one" in done.stderr
    (package / f"_tenon{wanted}").write_text("no library")
    done = run(begin + "import tenon")
    assert f"the extension _tenon{wanted} must load, got: " in done.stderr


def test_reimport_makes_no_second_types():
    out = good(
        """
        import sys, tenon
        first = tenon.Tensor
        for name in [name for name in sys.modules if name.startswith("tenon")]:
            del sys.modules[name]
        import tenon as again
        print(again.Tensor is first, (again.ones(2) + 1).tolist())
        """
    )
    assert out == "True [2.0, 2.0]\n"


def test_without_numpy():
    out = good(
        """
        import sys
        sys.modules["numpy"] = None
        import tenon
        one = tenon.tensor([1], dtype=tenon.uint8)
        print(tenon.add(tenon.ones(2), 1).tolist(), bytes(memoryview(one)))
        try:
            tenon.ones(2).numpy()
        except ImportError as error:
            print("no numpy")
        """
    )
    assert out == "[2.0, 2.0] b'\\x01'\nno numpy\n"
