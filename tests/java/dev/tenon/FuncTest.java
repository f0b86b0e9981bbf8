// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tenon.internal.TenonNative;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Transforms of functions: mapped, differentiated, nested in any order, and custom rules. */
class FuncTest {
  private Scope scope;

  @BeforeEach
  void open() {
    scope = Scope.open();
  }

  @AfterEach
  void leavesNoLayer() {
    scope.close();
    assertEquals(0, TenonNative.tenon_layer_copy_innermost());
  }

  private static Tensor vector(float... elements) {
    return Tensor.of(elements, elements.length);
  }

  private static Tensor matrix(long rows, float... elements) {
    return Tensor.of(elements, rows, elements.length / rows);
  }

  private static Tensor number(float value) {
    return vector(value).sum();
  }

  private static Tensor cube(Tensor... x) {
    return x[0].mul(x[0]).mul(x[0]);
  }

  private static void expect(Tensor tensor, long[] sizes, float... elements) {
    assertArrayEquals(sizes, tensor.sizes());
    assertArrayEquals(elements, tensor.contiguous().toFloatArray(), 1e-4f);
  }

  private static long[] sizes(long... sizes) {
    return sizes;
  }

  private static void fails(ErrorCode code, String part, Executable body) {
    TenonException thrown = assertThrows(TenonException.class, body);
    assertEquals(code, thrown.errorCode());
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }

  // ---- vmap -----------------------------------------------------------------------------------

  @Test
  void vmap_mapsAFunctionOfOne() {
    // [quote.begin vmap]
    TensorFunction dot = a -> a[0].mul(a[1]).sum();
    Tensor x = matrix(2, 1, 2, 3, 4);
    Tensor y = vector(10, 1);
    TensorFunction byRows = Func.vmap(dot, VmapOptions.of().inDims(0, null));
    expect(byRows.call(x, y), sizes(2), 12, 34);
    TensorFunction byColumns = Func.vmap(dot, VmapOptions.of().inDims(1, null));
    expect(byColumns.call(x, y), sizes(2), 13, 24);
    // [quote.end]
  }

  @Test
  void vmap_oneDimIsForAll() {
    TensorFunction both = a -> new Tensor[] {a[0].add(a[1]), a[0].mul(a[1])};
    Tensor x = matrix(2, 1, 2, 3, 4);
    Tensor[] found = Func.vmap(both, VmapOptions.of().inDims(1).outDims(-1)).callAll(x, x);
    expect(found[0], sizes(2, 2), 2, 4, 6, 8);
    expect(found[1], sizes(2, 2), 1, 4, 9, 16);
  }

  @Test
  void vmap_inChunksAndWithRandomness() {
    AtomicInteger calls = new AtomicInteger();
    TensorFunction counted =
        x -> {
          calls.incrementAndGet();
          return x[0].mul(x[0]);
        };
    Tensor x = vector(1, 2, 3);
    expect(Func.vmap(counted, VmapOptions.of().chunkSize(2)).call(x), sizes(3), 1, 4, 9);
    assertEquals(2, calls.get());
    TensorFunction noise = a -> a[0].mul(0).add(Aten.rand());
    assertThrows(TenonException.class, () -> Func.vmap(noise).call(x));
    float[] same = drawn(noise, VmapOptions.Randomness.SAME).toFloatArray();
    assertEquals(same[0], same[2]);
    float[] different = drawn(noise, VmapOptions.Randomness.DIFFERENT).toFloatArray();
    assertNotEquals(different[0], different[2]);
  }

  private static Tensor drawn(TensorFunction noise, VmapOptions.Randomness randomness) {
    return Func.vmap(noise, VmapOptions.of().randomness(randomness)).call(vector(1, 2, 3));
  }

  @Test
  void vmap_badDimsAreNamed() {
    Tensor x = vector(1, 2);
    ErrorCode wrong = ErrorCode.INVALID_ARGUMENT;
    TensorFunction twoDims = Func.vmap(FuncTest::cube, VmapOptions.of().inDims(0, 0));
    fails(
        wrong,
        "vmap: number of in_dims must be that of the arguments, 1, got 2",
        () -> twoDims.call(x));
    TensorFunction named = Func.vmap(FuncTest::cube, VmapOptions.of().inDims(1).name("f"));
    fails(wrong, "f: in_dims must be a dim of argument 0", () -> named.call(x));
    fails(wrong, "result 0 must be a tensor, got int", () -> Func.vmap(a -> 1L).call(x));
    fails(wrong, "chunk_size", () -> Func.vmap(a -> a[0], VmapOptions.of().chunkSize(-1)).call(x));
  }

  // ---- Derivatives ----------------------------------------------------------------------------

  @Test
  void grad_ofTheArgumentsNamed() {
    expect(Func.grad(x -> cube(x).sum()).call(vector(1, 2, -3)), sizes(3), 3, 12, 27);
    TensorFunction loss = a -> a[0].mul(a[1].mul(a[1])).sum();
    Tensor w = vector(1, 2);
    Tensor x = vector(3, 4);
    Tensor[] all = Func.gradAndValue(loss, 1, 0).callAll(w, x);
    expect(all[0], sizes(2), 6, 16);
    expect(all[1], sizes(2), 9, 16);
    expect(all[2], sizes(), 41);
    expect(Func.grad(loss, 1).call(w, x), sizes(2), 6, 16);
    fails(
        ErrorCode.INVALID_ARGUMENT,
        "places of the 2 arguments, got 2",
        () -> Func.grad(loss, 2).call(w, x));
    fails(
        ErrorCode.STATE,
        "output's sizes [2], got none",
        () -> Func.grad(FuncTest::cube).call(w));
  }

  @Test
  void vjp_runsAsOftenAsWanted() {
    Pullback pullback = Func.vjp(FuncTest::cube, vector(1, 2));
    expect(pullback.value(), sizes(2), 1, 8);
    expect(pullback.call(vector(1, 1))[0], sizes(2), 3, 12);
    expect(pullback.call(vector(0, 2))[0], sizes(2), 0, 24);
    pullback.close();
    assertThrows(IllegalStateException.class, () -> pullback.call(vector(1, 1)));
  }

  @Test
  void pullback_escapesItsScope() {
    Pullback pullback;
    try (Scope inner = Scope.open()) {
      pullback = Func.vjp(FuncTest::cube, vector(1, 2)).escape();
    }
    expect(pullback.call(vector(1, 1))[0], sizes(2), 3, 12);
    pullback.close();
  }

  @Test
  void jvp_givesValueAndDerivative() {
    TensorFunction both = a -> new Tensor[] {a[0].mul(a[1]), a[0].neg()};
    Tensor[] primals = {number(2), number(3)};
    Func.Derivative found = Func.jvp(both, primals, new Tensor[] {number(1), number(10)});
    expect(found.value(), sizes(), 6);
    expect(found.tangent(), sizes(), 23);
    expect(found.tangents()[1], sizes(), -1);
    fails(
        ErrorCode.INVALID_ARGUMENT,
        "tangents must be 2 like the primals, got 1",
        () -> Func.jvp(both, primals, new Tensor[] {number(1)}));
  }

  @Test
  void jacobians_areTheSameBothWays() {
    // f(x, y) = (x^2 * y, y.sum()).
    TensorFunction f = a -> new Tensor[] {a[0].mul(a[0]).mul(a[1]), a[1].sum()};
    Tensor x = vector(1, 2);
    Tensor y = vector(3, 4);
    VmapOptions inChunks = VmapOptions.of().chunkSize(2);
    for (TensorFunction jacobian :
        List.of(
            Func.jacrev(f, 0, 1),
            Func.jacfwd(f, 0, 1),
            Func.jacrev(f, inChunks, 0, 1),
            Func.jacfwd(f, inChunks, 0, 1))) {
      Tensor[] blocks = jacobian.callAll(x, y);
      expect(blocks[0], sizes(2, 2), 6, 0, 0, 16);
      expect(blocks[1], sizes(2, 2), 1, 0, 0, 4);
      expect(blocks[2], sizes(2), 0, 0);
      expect(blocks[3], sizes(2), 1, 1);
    }
    expect(Func.jacrev(FuncTest::cube).call(x), sizes(2, 2), 3, 0, 0, 12);
  }

  @Test
  void hessian_ofAPolynomial() {
    // [quote.begin hessian]
    // x^3 + y^3 + x y
    TensorFunction f = x -> cube(x).sum().add(x[0].select(0, 0).mul(x[0].select(0, 1)));
    expect(Func.hessian(f).call(vector(1, 2)), sizes(2, 2), 6, 1, 1, 12);
    // [quote.end]
    TensorFunction product = a -> a[0].mul(a[0]).mul(a[1]);
    Tensor[] all = Func.hessian(product, 0, 1).callAll(number(3), number(5));
    expect(all[0], sizes(), 10);
    expect(all[1], sizes(), 6);
    expect(all[2], sizes(), 6);
    expect(all[3], sizes(), 0);
  }

  // ---- Nesting --------------------------------------------------------------------------------

  @Test
  void perSampleGradients() {
    // [quote.begin per-sample]
    TensorFunction loss =
        a -> {
          Tensor error = a[0].mul(a[1]).sum().sub(a[2]);
          return error.mul(error);
        };
    TensorFunction perSample =
        Func.vmap(Func.grad(loss), VmapOptions.of().inDims(null, 0, 0));
    Tensor grads = perSample.call(vector(1, 1), matrix(2, 1, 2, 3, 4), vector(0, 10));
    expect(grads, sizes(2, 2), 6, 12, -18, -24);
    // [quote.end]
  }

  @Test
  void everyOrderOfThree() {
    // The derivatives of x^3 at 4 places do not depend on the order of the transforms.
    List<UnaryOperator<TensorFunction>> transforms =
        List.of(
            Func::vmap,
            f -> x -> Func.jvp(f, x[0], Aten.onesLike(x[0])).tangent(),
            f ->
                x -> {
                  Pullback pullback = Func.vjp(f, x[0]);
                  return pullback.call(Aten.onesLike(pullback.value()))[0];
                });
    float[][] expected = {{1, 8, -1, 0.125f}, {3, 12, 3, 0.75f}, {6, 12, -6, 3}, {6, 6, 6, 6}};
    for (int word = 0; word < 27; word++) {
      int[] letters = {word % 3, word / 3 % 3, word / 9};
      TensorFunction f = FuncTest::cube;
      int maps = 0;
      for (int letter : letters) {
        f = transforms.get(letter).apply(f);
        maps += letter == 0 ? 1 : 0;
      }
      long[] sizes = new long[Math.max(maps, 1)];
      java.util.Arrays.fill(sizes, 1);
      sizes[sizes.length - 1] = 4;
      Tensor x = Tensor.of(new float[] {1, 2, -1, 0.5f}, sizes);
      expect(f.call(x), sizes, expected[3 - maps]);
    }
  }

  @Test
  void anOuterTensorIsAConstant() {
    Tensor x = vector(0, 1, 2);
    TensorFunction loss =
        w -> Func.vmap(each -> w[0].mul(each[0]).mul(w[0].mul(each[0]))).call(x).sum();
    expect(Func.grad(loss).call(number(2)), sizes(), 20);
  }

  @Test
  void exceptionsComeHome() {
    IOException lost = new IOException("lost");
    TensorFunction failing =
        x -> {
          throw lost;
        };
    TensorFunction nested = Func.vmap(Func.grad(failing));
    assertSame(lost, assertThrows(IOException.class, () -> nested.apply(vector(1, 2))));
    assertEquals(0, TenonNative.tenon_layer_copy_innermost());
    assertSame(lost, assertThrows(IOException.class, () -> nested.call(vector(1, 2))));
  }

  @Test
  void nothingIsLeft() throws Throwable {
    perSampleGradients();
    hessian_ofAPolynomial();
    Support.leavesNothing(
        () -> {
          try (Scope inner = Scope.open()) {
            perSampleGradients();
            hessian_ofAPolynomial();
          }
        });
  }

  // ---- Batching rules -------------------------------------------------------------------------

  private static Library scaling() {
    Library library = Library.open("java_rules", Library.Kind.DEF);
    library.define("scale(Tensor x, float factor) -> Tensor");
    library.impl("scale", "CPU", args -> ((Tensor) args[0]).mul(args[1]));
    return library;
  }

  private static final TensorFunction SCALE =
      x -> Tenon.op("java_rules::scale").callTensor(x[0], 3.0);

  @Test
  void rule_servesAnOperator() {
    AtomicInteger calls = new AtomicInteger();
    try (Library library = scaling()) {
      // [quote.begin rule]
      library.registerVmap(
          "scale",
          call -> {
            calls.incrementAndGet();
            assertEquals(2, call.batchSize());
            return new Batched(call.callWith(call.args()), call.inDim(0));
          });
      // [quote.end]
      TensorFunction scale = Func.vmap(SCALE, VmapOptions.of().inDims(1).outDims(1));
      expect(scale.call(matrix(2, 1, 2, 3, 4)), sizes(2, 2), 3, 6, 9, 12);
      assertEquals(1, calls.get());
    }
  }

  @Test
  void rule_callsAnOperatorWithKeywordOnlyArguments() {
    try (Library library = Library.open("java_rule_keyword", Library.Kind.DEF)) {
      library.define("scale(Tensor x, *, float factor, float[] more=[]) -> Tensor");
      library.impl("scale", "CPU", args -> ((Tensor) args[0]).mul(args[1]));
      library.registerVmap(
          "scale", call -> new Batched(call.callWith(call.args()), call.inDim(0)));
      Op scale = Tenon.op("java_rule_keyword::scale");
      TensorFunction scaled =
          Func.vmap(x -> (Tensor) scale.with("factor", 3.0).call(x[0]), VmapOptions.of());
      expect(scaled.call(matrix(2, 1, 2, 3, 4)), sizes(2, 2), 3, 6, 9, 12);
    }
  }

  @Test
  void rule_ofListsAndSeveralResults() {
    try (Library library = Library.open("java_rule_list", Library.Kind.DEF)) {
      library.define("halves(Tensor[] xs) -> (Tensor, Tensor)");
      library.impl(
          "halves",
          "CPU",
          args -> {
            Tensor[] xs = (Tensor[]) args[0];
            return new Object[] {xs[0].mul(0.5), xs[1].mul(0.5)};
          });
      library.registerVmap(
          "halves", call -> new Batched(call.op().callAll(call.args()), call.inDims()));
      Tensor y = number(8);
      TensorFunction halves =
          x -> {
            Object[] both = Tenon.op("java_rule_list::halves").callAll((Object) list(x[0], y));
            return list((Tensor) both[0], (Tensor) both[1]);
          };
      Tensor[] found = Func.vmap(halves).callAll(vector(2, 4));
      expect(found[0], sizes(2), 1, 2);
      expect(found[1], sizes(2), 4, 4);
    }
  }

  private static Tensor[] list(Tensor... tensors) {
    return tensors;
  }

  @Test
  void rule_throwsAndSaysNone() {
    try (Library library = scaling()) {
      IllegalStateException lost = new IllegalStateException("lost");
      try (Registration failing =
          library.registerVmap(
              "scale",
              call -> {
                throw lost;
              })) {
        TensorFunction scale = Func.vmap(SCALE);
        assertSame(
            lost, assertThrows(IllegalStateException.class, () -> scale.call(vector(1, 2))));
      }
      library.registerVmap("scale", call -> new Batched(call.tensor(0).sum(), -1));
      expect(Func.vmap(SCALE).call(vector(1, 2)), sizes(2), 3, 3);
      library.registerVmap("scale", call -> new Batched(call.tensor(1), 0));
      fails(
          ErrorCode.TYPE, "argument 1 must be Tensor", () -> Func.vmap(SCALE).call(vector(1, 2)));
    }
  }
}
