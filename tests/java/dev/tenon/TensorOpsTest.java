// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The methods of Tensor that are operators of libtenon_cpu. */
class TensorOpsTest {
  private Scope scope;
  private Tensor a;

  @BeforeEach
  void open() {
    scope = Scope.open();
    a = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
  }

  @AfterEach
  void close() {
    scope.close();
  }

  @Test
  void slicing_sharesMemory() {
    Tensor s = a.slice(1, 0, 3, 2);
    assertArrayEquals(new long[] {2, 2}, s.sizes());
    assertArrayEquals(new float[] {1, 3, 4, 6}, s.toFloatArray());
    assertEquals(a.dataAddress(), s.dataAddress());
    s.fill(9);
    assertArrayEquals(new float[] {9, 2, 9, 9, 5, 9}, a.toFloatArray());
    assertEquals(5, a.select(0, 1).getDouble(1));
    assertEquals(1, a.select(0, 1).select(0, 2).storageOffset() - 4);
    Support.fails(ErrorCode.INVALID_ARGUMENT, s::asByteBuffer, "contiguous");
    Support.fails(ErrorCode.INDEX, () -> a.select(0, 2), "select");
  }

  @Test
  void views_keepElements() {
    assertArrayEquals(new float[] {1, 4, 2, 5, 3, 6}, a.transpose(0, 1).toFloatArray());
    assertArrayEquals(new float[] {1, 4, 2, 5, 3, 6}, a.permute(1, 0).toFloatArray());
    assertArrayEquals(new long[] {3, 2}, a.view(3, -1).sizes());
    assertArrayEquals(new long[] {6}, a.transpose(0, 1).reshape(6).sizes());
    assertArrayEquals(new long[] {2, 1, 3}, a.unsqueeze(1).sizes());
    assertArrayEquals(new long[] {2, 3}, a.unsqueeze(1).squeeze(1).sizes());
    assertArrayEquals(new long[] {4, 2, 3}, a.unsqueeze(0).expand(4, 2, 3).sizes());
    assertEquals(a.dataAddress(), a.detach().dataAddress());
  }

  @Test
  void arithmetic_withTensorsAndNumbers() {
    Tensor row = Tensor.of(new float[] {10, 20, 30});
    assertArrayEquals(new float[] {11, 22, 33, 14, 25, 36}, a.add(row).toFloatArray());
    assertArrayEquals(new float[] {2, 3, 4, 5, 6, 7}, a.add(1).toFloatArray());
    assertArrayEquals(new float[] {0, 0, 0, 0, 0, 0}, a.sub(a).toFloatArray());
    assertArrayEquals(new float[] {.5f, 1, 1.5f, 2, 2.5f, 3}, a.div(2).toFloatArray());
    assertArrayEquals(new float[] {1, 4, 9, 16, 25, 36}, a.mul(a).toFloatArray());
    assertEquals(DType.FLOAT32, a.sub(2.5).dtype());
    assertEquals(DType.FLOAT32, Tensor.of(new long[] {1}).mul(2.5).dtype());
    assertArrayEquals(new float[] {14, 32, 32, 77}, a.matmul(a.transpose(0, 1)).toFloatArray());
    assertEquals(21.0, a.sum().item());
    assertArrayEquals(new float[] {5, 7, 9}, a.sum(new long[] {0}, false).toFloatArray());
    assertArrayEquals(new float[] {2, 5}, a.mean(new long[] {-1}, false).toFloatArray());
    assertArrayEquals(new float[] {1, 0}, Tensor.of(new float[] {1, -2}).relu().toFloatArray());
    assertTrue(a.eq(a).toBooleanArray()[5]);
  }

  @Test
  void inPlace_returnsTheSameObject() {
    long version = a.version();
    assertSame(a, a.addInPlace(a));
    assertArrayEquals(new float[] {2, 4, 6, 8, 10, 12}, a.toFloatArray());
    assertTrue(a.version() > version);
    assertSame(a, a.copyFrom(Tensor.zeros(DType.INT32, 3)));
    assertArrayEquals(new float[6], a.toFloatArray());
  }

  @Test
  void copies_areCopies() {
    Tensor c = a.copy();
    assertTrue(c.dataEquals(a) && c.dataAddress() != a.dataAddress());
    assertArrayEquals(new long[] {1, 2, 3, 4, 5, 6}, a.to(DType.INT64).toLongArray());
    assertTrue(a.to(Device.META).device().equals(Device.META));
    assertEquals(7L, Tensor.scalar(7L).item());
    assertEquals(true, Tensor.of(new boolean[] {true}).item());
  }

  @Test
  void everything_leavesNothing() throws Throwable {
    a.add(a).close(); // kernels loaded
    Support.leavesNothing(
        () -> {
          try (Scope inner = Scope.open()) {
            a.add(a).mul(2).sum().item();
            a.slice(0, 0, 1).sub(1);
          }
        });
  }

  @Test
  void mismatchedShapes_nameTheOperator() {
    Tensor b = Tensor.of(new float[] {1, 2});
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> a.add(b), "aten::add.Tensor", "3", "2");
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> a.matmul(a), "matmul");
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> a.view(5), "view", "5");
  }
}
