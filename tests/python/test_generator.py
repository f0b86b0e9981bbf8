# SPDX-License-Identifier: Apache-2.0
"""Random number generators: numbers, states, and generators as arguments of calls and kernels."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import subprocess
import sys
import threading
import weakref

import pytest
import tenon
from tenon import Generator

# The seed that the authors of mt19937 publish numbers for, and the first numbers.
SEED = 5489
FIRST = [3499211612, 581869302, 3890346734, 3586334585]


def fractions(numbers):
    """Returns what `aten::uniform_` makes of 32 bits: the low 24 as a fraction."""
    return [(number & 0xFFFFFF) / 2**24 for number in numbers]


def draw(generator, count=1):
    return tenon.rand(count, generator=generator).tolist()


@pytest.fixture
def default():
    """The default generator, whose state is restored after the test."""
    generator = tenon.default_generator()
    state = generator.get_state()
    yield generator
    generator.set_state(state)


def test_draws_the_numbers_of_mt19937():
    g = Generator(seed=SEED)
    assert draw(g, 4) == fractions(FIRST)
    g.manual_seed(SEED)
    # The ten thousandth number, as the C++ standard states it.
    assert draw(g, 10_000)[-1] == fractions([4123659995])[0]
    assert g.device == tenon.device("cpu")
    assert repr(g) == "Generator(cpu, seed 5489)"


def test_default_seed_is_pytorchs():
    assert Generator().initial_seed() == 67280421310721
    assert Generator("cpu", None).initial_seed() == 67280421310721
    assert Generator(tenon.device("cpu"), 3).initial_seed() == 3
    assert Generator(None, seed=3) != Generator(seed=3)
    # The default generator of a process that sets no seed starts with the same seed.
    program = "import tenon; print(tenon.default_generator().initial_seed())"
    printed = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    assert int(printed.stdout) == Generator().initial_seed()


def test_seeds_are_64_bits():
    g = Generator()
    assert g.manual_seed(SEED) is g and g.initial_seed() == SEED
    for seed, kept in ((2**64 - 1, 2**64 - 1), (-1, 2**64 - 1), (-(2**63), 2**63), (True, 1)):
        assert g.manual_seed(seed).initial_seed() == kept
    for seed in (2**64, -(2**63) - 1, 10**30):
        with pytest.raises(tenon.InvalidArgumentError, match=rf"seed must be .*, got {seed}"):
            g.manual_seed(seed)
    for seed in (1.0, "1", None, tenon.ones(1)):
        with pytest.raises(TypeError, match="Generator.manual_seed: seed must be int, got"):
            g.manual_seed(seed)
    assert g.initial_seed() == 1
    with pytest.raises(TypeError, match="Generator: seed must be int, got str"):
        Generator(seed="1")


def test_seed_cannot_be_foretold():
    g = Generator()
    seeds = {g.seed() for _ in range(5)}
    assert len(seeds) == 5 and g.initial_seed() in seeds
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_normal_samples_are_box_and_mullers():
    g = Generator(seed=SEED)
    first, second = tenon.randn(2, dtype=tenon.float64, generator=g).tolist()
    u = [((FIRST[i] << 32 | FIRST[i + 1]) & (2**53 - 1)) / 2**53 for i in (0, 2)]
    radius = math.sqrt(-2 * math.log1p(-u[1]))
    assert first == pytest.approx(radius * math.cos(2 * math.pi * u[0]), abs=1e-14)
    assert second == pytest.approx(radius * math.sin(2 * math.pi * u[0]), abs=1e-14)
    # The second sample of a pair is kept, and is part of the state.
    g.manual_seed(SEED)
    assert tenon.randn(1, dtype=tenon.float64, generator=g).item() == first
    other = Generator()
    other.set_state(g.get_state())
    assert tenon.randn(1, dtype=tenon.float64, generator=other).item() == second


def test_a_state_brings_back_the_numbers_that_followed():
    g = Generator(seed=SEED)
    draw(g, 700)  # past the first refill of the state
    state = g.get_state()
    expected = draw(g, 5)
    other = Generator()
    for kind in (bytes, bytearray, memoryview):
        other.set_state(kind(state))
        assert other.initial_seed() == SEED
        assert draw(other, 5) == expected


def test_bytes_that_are_no_state_change_nothing():
    g = Generator(seed=SEED)
    state = g.get_state()
    complaint = "tenon_generator_set_state: state .*must .*, got"
    for bad in (b"", b"no state", state[:-1], state + b"\0", b"\xff" * len(state)):
        with pytest.raises(tenon.InvalidArgumentError, match=complaint):
            g.set_state(bad)
    for bad in (None, "text", 3, [1, 2]):
        with pytest.raises(TypeError, match="Generator.set_state: state must be bytes, got"):
            g.set_state(bad)
    with pytest.raises(BufferError):
        g.set_state(memoryview(state)[::2])
    assert draw(g, 4) == fractions(FIRST)


def test_a_device_without_generators_is_named():
    for make in (Generator, tenon.default_generator):
        with pytest.raises(tenon.NotSupportedError, match="meta"):
            make("meta")
        with pytest.raises(TypeError, match="device must be device or str, got int"):
            make(3)


def test_manual_seed_seeds_the_default_generator(default):
    assert tenon.manual_seed(SEED) == default
    assert tenon.rand(4).tolist() == fractions(FIRST)
    tenon.manual_seed(SEED)
    assert draw(None, 4) == fractions(FIRST)
    assert tenon.manual_seed(-1).initial_seed() == 2**64 - 1
    assert tenon.default_generator("cpu") == tenon.default_generator() == default
    with pytest.raises(TypeError, match="manual_seed: seed must be int, got str"):
        tenon.manual_seed("1")


def test_random_operators_draw_from_the_generator_they_are_given():
    g = Generator(seed=SEED)
    x = tenon.zeros(4)
    assert x.uniform_(generator=g) is x
    assert x.tolist() == fractions(FIRST)
    assert x.uniform_(-1, 3, generator=g.manual_seed(SEED)).tolist() == [
        fraction * 4 - 1 for fraction in fractions(FIRST)
    ]
    y = tenon.randn(4, dtype=tenon.float64, generator=g.manual_seed(SEED))
    z = tenon.zeros(4, dtype=tenon.float64).normal_(10, 2, generator=g.manual_seed(SEED))
    assert z.tolist() == [sample * 2 + 10 for sample in y.tolist()]
    assert tenon.rand((2, 3), generator=g).shape == (2, 3)
    assert tenon.rand(2, 3, dtype=tenon.float16).dtype is tenon.float16
    assert tenon.randn([0], generator=None).tolist() == []


def test_random_operators_refuse_other_arguments():
    x = tenon.zeros(4)
    with pytest.raises(TypeError, match="aten::uniform_: generator must be Generator"):
        x.uniform_(generator=3)
    with pytest.raises(TypeError, match="generator"):
        tenon.rand(4, generator="cpu")
    with pytest.raises(tenon.Error, match="uniform_.*int64"):
        tenon.zeros(4, dtype=tenon.int64).uniform_()


def test_kernels_take_and_return_generators(library, ops):
    seen = []

    def kernel(g=None):
        seen.append(g)
        return g

    library.define("take(Generator g) -> Generator")
    library.define("maybe(Generator? g=None) -> Generator?")
    library.define("any(Any x) -> Any")
    library.define("many(Generator[] gs) -> Generator[]")
    for name in ("take", "maybe", "any", "many"):
        library.impl(name, kernel, "CompositeExplicitAutograd")
    g = Generator(seed=SEED)
    for op in (ops.take, ops.maybe, ops.any):
        assert op(g) == g and seen[-1] == g
    assert ops.take(g=g) == g
    assert ops.maybe() is None and seen[-1] is None
    assert ops.maybe(None) is None
    assert ops.any([g, 1]) == [g, 1]
    assert ops.many([g, g]) == [g, g]
    seen.clear()
    with pytest.raises(TypeError, match="take: g must be Generator, got int at"):
        ops.take(3)
    with pytest.raises(TypeError, match="take: g must be Generator, got None at"):
        ops.take(None)
    library.define("gives() -> Generator")
    library.impl("gives", lambda: "none", "CompositeExplicitAutograd")
    with pytest.raises(TypeError, match=r"gives.*Generator"):
        ops.gives()


def test_a_kernel_draws_the_numbers_of_uniform(library, ops, default):
    library.define("fill(Tensor x, Generator? generator=None) -> Tensor")
    library.impl("fill", lambda x, generator=None: tenon.rand(x.shape, generator=generator), "CPU")
    x = tenon.zeros(3, 100)
    ours = ops.fill(x, generator=Generator(seed=SEED))
    assert ours.tolist() == x.uniform_(generator=Generator(seed=SEED)).tolist()
    tenon.manual_seed(SEED)
    assert ops.fill(x).tolist() == ours.tolist()


def test_kernels_of_c_hand_generators_to_python():
    g = Generator(seed=SEED)
    seen = []

    def note(keys, op, *args, **kwargs):
        seen.append((op.name(), kwargs.get("generator")))
        return op.redispatch(keys.below("Tracer"), *args, **kwargs)

    with tenon.library._scoped_library("_", "IMPL") as wild:
        wild.fallback(note, "Tracer", with_keyset=True)
        with tenon.library.IncludeDispatchKeyGuard("Tracer"):
            drawn = tenon.rand(4, generator=g)
    assert drawn.tolist() == fractions(FIRST)
    assert ("aten::rand.generator", g) in seen, "Python's own call"
    assert ("aten::uniform_", g) in seen, "that of the kernel of rand"


def test_copies_are_generators_of_their_own():
    g = Generator(seed=SEED)
    draw(g, 2)
    copies = [copy.copy(g), copy.deepcopy(g)]
    copies += [pickle.loads(pickle.dumps(g, protocol)) for protocol in range(2, 6)]
    for one in copies:
        assert one != g and one.device == g.device and one.initial_seed() == SEED
        assert draw(one, 2) == fractions(FIRST[2:])
    assert draw(g, 2) == fractions(FIRST[2:])


def test_equal_objects_share_a_sequence(default):
    assert hash(tenon.default_generator()) == hash(default)
    assert len({tenon.default_generator(), default, Generator()}) == 2
    assert default != 3 and not default == None  # noqa: E711


def test_weak_references_and_no_subclasses():
    g = Generator()
    called = []
    ref = weakref.ref(g, lambda _: called.append(True))
    assert ref() is g
    del g
    gc.collect()
    assert ref() is None and called == [True]
    with pytest.raises(TypeError):
        type("Mine", (Generator,), {})
    with pytest.raises(TypeError):
        Generator("cpu", 1, 2)


def test_live_handles_count_them():
    before = tenon.introspect.live_handles()["generator"]
    generators = [Generator(seed=i) for i in range(3)]
    assert tenon.introspect.live_handles()["generator"] == before + 3
    del generators[1:]
    assert tenon.introspect.live_handles()["generator"] == before + 1


def test_threads_draw_whole_pieces_of_one_sequence():
    g = Generator(seed=SEED)
    pieces = []

    def work():
        pieces.extend(tuple(draw(g, 10)) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = draw(Generator(seed=SEED), 2000)
    assert sorted(pieces) == sorted(tuple(whole[i : i + 10]) for i in range(0, 2000, 10))


def test_children_of_a_fork_can_draw_though_a_thread_drew():
    """Runs in a separate process, because its threads must not be pytest's."""
    program = f"""
import os, signal, threading, tenon
shared = tenon.Generator(seed={SEED})
halt = threading.Event()
def keep_drawing():
    while not halt.is_set():
        tenon.rand(100_000, generator=shared)
thread = threading.Thread(target=keep_drawing)
thread.start()
failed = 0
for _ in range(20):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        tenon.manual_seed({SEED})
        expected = {fractions(FIRST)}
        drawn = [tenon.rand(4, generator=g).tolist() for g in (shared.manual_seed({SEED}), None)]
        os._exit(0 if drawn == [expected, expected] else 1)
    failed += os.waitpid(child, 0)[1] != 0
halt.set()
thread.join()
raise SystemExit(failed)
"""
    run = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    assert run.returncode == 0, run.stderr


# ---- Compared with PyTorch -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("count", [1, 15, 16, 17, 1000])
def test_rand_has_the_bits_of_pytorch(torch, dtype, count):
    ours = tenon.rand(count, dtype=getattr(tenon, dtype), generator=Generator(seed=7))
    theirs = torch.rand(
        count, dtype=getattr(torch, dtype), generator=torch.Generator().manual_seed(7)
    )
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("count", [1, 15, 16, 17, 1000])
def test_randn_has_the_samples_of_pytorch(torch, count):
    """Equal within a few units in the last place: PyTorch's vector functions round differently."""
    for dtype, tolerance in (("float64", 1e-14), ("float32", 2e-6)):
        ours = tenon.randn(count, dtype=getattr(tenon, dtype), generator=Generator(seed=7))
        theirs = torch.randn(
            count, dtype=getattr(torch, dtype), generator=torch.Generator().manual_seed(7)
        )
        assert ours.tolist() == pytest.approx(theirs.tolist(), rel=tolerance, abs=tolerance)


def test_the_default_generators_draw_alike(torch, default):
    state = torch.get_rng_state()
    try:
        torch.manual_seed(7)
        tenon.manual_seed(7)
        assert tenon.rand(100).tolist() == torch.rand(100).tolist()
    finally:
        torch.set_rng_state(state)


def test_states_carry_over_both_ways(torch):
    ours, theirs = Generator(seed=SEED), torch.Generator().manual_seed(SEED)
    for count in (1, 622, 1, 1, 700):
        torch.rand(count, generator=theirs)
        draw(ours, count)
        assert ours.get_state() == bytes(theirs.get_state().tolist())
    ours.manual_seed(SEED)
    tenon.randn(1, dtype=tenon.float64, generator=ours)  # the second sample of the pair is kept
    theirs.set_state(torch.tensor(list(ours.get_state()), dtype=torch.uint8))
    assert theirs.initial_seed() == SEED
    for _ in range(3):
        expected = torch.randn(1, dtype=torch.float64, generator=theirs).item()
        assert tenon.randn(1, dtype=tenon.float64, generator=ours).item() == pytest.approx(
            expected, rel=1e-14
        )
    ours.set_state(bytes(theirs.get_state().tolist()))
    assert draw(ours, 700) == torch.rand(700, generator=theirs).tolist()


def test_seeds_are_read_as_pytorch_reads_them(torch):
    for seed in (0, 1, -1, -(2**63), 2**63, 2**64 - 1, 67280421310721):
        theirs = torch.Generator().manual_seed(seed)
        ours = Generator().manual_seed(seed)
        assert ours.initial_seed() == theirs.initial_seed() % 2**64
        assert draw(ours, 3) == torch.rand(3, generator=theirs).tolist()
    assert Generator().initial_seed() == torch.Generator().initial_seed()
