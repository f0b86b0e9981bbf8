# SPDX-License-Identifier: Apache-2.0
"""`import tenon.as_torch` and `tenon run`, each in a separate process."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import torch
import torch.nn.functional as F
from torch import nn
from torch.nested import nested_tensor
from torch.optim.rmsprop import RMSprop
from torch.nn.modules.activation import ReLU
from torch.utils.data import DataLoader, TensorDataset
from torch.autograd.grad_mode import no_grad

def main():
    torch.manual_seed(0)
    model = torch.compile(nn.Sequential(nn.Linear(2, 4), ReLU(), nn.Linear(4, 1)))
    optimizer = RMSprop(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(8, 2), torch.randn(8, 1))
    for x, y in DataLoader(data, 4, shuffle=True):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    with no_grad():
        print(sys.argv[1:], model(torch.ones(1, 2)).shape, torch.float32)

if __name__ == "__main__":
    main()
"""


def run(*arguments, code=None, cwd=None):
    command = [sys.executable, *(["-c", code] if code else []), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120)
    return done.returncode, done.stdout, done.stderr


def lines(code):
    status, out, err = run(code="import tenon.as_torch, torch\n" + code)
    assert status == 0, err
    return out.splitlines()


def test_a_program_runs_as_a_file_and_as_a_module(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    expected = "['a', '-b'] torch.Size([1, 1]) torch.float32\n"
    for arguments in (["program.py"], ["-m", "program"]):
        status, out, err = run("-m", "tenon", "run", *arguments, "a", "-b", cwd=tmp_path)
        assert (status, out) == (0, expected), err
    status, out, err = run("-m", "tenon", "run", "--report", "program.py", cwd=tmp_path)
    assert "absent names touched: 1" in err and "torch.nested.nested_tensor: Tenon has no" in err
    assert "mentioned at program.py:6" in err


def test_errors_of_a_program_are_its_own(tmp_path):
    (tmp_path / "program.py").write_text("import torch\nraise ValueError(torch.ones(1).item())\n")
    status, _, err = run("-m", "tenon", "run", "program.py", cwd=tmp_path)
    assert status == 1 and err.endswith("ValueError: 1.0\n") and 'program.py", line 2' in err
    status, _, err = run("-m", "tenon", "run", "none.py", cwd=tmp_path)
    assert status == 1 and err == "tenon: none.py: program must exist, got none\n"
    assert run("-m", "tenon", "run", "--help")[0] == 0


def test_absent_names_raise_when_they_are_used():
    out = lines(
        "from torch.nested import nested_tensor\n"
        "from torch.optim import SparseAdam\n"
        "class Mine(SparseAdam): pass\n"
        "print(isinstance(3, SparseAdam), hasattr(torch, 'quint8'), {torch.quint8: 1} != {})\n"
        "for f in (lambda: nested_tensor([1]), lambda: SparseAdam(3), lambda: Mine(3),\n"
        "          lambda: torch.quint8.itemsize):\n"
        "    try: f()\n"
        "    except NotImplementedError as e: print(e)\n"
    )
    assert out[0] == "False True True"
    place = "; see docs/status.md"
    assert out[1:] == [
        f"torch.nested.nested_tensor: Tenon has no nested tensors{place}",
        f"torch.optim.SparseAdam: Tenon lacks it{place}",
        f"torch.optim.SparseAdam: Tenon lacks it{place}",
        f"torch.quint8: Tenon has no quantized tensors{place}",
    ]


def test_probes_for_other_names_fail_as_usual():
    out = lines(
        "import importlib.util, importlib.metadata\n"
        "print(hasattr(torch, '_nothing'), hasattr(torch, 'nothing'), hasattr(torch._C, '_cuda'))\n"
        "print(importlib.util.find_spec('torch.nothing'), importlib.metadata.version('torch'))\n"
        "v = torch.__version__; print(v >= '2.0', v < (3, 0), v > '2.9.1')\n"
        "try: import torch._nothing\n"
        "except ModuleNotFoundError as e: print(e)\n"
        "import torch.utils._pytree as p; print(p.tree_map(abs, [-1, (2,)]))\n"
        "print(torch._foreach_add([torch.ones(1)], 1)[0].item(), torch.torch if 0 else '')\n"
    )
    version = out[1].split()[1]
    assert out[0] == "False False False" and out[1].startswith("None 2.")
    assert out[2:] == ["True True True", "No module named 'torch._nothing'", "[1, (2,)]", "2.0 "]
    assert lines("print(torch.__version__, torch.version.__version__)") == [f"{version} {version}"]


def test_facts_about_the_host():
    out = lines(
        "import tenon\n"
        "print(torch.cuda.is_available() == tenon.device('cuda').type_code * 0,\n"
        "      torch.backends.mps.is_available(), torch.distributed.is_available(),\n"
        "      torch.xpu.is_available(), torch.compiler.is_compiling(), torch.jit.is_scripting())\n"
        "f = lambda: 3\n"
        "torch.backends.cudnn.benchmark = True\n"
        "print(torch.backends.cudnn.benchmark, torch.jit.script(f) is f, torch.compile(f) is f,\n"
        "      torch.compile(mode='x')(f) is f, torch.jit.unused(f) is f,\n"
        "      torch.jit.ignore()(f) is f,\n"
        "      torch.compiler.disable(f) is f, torch.compiler.disable(recursive=False)(f) is f)\n"
    )
    assert out[0].split()[1:] == ["False"] * 5 and out[1] == " ".join(["True"] * 8)


def test_replaced_functions_are_replaced_in_tenon():
    out = lines(
        "torch.nn.init.kaiming_uniform_ = lambda t, **k: t.data.zero_()\n"
        "print(torch.nn.Linear(2, 2).weight.tolist())\n"
    )
    assert out == ["[[0.0, 0.0], [0.0, 0.0]]"]


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_children_have_it_too(tmp_path, method):
    (tmp_path / "program.py").write_text(
        "import multiprocessing, sys\nimport torch\n"
        "def work(queue): queue.put(torch.ones(3).sum().item())\n"
        "if __name__ == '__main__':\n"
        f"    context = multiprocessing.get_context('{method}')\n"
        "    queue = context.Queue()\n"
        "    child = context.Process(target=work, args=(queue,))\n"
        "    child.start(); print(queue.get(timeout=60)); child.join()\n"
    )
    status, out, err = run("-m", "tenon", "run", "program.py", cwd=tmp_path)
    assert (status, out) == (0, "3.0\n"), err


def test_pytorch_that_is_imported_already_is_refused():
    code = (
        "import sys, types\nsys.modules['torch'] = types.ModuleType('torch')\nimport tenon.as_torch"
    )
    status, _, err = run(code=code)
    assert status == 1
    assert "as_torch: torch must not be imported yet, got PyTorch of unknown version" in err


def test_nothing_is_loaded_without_it():
    code = "import tenon, sys; print([n for n in sys.modules if 'as_torch' in n or n == 'torch'])"
    assert run(code=code)[1] == "[]\n"


def test_the_table_of_names_is_current():
    script = pathlib.Path(__file__).parents[1] / "tools/torch_table.py"
    status, out, err = run(str(script), "--check")
    assert status == 0, out + err
