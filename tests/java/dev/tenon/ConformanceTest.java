// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The cases of tests/conformance, which every language runs. */
class ConformanceTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @BeforeAll
  static void loadKernels() {
    Operators.find("aten::add.Tensor");
  }

  @TestFactory
  List<DynamicContainer> cases() throws IOException {
    Path folder = Path.of(System.getProperty("tenon.source.dir"), "tests", "conformance");
    List<DynamicContainer> containers = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
        List<DynamicTest> tests = new ArrayList<>();
        JsonNode all = JSON.readTree(file.toFile());
        if (all.get("cases").isEmpty()) {
          continue; // of another kind: see BindingsTest
        }
        for (JsonNode node : all.get("cases")) {
          tests.add(
              DynamicTest.dynamicTest(
                  node.get("name").asText(), () -> Support.leavesNothing(() -> run(node))));
        }
        containers.add(DynamicContainer.dynamicContainer(file.getFileName().toString(), tests));
      }
    }
    assertFalse(containers.isEmpty());
    return containers;
  }

  private static void run(JsonNode node) {
    if (node.has("op")) {
      try (Scope scope = Scope.open()) {
        runOperator(node);
      }
    } else if (node.has("schema")) {
      runSchema(node);
    } else {
      runCompatibility(node);
    }
  }

  private static void expectError(JsonNode error, org.junit.jupiter.api.function.Executable body) {
    TenonException e = assertThrows(TenonException.class, body);
    assertEquals(error.get("code").asText(), "TENON_ERROR_" + e.errorCode().name(), e.toString());
    for (JsonNode text : error.path("contains")) {
      Support.contains(e.getMessage(), text.asText());
    }
  }

  /** Extreme integers; those below -2^62 have the bits of symbols. */
  private static final long[] EXTREMES = {
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1,
    -(1L << 62) - 1,
    -(1L << 62),
    -(1L << 62) + 1,
    1L << 62,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE
  };

  @Test
  void extremeIntegersGiveResultsOrErrors() throws IOException {
    Path folder = Path.of(System.getProperty("tenon.source.dir"), "tests", "conformance");
    int calls = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
        for (JsonNode node : JSON.readTree(file.toFile()).get("cases")) {
          calls += node.has("op") && node.has("args") ? callWithExtremes(node) : 0;
        }
      }
    }
    assertTrue(calls > 1000, calls + " calls");
  }

  /** Makes calls with an extreme number in place of each integer; returns the number of calls. */
  private static int callWithExtremes(JsonNode node) {
    int calls = 0;
    for (int at = 0; at < node.get("args").size(); at++) {
      JsonNode given = node.get("args").get(at);
      for (int place = 0; place < (given.isArray() ? given.size() : 1); place++) {
        JsonNode target = given.isArray() ? given.get(place) : given;
        if (!target.isIntegralNumber()) {
          continue;
        }
        for (long extreme : EXTREMES) {
          ObjectNode changed = node.deepCopy();
          ArrayNode args = (ArrayNode) changed.get("args");
          if (given.isArray()) {
            ((ArrayNode) args.get(at)).set(place, LongNode.valueOf(extreme));
          } else {
            args.set(at, LongNode.valueOf(extreme));
          }
          try (Scope scope = Scope.open()) {
            Object[] values = new Object[args.size()];
            for (int i = 0; i < values.length; i++) {
              values[i] = value(args.get(i));
            }
            call(changed, values);
          } catch (TenonException e) {
            assertNotEquals(ErrorCode.INTERNAL, e.errorCode(), node.get("name").asText());
          }
          calls++;
        }
      }
    }
    return calls;
  }

  // ---- Operators ------------------------------------------------------------------------------

  private static void runOperator(JsonNode node) {
    Object[] args = new Object[node.path("args").size()];
    for (int i = 0; i < args.length; i++) {
      args[i] = value(node.get("args").get(i));
    }
    if (node.has("error")) {
      expectError(node.get("error"), () -> call(node, args));
    } else {
      Object[] results = call(node, args);
      JsonNode expected = node.get("expect");
      assertEquals(expected.size(), results.length, "number of returns");
      double tolerance = node.path("tolerance").asDouble(0);
      for (int i = 0; i < results.length; i++) {
        check(expected.get(i), results[i], args, tolerance);
      }
      for (JsonNode index : node.path("shares")) {
        try (Storage mine = ((Tensor) results[0]).storage();
            Storage theirs = ((Tensor) args[index.asInt()]).storage()) {
          assertTrue(mine.isSame(theirs), "result 0 must share the storage of argument " + index);
        }
      }
    }
    node.path("after")
        .fields()
        .forEachRemaining(
            e ->
                check(
                    e.getValue(),
                    args[Integer.parseInt(e.getKey())],
                    args,
                    node.path("tolerance").asDouble(0)));
  }

  private static Object[] call(JsonNode node, Object[] args) {
    Call call = new Call(Operators.find(node.get("op").asText()));
    node.path("kwargs").fields().forEachRemaining(e -> call.with(e.getKey(), value(e.getValue())));
    return call.callAll(args);
  }

  private static Object value(JsonNode v) {
    if (v.isNull()) {
      return null;
    }
    if (v.isBoolean()) {
      return v.asBoolean();
    }
    if (v.isTextual()) {
      return v.asText();
    }
    if (v.isIntegralNumber()) {
      return v.asLong();
    }
    if (v.isNumber()) {
      return v.asDouble();
    }
    if (v.isArray()) {
      List<Object> list = new ArrayList<>();
      v.forEach(element -> list.add(value(element)));
      return list;
    }
    if (v.has("tensor")) {
      return TensorJson.make(v.get("tensor"));
    }
    if (v.has("float")) {
      return TensorJson.number(v.get("float"));
    }
    if (v.has("complex")) {
      return new Complex(v.get("complex").get(0).asDouble(), v.get("complex").get(1).asDouble());
    }
    if (v.has("dtype")) {
      return DType.of(v.get("dtype").asText());
    }
    if (v.has("device")) {
      return Device.of(v.get("device").asText());
    }
    if (v.has("memory_format")) {
      String name = v.get("memory_format").asText();
      return MemoryFormat.valueOf(name.replace("_format", "").toUpperCase(java.util.Locale.ROOT));
    }
    if (v.has("generator")) {
      return Generator.onCpu(v.get("generator").get("seed").asLong());
    }
    throw new IllegalArgumentException("unknown value " + v);
  }

  private static void check(JsonNode expected, Object got, Object[] args, double tolerance) {
    if (expected.has("argument")) {
      assertTrue(((Tensor) got).isSame((Tensor) args[expected.get("argument").asInt()]));
    } else if (expected.has("tensor")) {
      TensorJson.check(expected.get("tensor"), (Tensor) got, tolerance);
    } else if (expected.isArray() && expected.path(0).has("tensor")) {
      Object[] all = got instanceof List<?> list ? list.toArray() : (Object[]) got;
      assertEquals(expected.size(), all.length);
      for (int i = 0; i < all.length; i++) {
        check(expected.get(i), all[i], args, tolerance);
      }
    } else {
      checkPlain(value(expected), got, tolerance);
    }
  }

  private static void checkPlain(Object expected, Object got, double tolerance) {
    if (expected instanceof Double want && got instanceof Double have) {
      TensorJson.close(want, have, tolerance, "value");
    } else if (expected instanceof List<?> list) {
      Object[] all =
          got instanceof long[] longs
              ? Arrays.stream(longs).boxed().toArray()
              : got instanceof double[] doubles
                  ? Arrays.stream(doubles).boxed().toArray()
                  : got instanceof boolean[] booleans
                      ? boxed(booleans)
                      : got instanceof List<?> other ? other.toArray() : (Object[]) got;
      assertEquals(list.size(), all.length);
      for (int i = 0; i < all.length; i++) {
        checkPlain(list.get(i), all[i], tolerance);
      }
    } else {
      assertEquals(expected, got);
    }
  }

  private static Object[] boxed(boolean[] values) {
    Object[] all = new Object[values.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = values[i];
    }
    return all;
  }

  // ---- Schemas --------------------------------------------------------------------------------

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private static void runSchema(JsonNode node) {
    String text = node.get("schema").asText();
    if (node.has("error")) {
      expectError(node.get("error"), () -> Schema.parse(text).close());
      return;
    }
    try (Schema schema = Schema.parse(text)) {
      assertEquals(node.get("prints").asText(), schema.text());
      List<Argument> arguments = schema.arguments();
      if (node.has("op_name")) {
        assertEquals(node.get("op_name").asText(), schema.name());
      }
      if (node.has("overload")) {
        assertEquals(node.get("overload").asText(), schema.overload());
      }
      if (node.has("arguments")) {
        assertEquals(texts(node.get("arguments")), arguments.stream().map(Argument::name).toList());
      }
      if (node.has("types")) {
        assertEquals(texts(node.get("types")), arguments.stream().map(Argument::type).toList());
      }
      if (node.has("kwarg_only")) {
        assertEquals(
            texts(node.get("kwarg_only")),
            arguments.stream().filter(Argument::keywordOnly).map(Argument::name).toList());
      }
      if (node.has("returns")) {
        assertEquals(
            texts(node.get("returns")), schema.returns().stream().map(Argument::type).toList());
      }
      if (node.has("mutable")) {
        assertEquals(node.get("mutable").asBoolean(), schema.isMutable());
      }
      if (node.has("defaults")) {
        JsonNode defaults = node.get("defaults");
        for (Argument argument : arguments) {
          assertEquals(defaults.has(argument.name()), argument.hasDefault(), argument.name());
          if (argument.hasDefault()) {
            checkDefault(value(defaults.get(argument.name())), argument.defaultValue());
          }
        }
      }
    }
  }

  private static void checkDefault(Object expected, Object got) {
    if (expected instanceof List<?> list && list.isEmpty()) {
      assertTrue(
          got instanceof List<?> l && l.isEmpty() || java.lang.reflect.Array.getLength(got) == 0);
    } else {
      checkPlain(expected, got, 0);
    }
  }

  private static void runCompatibility(JsonNode node) {
    try (Schema newer = Schema.parse(node.get("newer").asText());
        Schema older = Schema.parse(node.get("older").asText())) {
      boolean forward = node.path("forward").asBoolean(false);
      if (node.get("compatible").asBoolean()) {
        newer.checkCompatible(older, forward);
      } else {
        Support.fails(ErrorCode.INVALID_ARGUMENT, () -> newer.checkCompatible(older, forward));
      }
    }
  }

  @org.junit.jupiter.api.Test
  void halfConversion_roundsToNearestEven() {
    assertArrayEquals(
        new short[] {0x3C00, 0x3C00, 0x3C02, 0x7C00, (short) 0x8000, 0x0001},
        new short[] {
          TensorJson.half(1f), TensorJson.half(1f + 0x1p-11f), TensorJson.half(1f + 3 * 0x1p-11f),
          TensorJson.half(65520f), TensorJson.half(-0f), TensorJson.half(0x1p-24f)
        });
  }
}
