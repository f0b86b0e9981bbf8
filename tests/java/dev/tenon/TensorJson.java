// SPDX-License-Identifier: Apache-2.0
// Tensors of the conformance cases.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Makes tensors from JSON and compares tensors with it. */
final class TensorJson {
  private TensorJson() {}

  static double number(JsonNode n) {
    if (n.isBoolean()) {
      return n.asBoolean() ? 1 : 0;
    }
    if (!n.isTextual()) {
      return n.asDouble();
    }
    return switch (n.asText()) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan" -> Double.NaN;
      default -> throw new IllegalArgumentException("unknown number " + n);
    };
  }

  private static long[] longs(JsonNode array) {
    long[] longs = new long[array.size()];
    for (int i = 0; i < longs.length; i++) {
      longs[i] = array.get(i).asLong();
    }
    return longs;
  }

  static Tensor make(JsonNode spec) {
    DType dtype = DType.of(spec.get("dtype").asText());
    long[] shape = longs(spec.get("shape"));
    if (spec.has("device") && !spec.get("device").asText().equals("cpu")) {
      return Tensor.empty(dtype, Device.of(spec.get("device").asText()), shape);
    }
    JsonNode data = spec.get("data");
    boolean view = spec.has("strides");
    Tensor storage = Tensor.empty(dtype, view ? new long[] {data.size()} : shape);
    assertEquals(data.size(), storage.numel(), "elements in " + spec);
    ByteBuffer buffer =
        ByteBuffer.allocate(data.size() * dtype.size()).order(ByteOrder.nativeOrder());
    for (JsonNode element : data) {
      put(buffer, dtype, element);
    }
    if (data.size() > 0) {
      Memory.copyIn(buffer.array(), 0, storage.dataAddress(), buffer.position());
    }
    if (!view) {
      return storage;
    }
    return Tensor.make(
        (frame, out) ->
            TenonNative.tenon_tensor_new_alias(
                storage.address(),
                shape.length,
                frame.longs(shape),
                frame.longs(longs(spec.get("strides"))),
                spec.path("offset").asLong(0),
                out));
  }

  private static void put(ByteBuffer buffer, DType dtype, JsonNode n) {
    switch (dtype) {
      case BOOL, INT8, UINT8 ->
          buffer.put((byte) (n.isBoolean() ? (n.asBoolean() ? 1 : 0) : n.asLong()));
      case INT16 -> buffer.putShort((short) n.asLong());
      case INT32 -> buffer.putInt((int) n.asLong());
      case INT64 -> buffer.putLong(n.asLong());
      case FLOAT32 -> buffer.putFloat((float) number(n));
      case FLOAT64 -> buffer.putDouble(number(n));
      case FLOAT16 -> buffer.putShort(half((float) number(n)));
      case BFLOAT16 -> buffer.putShort(brain((float) number(n)));
      case COMPLEX64 ->
          buffer.putFloat((float) number(n.get(0))).putFloat((float) number(n.get(1)));
      case COMPLEX128 -> buffer.putDouble(number(n.get(0))).putDouble(number(n.get(1)));
      default -> throw new IllegalArgumentException("no elements of " + dtype);
    }
  }

  /** Rounds to the nearest half, ties to even. */
  static short half(float value) {
    int bits = Float.floatToRawIntBits(value);
    int sign = bits >>> 16 & 0x8000;
    float magnitude = Math.abs(value);
    if (Float.isNaN(value)) {
      return (short) (sign | 0x7E00);
    }
    if (magnitude < 0x1p-14f) { // subnormal: multiples of 2^-24
      return (short) (sign | (int) Math.rint(magnitude * 0x1p24));
    }
    int rounded = (bits & 0x7FFFFFFF) + 0xFFF + (bits >> 13 & 1);
    int half = (rounded >> 13) - (112 << 10);
    return (short) (sign | Math.min(half, 0x7C00));
  }

  private static short brain(float value) {
    int bits = Float.floatToRawIntBits(value);
    return Float.isNaN(value) ? (short) 0x7FC0 : (short) (bits + 0x7FFF + (bits >> 16 & 1) >> 16);
  }

  static void check(JsonNode spec, Tensor got, double tolerance) {
    DType dtype = DType.of(spec.get("dtype").asText());
    assertEquals(dtype, got.dtype(), "dtype");
    assertArrayEquals(longs(spec.get("shape")), got.sizes(), "shape");
    Device device = Device.of(spec.path("device").asText("cpu"));
    assertEquals(device.type(), got.device().type(), "device");
    if (!device.isCpu()) {
      return;
    }
    JsonNode data = spec.get("data");
    assertEquals(data.size(), got.numel(), "elements");
    ByteBuffer bytes = ByteBuffer.wrap(got.toByteArray()).order(ByteOrder.nativeOrder());
    for (int i = 0; i < data.size(); i++) {
      checkElement(data.get(i), dtype, bytes, tolerance, "element " + i);
    }
  }

  private static void checkElement(
      JsonNode want, DType dtype, ByteBuffer bytes, double tolerance, String what) {
    switch (dtype) {
      case BOOL -> assertEquals(number(want) != 0, bytes.get() != 0, what);
      case INT8 -> assertEquals(want.asLong(), bytes.get(), what);
      case UINT8 -> assertEquals(want.asLong(), bytes.get() & 0xFF, what);
      case INT16 -> assertEquals(want.asLong(), bytes.getShort(), what);
      case INT32 -> assertEquals(want.asLong(), bytes.getInt(), what);
      case INT64 -> assertEquals(want.asLong(), bytes.getLong(), what);
      case FLOAT32 -> close((float) number(want), bytes.getFloat(), tolerance, what);
      case FLOAT64 -> close(number(want), bytes.getDouble(), tolerance, what);
      case FLOAT16 -> close(rounded(number(want), DType.FLOAT16), half(bytes), tolerance, what);
      case BFLOAT16 ->
          close(
              rounded(number(want), DType.BFLOAT16),
              Float.intBitsToFloat(bytes.getShort() << 16),
              tolerance,
              what);
      case COMPLEX64 -> {
        close((float) number(want.get(0)), bytes.getFloat(), tolerance, what + " real");
        close((float) number(want.get(1)), bytes.getFloat(), tolerance, what + " imaginary");
      }
      case COMPLEX128 -> {
        close(number(want.get(0)), bytes.getDouble(), tolerance, what + " real");
        close(number(want.get(1)), bytes.getDouble(), tolerance, what + " imaginary");
      }
      default -> throw new IllegalArgumentException("no elements of " + dtype);
    }
  }

  // Expected numbers are written in decimal: the nearest number of the dtype is meant.
  private static double rounded(double value, DType dtype) {
    short bits = dtype == DType.FLOAT16 ? half((float) value) : brain((float) value);
    return dtype == DType.FLOAT16 ? widen(bits) : Float.intBitsToFloat(bits << 16);
  }

  private static double half(ByteBuffer bytes) {
    return widen(bytes.getShort());
  }

  private static double widen(short bits) {
    int exponent = bits >> 10 & 0x1F;
    int fraction = bits & 0x3FF;
    double magnitude =
        exponent == 31
            ? (fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN)
            : exponent == 0 ? fraction * 0x1p-24 : Math.scalb(1 + fraction / 1024.0, exponent - 15);
    return bits < 0 ? -magnitude : magnitude;
  }

  static void close(double want, double got, double tolerance, String what) {
    if (Double.isNaN(want) || Double.isInfinite(want)) {
      assertEquals(want, got, what);
    } else {
      assertTrue(
          Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(want)),
          () -> what + ": must be " + want + ", got " + got);
    }
  }
}
