// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TenonTest {
  @Test
  void version_isThreeNumbers() {
    assertTrue(Tenon.version().matches("\\d+\\.\\d+\\.\\d+"), Tenon.version());
  }

  @Test
  void defaultDType_isFloat32AndCanBeSet() {
    assertEquals(DType.FLOAT32, Tenon.defaultDType());
    Tenon.setDefaultDType(DType.FLOAT64);
    try {
      assertEquals(DType.FLOAT64, Tenon.defaultDType());
    } finally {
      Tenon.setDefaultDType(DType.FLOAT32);
    }
    Support.fails(ErrorCode.TYPE, () -> Tenon.setDefaultDType(DType.INT32), "int32");
  }

  @Test
  void numThreads_isOneAtLeastAndCanBeSet() {
    assertTrue(Tenon.numThreads() >= 1);
    Tenon.setNumThreads(3);
    try {
      assertEquals(3, Tenon.numThreads());
    } finally {
      Tenon.setNumThreads(0);
    }
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Tenon.setNumThreads(257), "257");
  }

  @Test
  void dtype_namesSizesAndTraits() {
    assertEquals(DType.FLOAT16, DType.of("half"));
    assertEquals(DType.INT64, DType.of("long"));
    assertEquals("bfloat16", DType.BFLOAT16.toString());
    assertEquals(16, DType.COMPLEX128.size());
    assertEquals(DType.FLOAT32, DType.promote(DType.INT64, DType.FLOAT32));
    assertTrue(DType.FLOAT16.isFloating() && !DType.BOOL.isIntegral() && DType.UINT8.isIntegral());
    Support.fails(ErrorCode.NOT_FOUND, () -> DType.of("float12"), "float12");
  }

  @Test
  void device_parsesAndPrints() {
    assertEquals(Device.CPU, Device.of("cpu"));
    assertEquals("cuda:1", Device.of("cuda:1").toString());
    assertEquals("meta", Device.META.toString());
    Support.fails(ErrorCode.NOT_FOUND, () -> Device.of("tpu"), "tpu", "cpu");
    Support.fails(ErrorCode.INVALID_ARGUMENT, () -> Device.of("cuda:"), "cuda:");
  }
}
