// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The properties that wrapper tensors claim to have. */
class WrapperOptionsTest {
  private static final Dispatching NONE = call -> Overridden.DECLINED;
  private Scope scope;

  @BeforeEach
  void open() {
    scope = Scope.open();
  }

  @AfterEach
  void close() {
    scope.close();
  }

  @Test
  void geometry_isAsClaimed() throws Throwable {
    Support.leavesNothing(
        () -> {
          WrapperOptions options =
              WrapperOptions.of(DType.INT16, 2, 3).strides(1, 2).storageOffset(5);
          try (Tensor w = Tensor.wrapper(NONE, options)) {
            assertArrayEquals(new long[] {2, 3}, w.sizes());
            assertArrayEquals(new long[] {1, 2}, w.strides());
            assertEquals(DType.INT16, w.dtype());
            assertEquals(Device.CPU, w.device());
            assertFalse(w.isContiguous());
            assertEquals(5, w.storageOffset());
          }
        });
  }

  @Test
  void like_copiesAllButTheMemory() {
    Tensor x = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3).transpose(0, 1);
    Tensor w = Tensor.wrapper(NONE, WrapperOptions.like(x));
    assertArrayEquals(x.sizes(), w.sizes());
    assertArrayEquals(x.strides(), w.strides());
    assertEquals(x.dtype(), w.dtype());
    Tensor plain = Tensor.wrapper(NONE, WrapperOptions.of(DType.FLOAT32, 2, 3));
    assertArrayEquals(new long[] {3, 1}, plain.strides());
    assertTrue(plain.isContiguous());
  }

  @Test
  void keys_areCarried() {
    DispatchKeySet keys = DispatchKeySet.of(DispatchKey.TRACER);
    Tensor w = Tensor.wrapper(NONE, WrapperOptions.of(DType.FLOAT32, 2).keys(keys));
    assertTrue(w.keys().has(DispatchKey.TRACER));
    Tensor plain = Tensor.wrapper(NONE, WrapperOptions.of(DType.FLOAT32, 2));
    assertFalse(plain.keys().has(DispatchKey.TRACER));
    DispatchKeySet dense = DispatchKeySet.of(DispatchKey.CPU);
    Support.fails(
        ErrorCode.INVALID_ARGUMENT,
        () -> Tensor.wrapper(NONE, WrapperOptions.of(DType.FLOAT32, 2).keys(dense)),
        "keys");
  }

  @Test
  void aliasOf_sharesTheVersion() {
    Tensor x = Tensor.of(new float[] {1, 2});
    Tensor alias = Tensor.wrapper(NONE, WrapperOptions.like(x).aliasOf(x));
    Tensor alone = Tensor.wrapper(NONE, WrapperOptions.like(x));
    long before = alias.version();
    x.addInPlace(x);
    assertEquals(before + 1, alias.version());
    assertEquals(x.version(), alias.version());
    assertEquals(0, alone.version());
  }

  @Test
  void badOptions_areRefusedAndLeaveNothing() throws Throwable {
    Support.leavesNothing(
        () -> {
          ErrorCode code = ErrorCode.INVALID_ARGUMENT;
          WrapperOptions strides = WrapperOptions.of(DType.FLOAT32, 2, 3).strides(1);
          Support.fails(code, () -> Tensor.wrapper(NONE, strides), "strides", "2 numbers");
          WrapperOptions sizes = WrapperOptions.of(DType.FLOAT32, -2);
          Support.fails(code, () -> Tensor.wrapper(NONE, sizes), "size");
          WrapperOptions offset = WrapperOptions.of(DType.FLOAT32, 2).storageOffset(-1);
          Support.fails(code, () -> Tensor.wrapper(NONE, offset), "offset");
          WrapperOptions none = WrapperOptions.of(DType.FLOAT32, 2).aliasOf(Tensor.undefined());
          Support.fails(code, () -> Tensor.wrapper(NONE, none), "alias_of");
        });
  }
}
