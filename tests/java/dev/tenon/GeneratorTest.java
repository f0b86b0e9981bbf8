// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Generators: numbers, states, and generators as arguments of calls and kernels. */
class GeneratorTest {
  // The seed that the authors of mt19937 publish numbers for, and the first numbers.
  private static final long SEED = 5489;
  private static final int[] FIRST =
      Arrays.stream(new long[] {3499211612L, 581869302L, 3890346734L, 3586334585L})
          .mapToInt(number -> (int) number)
          .toArray();

  private Scope scope;
  private Library lib;
  private Generator generator;

  @BeforeEach
  void open() {
    scope = Scope.open();
    lib = Support.library();
    generator = Generator.onCpu(SEED);
  }

  @AfterEach
  void close() {
    lib.close();
    scope.close();
  }

  private static int next(Generator generator) {
    int[] one = new int[1];
    generator.random(one);
    return one[0];
  }

  /** Converts 32 bits as `aten::uniform_` does: the low 24 bits as a fraction. */
  private static float fraction(int bits) {
    return (bits & 0xffffff) / 16777216f;
  }

  private static float[] fractions(int count) {
    float[] all = new float[count];
    for (int i = 0; i < count; i++) {
      all[i] = fraction(FIRST[i]);
    }
    return all;
  }

  @Test
  void random_isMt19937() {
    int[] numbers = new int[4];
    generator.random(numbers);
    assertArrayEquals(FIRST, numbers);
    int[] more = new int[9996];
    generator.random(more);
    // the ten thousandth number, as the C++ standard states it
    assertEquals((int) 4123659995L, more[9995]);
    generator.random(new int[0]);
    assertEquals(Device.CPU, generator.device());
    assertEquals(SEED, generator.initialSeed());
    assertEquals("Generator(cpu, seed 5489)", generator.toString());
  }

  @Test
  void seed_beginsItsSequenceAnew() {
    Generator other = Generator.on(Device.CPU, -1);
    assertEquals(-1, other.initialSeed());
    assertEquals("Generator(cpu, seed 18446744073709551615)", other.toString());
    next(other);
    assertSame(other, other.seed(SEED));
    assertEquals(FIRST[0], next(other));
  }

  @Test
  void normal_comesInPairsAndTheSecondWaits() {
    double[] pair = new double[2];
    generator.normal(pair);
    Generator halves = Generator.onCpu(SEED);
    for (double expected : pair) {
      double[] one = new double[1];
      halves.normal(one);
      assertEquals(expected, one[0]);
    }
    // The Box-Muller transform of two uniform numbers with 53 bits.
    double[] u = new double[2];
    for (int i = 0; i < 2; i++) {
      long bits = (long) FIRST[2 * i] << 32 | FIRST[2 * i + 1] & 0xffffffffL;
      u[i] = (bits & (1L << 53) - 1) * 0x1p-53;
    }
    double radius = Math.sqrt(-2 * Math.log1p(-u[1]));
    assertEquals(radius * Math.cos(2 * Math.PI * u[0]), pair[0], 1e-14);
    assertEquals(radius * Math.sin(2 * Math.PI * u[0]), pair[1], 1e-14);
  }

  @Test
  void state_bringsBackTheNumbersThatFollowed() {
    // the second sample of a pair is kept, and is part of the state
    generator.normal(new double[1]);
    byte[] state = generator.state();
    double[] expected = new double[3];
    generator.normal(expected);
    Generator other = Generator.onCpu(1);
    other.setState(state);
    double[] got = new double[3];
    other.normal(got);
    assertArrayEquals(expected, got);
    assertEquals(SEED, other.initialSeed());
  }

  @Test
  void setState_ofOtherBytes_changesNothing() {
    byte[] state = generator.state();
    byte[] ones = new byte[state.length];
    Arrays.fill(ones, (byte) -1);
    for (byte[] bad :
        new byte[][] {{}, {1, 2, 3}, Arrays.copyOf(state, state.length - 1), ones}) {
      Support.fails(
          ErrorCode.INVALID_ARGUMENT,
          () -> generator.setState(bad),
          "tenon_generator_set_state: state",
          "must",
          "got");
    }
    assertThrows(NullPointerException.class, () -> generator.setState(null));
    assertEquals(FIRST[0], next(generator));
  }

  @Test
  void deviceWithoutGenerators_isNamed() {
    for (Device device : new Device[] {Device.META, Device.of("cuda:0")}) {
      TenonException e =
          assertThrows(TenonException.class, () -> Generator.on(device, 1), device.toString());
      Support.contains(e.getMessage(), device.typeName());
      e = assertThrows(TenonException.class, () -> Generator.getDefault(device));
      Support.contains(e.getMessage(), device.typeName());
    }
  }

  @Test
  void manualSeed_seedsTheDefaultOfTheDevice() {
    Generator ours = Generator.getDefault(Device.CPU);
    Tenon.manualSeed(SEED);
    assertEquals(SEED, ours.initialSeed());
    assertEquals(FIRST[0], next(ours));
    assertTrue(ours.isSame(Generator.getDefault(Device.CPU)));
    assertFalse(ours.isSame(generator));
  }

  @Test
  void randomOperators_drawFromTheGeneratorTheyAreGiven() {
    Tensor x = Tensor.zeros(DType.FLOAT32, 3);
    assertSame(x, x.uniform(0, 1, generator));
    assertArrayEquals(fractions(3), x.toFloatArray());
    assertEquals(FIRST[3], next(generator));

    generator.seed(SEED);
    assertArrayEquals(fractions(3), generator.rand(DType.FLOAT32, 3).toFloatArray());
    Tenon.manualSeed(SEED);
    assertArrayEquals(fractions(3), x.fill(0).uniform(0, 1, null).toFloatArray());

    double[] samples = new double[4];
    Generator.onCpu(SEED).normal(samples);
    Tensor drawn = generator.seed(SEED).randn(DType.FLOAT64, 4);
    assertArrayEquals(samples, drawn.toDoubleArray());
    drawn.normal(10, 2, generator.seed(SEED));
    assertArrayEquals(
        Arrays.stream(samples).map(sample -> sample * 2 + 10).toArray(), drawn.toDoubleArray());
  }

  @Test
  void randomOperators_refuseOtherArguments() {
    Op uniform = Operators.find("aten::uniform_");
    Tensor x = Tensor.zeros(DType.FLOAT32, 3);
    Support.fails(
        ErrorCode.TYPE,
        () -> uniform.with("generator", 3).call(x),
        "aten::uniform_: generator must be Generator?, got int");
    Support.fails(
        ErrorCode.NOT_SUPPORTED,
        () -> Tensor.zeros(DType.INT64, 3).uniform(0, 1, generator),
        "uniform_",
        "int64");
  }

  @Test
  void kernels_takeAndGiveGenerators_directlyAndThroughC() {
    Support.plugin();
    Op draw = lib.define("draw(Generator g) -> int");
    lib.impl("draw", "default", args -> (long) next((Generator) args[0]));
    assertEquals((long) FIRST[0], draw.call(generator));

    Op pass = lib.define("pass(Generator? g=None) -> Generator?");
    lib.impl("pass", "default", args -> args[0]);
    Generator back = (Generator) pass.call(generator);
    assertTrue(back.isSame(generator));
    assertNotSame(generator, back);
    back.close();
    assertEquals(FIRST[1], next(generator)); // the caller's own stays open
    assertNull(pass.call());
    assertNull(pass.call((Object) null));

    Op any = lib.define("any(Any x) -> Any");
    Object[] seen = new Object[1];
    lib.impl(
        "any",
        "default",
        args -> {
          seen[0] = args[0];
          return args[0];
        });
    Op throughC = Operators.find("javatest::invoke_any");
    back = (Generator) throughC.call(any.name(), generator);
    assertTrue(back.isSame(generator));
    assertEquals(FIRST[2], next(back));
    assertTrue(((Generator) seen[0]).isClosed(), "an argument from C ends with the call");
    Generator[] kept = new Generator[1];
    Op keep = lib.define("keep(Any x) -> ()");
    lib.impl(
        "keep",
        "default",
        args -> {
          kept[0] = ((Generator) args[0]).retain().escape();
          return null;
        });
    keep.call(generator);
    generator.close();
    assertEquals(FIRST[3], next(kept[0]));
    kept[0].close();
  }

  @Test
  void kernel_drawsTheNumbersOfUniform() {
    Op fill = lib.define("fill(Tensor x, Generator? generator=None) -> Tensor");
    lib.impl(
        "fill",
        "CPU",
        args -> {
          Tensor x = (Tensor) args[0];
          Generator given = (Generator) args[1];
          int[] numbers = new int[(int) x.numel()];
          (given != null ? given : Generator.getDefault(x.device())).random(numbers);
          float[] floats = new float[numbers.length];
          for (int i = 0; i < floats.length; i++) {
            floats[i] = fraction(numbers[i]);
          }
          return Tensor.of(floats, x.sizes());
        });
    Tensor x = Tensor.zeros(DType.FLOAT32, 100);
    Tensor ours = fill.with("generator", generator).callTensor(x);
    x.uniform(0, 1, Generator.onCpu(SEED));
    assertTrue(ours.dataEquals(x));
    Tenon.manualSeed(SEED);
    assertTrue(fill.callTensor(x).dataEquals(x));
  }

  @Test
  void wrongOrClosedGenerators_areRefusedByOperatorAndArgument() {
    Op draw = lib.define("draw(Generator g) -> Generator");
    lib.impl("draw", "default", args -> args[0]);
    String expected = draw.name() + ": g must be ";
    Support.fails(ErrorCode.TYPE, () -> draw.call(3), expected + "Generator, got int");
    Support.fails(ErrorCode.TYPE, () -> draw.call((Object) null), expected + "Generator, got None");
    Generator closed = Generator.onCpu(1);
    closed.close();
    closed.close();
    IllegalStateException e = assertThrows(IllegalStateException.class, () -> draw.call(closed));
    assertEquals(expected + "an open Generator, got a closed one", e.getMessage());
    e = assertThrows(IllegalStateException.class, closed::state);
    Support.contains(e.getMessage(), "Generator: must be open, got a closed one");
    assertThrows(IllegalStateException.class, () -> closed.random(new int[1]));
    assertThrows(IllegalStateException.class, closed::device);
    assertThrows(IllegalStateException.class, closed::retain);
    assertSame(closed, closed.escape());
    assertEquals("Generator(closed)", closed.toString());
  }

  @Test
  void threads_drawWholePiecesOfOneSequence() throws Exception {
    int threads = 4;
    int each = 1000;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    IntStream drawn = IntStream.empty();
    try {
      List<Future<int[]>> futures = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        futures.add(
            executor.submit(() -> IntStream.range(0, each).map(n -> next(generator)).toArray()));
      }
      for (Future<int[]> future : futures) {
        drawn = IntStream.concat(drawn, Arrays.stream(future.get()));
      }
    } finally {
      executor.shutdown();
    }
    int[] expected = new int[threads * each];
    Generator.onCpu(SEED).random(expected);
    assertArrayEquals(Arrays.stream(expected).sorted().toArray(), drawn.sorted().toArray());
  }

  @Test
  void leavesNothing() throws Throwable {
    Support.plugin();
    Op pass = lib.define("pass(Generator g) -> Generator");
    lib.impl("pass", "default", args -> args[0]);
    Op fresh = lib.define("fresh() -> Generator");
    lib.impl("fresh", "default", args -> Generator.onCpu(2));
    Op throughC = Operators.find("javatest::invoke_any");
    Op any = lib.define("any(Any x) -> Any");
    lib.impl("any", "default", args -> args[0]);
    Generator.getDefault(Device.CPU);
    Support.leavesNothing(
        () -> {
          try (Scope inner = Scope.open()) {
            Generator mine = Generator.onCpu(1);
            pass.call(mine);
            fresh.call();
            throughC.call(any.name(), mine);
            mine.retain();
            Generator.getDefault(Device.CPU);
            assertThrows(TenonException.class, () -> Generator.on(Device.META, 1));
            assertThrows(TenonException.class, () -> pass.call(3));
            try (Generator kept = mine.retain().escape()) {
              kept.state();
            }
          }
        });
    Support.leavesNothingAfterCollection(
        () -> {
          for (int i = 0; i < 20; i++) {
            Generator.onCpu(i).escape();
          }
        });
  }
}
