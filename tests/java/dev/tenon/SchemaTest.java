// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class SchemaTest {
  private static final String TEXT =
      "ns::f.over(Tensor(a!) x, int[2] d=[1, 2], *, float? e=None, str s=\"q\") -> (Tensor(a!), int"
          + " n)";

  @Test
  void parse_tellsEverything() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Schema schema = Schema.parse(TEXT)) {
            assertEquals(TEXT, schema.toString());
            assertEquals("ns::f", schema.name());
            assertEquals("over", schema.overload());
            assertTrue(schema.isMutable());
            assertFalse(schema.isFunctional());
            List<Argument> arguments = schema.arguments();
            assertEquals(
                List.of("x", "d", "e", "s"), arguments.stream().map(Argument::name).toList());
            assertEquals("(a!)", arguments.get(0).alias());
            assertTrue(arguments.get(0).written());
            assertEquals(2, arguments.get(1).listSize());
            assertArrayEquals(new long[] {1, 2}, (long[]) arguments.get(1).defaultValue());
            assertTrue(arguments.get(2).keywordOnly() && arguments.get(2).hasDefault());
            assertNull(arguments.get(2).defaultValue());
            assertEquals("q", arguments.get(3).defaultValue());
            assertEquals("n", schema.returns().get(1).name());
            assertEquals("int", schema.returns().get(1).type());
          }
        });
  }

  @Test
  void parse_malformed_showsThePosition() throws Throwable {
    Support.leavesNothing(
        () -> {
          Support.fails(ErrorCode.PARSE, () -> Schema.parse("f(Tensor x -> Tensor"), "^");
          Support.fails(ErrorCode.PARSE, () -> Schema.parse(""));
          Support.fails(ErrorCode.PARSE, () -> Schema.parse("f(Tensr x) -> Tensor"), "Tensr");
        });
  }

  @Test
  void equals_comparesAll() {
    try (Schema a = Schema.parse(TEXT);
        Schema b = Schema.parse(TEXT);
        Schema c = Schema.parse("ns::f(Tensor x) -> Tensor")) {
      assertEquals(a, b);
      assertEquals(a.hashCode(), b.hashCode());
      assertNotEquals(a, c);
    }
  }

  @Test
  void checkCompatible_givesTheReason() {
    try (Schema older = Schema.parse("ns::f(Tensor x) -> Tensor");
        Schema newer = Schema.parse("ns::f(Tensor x, int n=1) -> Tensor");
        Schema other = Schema.parse("ns::f(Tensor x, int n) -> Tensor")) {
      newer.checkCompatible(older, false);
      Support.fails(ErrorCode.INVALID_ARGUMENT, () -> other.checkCompatible(older, false), "n");
    }
  }

  @Test
  void closed_throws() {
    Schema schema = Schema.parse("f() -> ()");
    schema.close();
    schema.close();
    Support.contains(
        assertThrows(IllegalStateException.class, schema::name).getMessage(), "Schema");
  }
}
