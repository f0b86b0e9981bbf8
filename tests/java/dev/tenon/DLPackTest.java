// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tenon.internal.Memory;
import org.junit.jupiter.api.Test;

class DLPackTest {
  // Offsets in DLManagedTensorVersioned: version {major, minor}, manager_ctx, deleter, flags, and
  // the DLTensor {data, device {type, id}, ndim, dtype {code, bits, lanes}, shape, strides,
  // offset}.
  private static final int DEVICE_TYPE = 40;
  private static final int NDIM = 48;
  private static final int BITS = 53;
  private static final int SIZE = 80;

  @Test
  void roundTrip_sharesMemory() throws Throwable {
    Support.leavesNothing(
        () -> {
          for (boolean legacy : new boolean[] {false, true}) {
            try (Tensor t = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2)) {
              long managed = legacy ? t.toLegacyDLPack() : t.toDLPack();
              try (Tensor u =
                  legacy ? Tensor.fromLegacyDLPack(managed) : Tensor.fromDLPack(managed)) {
                assertEquals(t.dataAddress(), u.dataAddress());
                assertArrayEquals(t.sizes(), u.sizes());
                t.close(); // the export holds its own reference
                assertEquals(4, u.getDouble(1, 1));
              }
            }
          }
        });
  }

  @Test
  void unconsumed_isDeleted() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Tensor t = Tensor.of(new long[] {1})) {
            Tensor.deleteDLPack(t.toDLPack());
            Tensor.deleteLegacyDLPack(t.toLegacyDLPack());
          }
        });
  }

  @Test
  void bad_isRefusedAndNotConsumed() throws Throwable {
    Support.leavesNothing(
        () -> {
          Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Tensor.fromDLPack(0), "managed");
          Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Tensor.fromLegacyDLPack(0), "managed");
          try (Tensor t = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2)) {
            long managed = t.toDLPack();
            byte[] original = new byte[SIZE];
            Memory.copyOut(managed, original, 0, SIZE);
            Memory.putInt(managed + NDIM, -3);
            assertThrows(TenonException.class, () -> Tensor.fromDLPack(managed));
            Memory.copyIn(original, 0, managed, SIZE);
            Memory.putInt(managed + DEVICE_TYPE, 77);
            Support.fails(ErrorCode.NOT_SUPPORTED, () -> Tensor.fromDLPack(managed), "77");
            Memory.copyIn(original, 0, managed, SIZE);
            Memory.putByte(managed + BITS, (byte) 24);
            Support.fails(ErrorCode.NOT_SUPPORTED, () -> Tensor.fromDLPack(managed), "24");
            Memory.copyIn(original, 0, managed, SIZE);
            assertEquals(2, t.useCount());
            Tensor.deleteDLPack(managed);
            assertEquals(1, t.useCount());
          }
        });
  }

  @Test
  void unknownMajor_isDeletedThenRefused() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Tensor t = Tensor.of(new float[] {1})) {
            long managed = t.toDLPack();
            Memory.putInt(managed, 99);
            Support.fails(ErrorCode.ABI, () -> Tensor.fromDLPack(managed), "99");
            assertEquals(1, t.useCount());
          }
        });
  }

  @Test
  void readOnly_isKept() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Tensor t = Tensor.of(new float[] {1})) {
            long managed = t.toDLPack();
            Memory.putLong(managed + 24, Memory.getLong(managed + 24) | 1);
            try (Tensor u = Tensor.fromDLPack(managed)) {
              assertTrue(u.isReadOnly());
              Support.fails(ErrorCode.NOT_SUPPORTED, u::toLegacyDLPack);
            }
          }
        });
  }
}
