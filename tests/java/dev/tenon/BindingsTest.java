// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tenon.internal.TenonNative;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Bindings of arguments and typed signatures, the same in every language: tests/conformance. */
class BindingsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static JsonNode file(String name, String list) throws IOException {
    String source = System.getProperty("tenon.source.dir");
    JsonNode all = JSON.readTree(Path.of(source, "tests", "conformance", name).toFile()).get(list);
    assertTrue(all.size() >= 30, name);
    return all;
  }

  @TestFactory
  List<DynamicTest> bindings() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode node : file("bindings.json", "bindings")) {
      tests.add(
          DynamicTest.dynamicTest(
              node.get("name").asText(), () -> Support.leavesNothing(() -> bind(node))));
    }
    return tests;
  }

  @TestFactory
  List<DynamicTest> signatures() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode node : file("signatures.json", "signatures")) {
      String text = node.get("schema").asText();
      tests.add(
          DynamicTest.dynamicTest(
              text,
              () -> {
                try (Schema schema = Schema.parse(text)) {
                  assertEquals(node.get("letters").asText(), schema.typedSignature());
                  long hash = TenonNative.tenon_schema_signature_hash(schema.address());
                  assertEquals(Long.parseUnsignedLong(hex(node.get("hash")), 16), hash);
                }
              }));
    }
    return tests;
  }

  private static String hex(JsonNode node) {
    return node.asText().substring(2);
  }

  private static void bind(JsonNode node) throws Exception {
    try (Library lib = Library.open("bind", Library.Kind.DEF);
        Scope scope = Scope.open()) {
      Op op = lib.define(node.get("schema").asText());
      Tensor x = Tensor.of(new float[] {1});
      Tensor y = Tensor.of(new float[] {2});
      int[] calls = new int[1];
      lib.impl(
          op.name().substring("bind::".length()),
          DispatchKey.COMPOSITE_IMPLICIT_AUTOGRAD,
          args -> {
            calls[0]++;
            assertEquals(node.get("bound").size(), args.length);
            for (int i = 0; i < args.length; i++) {
              check(node.get("bound").get(i), args[i], x, y);
            }
            return null;
          });
      List<Object> positional = new ArrayList<>();
      node.get("positional").forEach(one -> positional.add(value(one, x, y)));
      Map<String, Object> named = new LinkedHashMap<>();
      node.path("named")
          .fields()
          .forEachRemaining(e -> named.put(e.getKey(), value(e.getValue(), x, y)));
      Object[] args = positional.toArray();
      // Twice: C enters a Java kernel at first, and later calls reach it without C.
      for (int i = 0; i < 2; i++) {
        if (node.has("error")) {
          TenonException e = assertThrows(TenonException.class, () -> op.callWith(args, named));
          assertEquals(ErrorCode.TYPE, e.errorCode());
          assertEquals(node.get("error").asText(), e.getMessage());
        } else {
          assertEquals(0, op.callWith(args, named).length);
        }
      }
      assertEquals(node.has("error") ? 0 : 2, calls[0]);
    }
  }

  private static Object value(JsonNode node, Tensor x, Tensor y) {
    if (node.isNull()) {
      return null;
    }
    String kind = node.fieldNames().next();
    JsonNode v = node.get(kind);
    return switch (kind) {
      case "int" -> v.asLong();
      case "float" -> v.asDouble();
      case "bool" -> v.asBoolean();
      case "str" -> v.asText();
      case "complex" -> new Complex(v.get(0).asDouble(), v.get(1).asDouble());
      case "dtype" -> DType.of(v.asText());
      case "device" -> Device.of(v.asText());
      case "tensor" -> tensor(v, x, y);
      case "ints" -> values(v).stream().mapToLong(JsonNode::asLong).toArray();
      case "floats" -> values(v).stream().mapToDouble(JsonNode::asDouble).toArray();
      case "bools" -> booleans(v);
      case "tensors" -> values(v).stream().map(one -> tensor(one, x, y)).toArray(Tensor[]::new);
      case "list" -> Arrays.asList(values(v).stream().map(one -> value(one, x, y)).toArray());
      default -> throw new AssertionError(kind);
    };
  }

  private static List<JsonNode> values(JsonNode array) {
    List<JsonNode> all = new ArrayList<>();
    for (Iterator<JsonNode> it = array.elements(); it.hasNext(); ) {
      all.add(it.next());
    }
    return all;
  }

  private static boolean[] booleans(JsonNode array) {
    boolean[] all = new boolean[array.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = array.get(i).asBoolean();
    }
    return all;
  }

  private static Tensor tensor(JsonNode name, Tensor x, Tensor y) {
    return name.isNull() ? null : name.asText().equals("x") ? x : y;
  }

  private static void check(JsonNode expected, Object got, Tensor x, Tensor y) {
    Object want = value(expected, x, y);
    if (want == null) {
      assertNull(got);
    } else if (want instanceof Tensor tensor) {
      assertTrue(tensor.isSame((Tensor) got));
    } else if (want instanceof long[] longs) {
      assertArrayEquals(longs, (long[]) got);
    } else if (want instanceof double[] doubles) {
      assertArrayEquals(doubles, (double[]) got);
    } else if (want instanceof boolean[] booleans) {
      assertArrayEquals(booleans, (boolean[]) got);
    } else if (want instanceof Tensor[] tensors) {
      assertEquals(tensors.length, ((Tensor[]) got).length);
      for (int i = 0; i < tensors.length; i++) {
        Tensor one = ((Tensor[]) got)[i];
        assertEquals(tensors[i] == null, one == null);
        assertTrue(one == null || tensors[i].isSame(one));
      }
    } else {
      assertEquals(want, got);
    }
  }
}
