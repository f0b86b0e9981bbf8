// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TensorTest {
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
  void of_arraysKeepValuesAndDtype() {
    assertArrayEquals(new float[] {1, 2.5f}, Tensor.of(new float[] {1, 2.5f}).toFloatArray());
    assertArrayEquals(new double[] {1, 2.5}, Tensor.of(new double[] {1, 2.5}).toDoubleArray());
    assertArrayEquals(new long[] {-1, 7}, Tensor.of(new long[] {-1, 7}).toLongArray());
    assertArrayEquals(new int[] {-1, 7}, Tensor.of(new int[] {-1, 7}).toIntArray());
    assertArrayEquals(new long[] {-1, 7}, Tensor.of(new short[] {-1, 7}).toLongArray());
    assertArrayEquals(new long[] {-1, 7}, Tensor.of(new byte[] {-1, 7}).toLongArray());
    assertArrayEquals(
        new boolean[] {true, false}, Tensor.of(new boolean[] {true, false}).toBooleanArray());
    assertEquals(DType.INT16, Tensor.of(new short[] {1}).dtype());
    assertEquals(DType.BOOL, Tensor.of(new boolean[] {true}).dtype());
  }

  @Test
  void of_withSizes_describesRowMajor() {
    Tensor t = Tensor.of(new float[6], 2, 3);
    assertArrayEquals(new long[] {2, 3}, t.sizes());
    assertArrayEquals(new long[] {3, 1}, t.strides());
    assertEquals(2, t.dim());
    assertEquals(6, t.numel());
    assertEquals(3, t.size(-1));
    assertEquals(0, t.storageOffset());
    assertEquals(Device.CPU.type(), t.device().type());
    assertTrue(t.isContiguous());
    assertTrue(t.keys().has(DispatchKey.CPU));
    Support.fails(ErrorCode.INDEX, () -> t.size(2), "dim", "-2 to 1", "got 2");
  }

  @Test
  void of_wrongSizes_saysHowMany() {
    Support.fails(
        ErrorCode.INVALID_ARGUMENT, () -> Tensor.of(new float[6], 4), "6 elements", "[4]");
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Tensor.of(new float[1], -1), "[-1]");
  }

  @Test
  void empty_shapesOfNoElements() {
    Tensor t = Tensor.of(new float[0], 0, 3);
    assertEquals(0, t.numel());
    assertArrayEquals(new float[0], t.toFloatArray());
    assertEquals(0, t.asByteBuffer().capacity());
    assertArrayEquals(new long[] {2, 0}, Tensor.zeros(DType.INT8, 2, 0).sizes());
  }

  @Test
  void scalar_isZeroDim() {
    assertEquals(0, Tensor.scalar(2.5).dim());
    assertEquals(2.5, Tensor.scalar(2.5).getDouble());
    assertEquals(7, Tensor.scalar(7L).getLong());
    assertTrue(Tensor.number(3).isWrappedNumber());
    assertEquals(DType.BOOL, Tensor.number(true).dtype());
    assertEquals(DType.COMPLEX128, Tensor.number(new Complex(1, 2)).dtype());
    Support.fails(ErrorCode.TYPE, () -> Tensor.number("3"), "number", "str");
  }

  @Test
  void empty_onMeta_hasNoMemory() {
    Tensor t = Tensor.empty(DType.FLOAT32, Device.META, 1000, 1000, 1000, 1000);
    assertEquals(1_000_000_000_000L, t.numel());
    Support.fails(ErrorCode.STATE, t::dataAddress);
    Support.fails(ErrorCode.INVALID_ARGUMENT, t::toFloatArray, "cpu", "meta");
  }

  @Test
  void wrap_sharesMemoryAndKeepsTheBuffer() throws Throwable {
    Support.leavesNothing(
        () -> {
          ByteBuffer buffer = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
          try (Tensor t = Tensor.wrap(buffer, DType.FLOAT32, 2, 2)) {
            buffer.putFloat(4, 42);
            assertEquals(42, t.getDouble(0, 1));
            try (Storage storage = t.storage()) {
              assertEquals(t.dataAddress(), storage.dataAddress());
              assertEquals(16, storage.byteCount());
            }
          }
        });
  }

  @Test
  void wrap_fromPositionToLimit() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder());
    for (int i = 0; i < 8; i++) {
      buffer.putInt(i * 4, i);
    }
    buffer.position(8).limit(20);
    assertArrayEquals(new int[] {2, 3, 4}, Tensor.wrap(buffer, DType.INT32).toIntArray());
  }

  @Test
  void wrap_badBuffers_areRefused() {
    ByteBuffer direct = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
    Support.fails(
        ErrorCode.INVALID_ARGUMENT,
        () -> Tensor.wrap(ByteBuffer.allocate(16), DType.INT8),
        "direct");
    Support.fails(
        ErrorCode.INVALID_ARGUMENT,
        () -> Tensor.wrap(direct.asReadOnlyBuffer(), DType.INT8),
        "read-only");
    Support.fails(
        ErrorCode.INVALID_ARGUMENT, () -> Tensor.wrap(direct, DType.INT32, 5), "16 bytes", "[5]");
    Support.fails(
        ErrorCode.INVALID_ARGUMENT,
        () ->
            Tensor.wrap(
                direct.duplicate().order(ByteOrder.nativeOrder()).position(1), DType.INT32, 2),
        "aligned");
  }

  @Test
  void wrap_anotherByteOrder_isRefused() {
    // Java's byte order, which does not depend on the machine
    ByteBuffer buffer = ByteBuffer.allocateDirect(16);
    boolean other = buffer.order() != ByteOrder.nativeOrder();
    if (!other) {
      buffer.order(ByteOrder.LITTLE_ENDIAN);
    }
    Support.fails(
        ErrorCode.INVALID_ARGUMENT,
        () -> Tensor.wrap(buffer, DType.FLOAT32),
        "Tensor.wrap",
        "byte order",
        buffer.order().toString());
    assertEquals(16, Tensor.wrap(buffer, DType.INT8).numel()); // bytes have no order
  }

  @Test
  void asByteBuffer_isTheSameMemory() {
    Tensor t = Tensor.of(new int[] {1, 2, 3});
    ByteBuffer buffer = t.asByteBuffer();
    assertEquals(ByteOrder.nativeOrder(), buffer.order());
    assertEquals(2, buffer.getInt(4));
    buffer.putInt(8, 99);
    assertArrayEquals(new int[] {1, 2, 99}, t.toIntArray());
  }

  @Test
  void asByteBuffer_outlivesTheTensor() throws Throwable {
    Support.leavesNothingAfterCollection(
        () -> {
          ByteBuffer slice;
          try (Tensor t = Tensor.of(new int[] {1, 2, 3})) {
            slice = t.asByteBuffer().slice(4, 8).order(ByteOrder.nativeOrder());
          }
          Support.collect();
          assertEquals(2, slice.getInt(0));
          assertEquals(3, slice.getInt(4));
        });
  }

  @Test
  void toArray_ofAnotherDtype_names() {
    Tensor t = Tensor.of(new int[] {1});
    Support.fails(ErrorCode.TYPE, t::toFloatArray, "toFloatArray", "float32", "got int32");
    Support.fails(ErrorCode.TYPE, Tensor.of(new long[] {1})::toIntArray, "got int64");
  }

  @Test
  void toFloatArray_widensHalfExactly() {
    short[] bits = {0x3C00, (short) 0xC000, 0x0001, (short) 0x8000, 0x7C00, 0x7BFF, 0x7E00};
    ByteBuffer buffer = ByteBuffer.allocateDirect(14).order(ByteOrder.nativeOrder());
    buffer.asShortBuffer().put(bits);
    float[] values = Tensor.wrap(buffer, DType.FLOAT16).toFloatArray();
    assertArrayEquals(
        new float[] {1, -2, 0x1p-24f, -0f, Float.POSITIVE_INFINITY, 65504, Float.NaN}, values);
    ByteBuffer brain = ByteBuffer.allocateDirect(4).order(ByteOrder.nativeOrder());
    brain.putShort(0, (short) 0x3FC0).putShort(2, (short) 0xFF80);
    assertArrayEquals(
        new float[] {1.5f, Float.NEGATIVE_INFINITY},
        Tensor.wrap(brain, DType.BFLOAT16).toFloatArray());
  }

  @Test
  void get_indexesFromBothEnds() {
    Tensor t = Tensor.of(new long[] {1, 2, 3, 4, 5, 6}, 2, 3);
    assertEquals(6, t.getLong(-1, -1));
    assertEquals(4, t.getLong(1, 0));
    Support.fails(ErrorCode.INDEX, () -> t.getLong(0, 3), "dim 1", "got 3");
    Support.fails(ErrorCode.INDEX, () -> t.getLong(0), "2 numbers");
  }

  @Test
  void undefined_hasNothing() {
    Tensor t = Tensor.undefined();
    assertTrue(t.isUndefined());
    assertEquals(null, t.dtype());
    assertEquals(0, t.dim());
    assertTrue(t.keys().isEmpty());
  }

  @Test
  void print_showsElements() {
    Support.contains(Tensor.of(new float[] {1, 2}).toString(), "1.", "2.");
  }

  @Test
  void close_twiceIsSafe_useAfterThrows() throws Throwable {
    Support.leavesNothing(
        () -> {
          Tensor t = Tensor.of(new float[1]);
          t.close();
          t.close();
          assertTrue(t.isClosed());
          IllegalStateException e = assertThrows(IllegalStateException.class, t::numel);
          Support.contains(e.getMessage(), "Tensor", "closed");
          assertThrows(IllegalStateException.class, t::toFloatArray);
          assertThrows(IllegalStateException.class, t::retain);
          assertThrows(IllegalStateException.class, t::toDLPack);
          assertEquals("Tensor (closed)", t.toString());
        });
  }

  @Test
  void retain_isAnotherReferenceToTheSame() {
    Tensor t = Tensor.of(new float[1]);
    Tensor other = t.retain();
    assertNotSame(t, other);
    assertTrue(t.isSame(other));
    assertEquals(2, t.useCount());
    t.close();
    assertEquals(1, other.numel());
    assertFalse(other.isSame(Tensor.of(new float[1])));
  }

  @Test
  void forgotten_isReleasedByTheCleaner() throws Throwable {
    scope.close();
    Support.leavesNothingAfterCollection(
        () -> {
          for (int i = 0; i < 100; i++) {
            Tensor.of(new float[10]);
          }
        });
  }

  @Test
  void tooManyBytes_isAnErrorNotACrash() {
    Support.fails(ErrorCode.OUT_OF_MEMORY, () -> Tensor.empty(DType.FLOAT64, 1L << 50));
    Support.fails(
        ErrorCode.INVALID_ARGUMENT, () -> Tensor.empty(DType.FLOAT64, 1L << 40, 1L << 40));
  }
}
