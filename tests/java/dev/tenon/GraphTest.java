// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Graphs: recorded, run, changed, saved, defined as operators. */
class GraphTest {
  private static Tensor pair(float a, float b) {
    return Tensor.of(new float[] {a, b}, 2);
  }

  private static Graph recorded() {
    return Graph.record(a -> a[0].mul(a[1]).relu().add(a[0]), pair(1, 1), pair(1, 1));
  }

  @Test
  void recorded_RunsOnOtherValues() {
    try (Scope scope = Scope.open()) {
      // [quote.begin record]
      Graph graph = Graph.record(a -> a[0].mul(a[1]).relu().add(a[0]), pair(1, 1), pair(1, 1));
      Tensor[] y = graph.run(pair(3, -1), pair(2, 5));
      // [quote.end]
      assertEquals(3, graph.nodeCount());
      assertArrayEquals(new float[] {9, -1}, y[0].toFloatArray());
      TenonException few = assertThrows(TenonException.class, graph::run);
      assertEquals(ErrorCode.INVALID_ARGUMENT, few.errorCode());
    }
  }

  @Test
  void whatTheFunctionThrows_ComesOut() {
    try (Scope scope = Scope.open()) {
      RuntimeException mine = new RuntimeException("mine");
      TensorFunction failing =
          a -> {
            throw mine;
          };
      assertSame(mine, assertThrows(RuntimeException.class, () -> Graph.record(failing)));
      assertEquals(3, recorded().nodeCount());
    }
  }

  @Test
  void passes_LeaveTheResults() {
    try (Scope scope = Scope.open()) {
      Tensor w = pair(2, 3);
      Graph graph = Graph.record(a -> a[0].mul(w.mul(w)), pair(1, 1));
      assertEquals(1, graph.attributeCount());
      Graph small = graph.transform(Graph.FOLD_CONSTANTS | Graph.REMOVE_DEAD);
      assertEquals(1, small.nodeCount());
      assertArrayEquals(new float[] {4, 18}, small.run(pair(1, 2))[0].toFloatArray());
    }
  }

  private static List<String> names(Graph graph) {
    return IntStream.range(0, graph.nodeCount()).mapToObj(i -> graph.node(i).op().name()).toList();
  }

  private static Graph squareAndRelu() {
    return Graph.record(a -> a[0].mul(a[0]).relu().add(a[0]), pair(1, 1));
  }

  @Test
  void rewrite_KeepsReplacesAndRemoves() {
    try (Scope scope = Scope.open()) {
      Graph graph = squareAndRelu();
      // [quote.begin rewrite]
      Op square = Operators.find("aten::square");
      Graph smaller =
          graph.rewrite(
              call -> {
                if (call.name().equals("aten::relu")) {
                  call.replace(call.arg(0));
                } else if (call.name().equals("aten::mul.Tensor")
                    && call.arg(0).equals(call.arg(1))) {
                  call.replace(call.append(square, call.arg(0)));
                }
              });
      // [quote.end]
      assertEquals(List.of("aten::square", "aten::add.Tensor"), names(smaller));
      assertArrayEquals(new float[] {6, 6}, smaller.run(pair(2, -3))[0].toFloatArray());
      smaller.check();
    }
  }

  @Test
  void rewrite_WhatThePassThrows_ComesOut() {
    try (Scope scope = Scope.open()) {
      Graph graph = squareAndRelu();
      Exception mine = new Exception("mine");
      GraphPass failing =
          call -> {
            throw mine;
          };
      assertSame(mine, assertThrows(Exception.class, () -> graph.rewrite(failing)));
      TenonException removed =
          assertThrows(TenonException.class, () -> graph.rewrite(GraphCall::remove));
      assertEquals(ErrorCode.STATE, removed.errorCode());
      TenonException several =
          assertThrows(TenonException.class, () -> graph.rewrite(call -> call.replace(1, 2)));
      assertEquals(ErrorCode.INVALID_ARGUMENT, several.errorCode());
      TenonException far =
          assertThrows(TenonException.class, () -> graph.rewrite(call -> call.arg(7)));
      assertEquals(ErrorCode.INDEX, far.errorCode());
      GraphCall[] kept = new GraphCall[1];
      graph.rewrite(call -> kept[0] = call);
      TenonException late = assertThrows(TenonException.class, () -> kept[0].replace(1));
      assertEquals(ErrorCode.STATE, late.errorCode());
    }
  }

  @Test
  void replacePattern_ReplacesEachMatch() {
    try (Scope scope = Scope.open()) {
      // [quote.begin pattern]
      Graph graph = recorded();
      Graph pattern = Graph.record(a -> a[0].mul(a[1]).relu(), pair(1, 1), pair(1, 1));
      Graph replacement = Graph.record(a -> a[0].add(a[1].abs()), pair(1, 1), pair(1, 1));
      Graph.Replaced changed = graph.replacePattern(pattern, replacement, 0);
      // [quote.end]
      assertEquals(1, changed.count());
      Tensor y = changed.graph().run(pair(1, 2), pair(-3, 4))[0];
      assertArrayEquals(new float[] {5, 8}, y.toFloatArray());
    }
  }

  @Test
  void builder_BuildsWhatCanBeWalked() {
    try (Scope scope = Scope.open()) {
      // [quote.begin build]
      Op mul = Operators.find("aten::mul.Tensor");
      GraphBuilder builder = new GraphBuilder();
      GraphRef x = builder.input("x");
      GraphRef w = builder.attribute(pair(2, 3), "w");
      GraphRef product = builder.append(mul, x, w);
      builder.output(builder.append(mul, product, 10));
      Graph graph = builder.build();
      // [quote.end]
      GraphNode node = graph.node(1);
      assertEquals("aten::mul.Tensor", node.op().name());
      assertEquals(List.of(product, 10L), node.args());
      assertEquals(List.of(new GraphRef(3)), node.results());
      assertArrayEquals(new long[] {0}, graph.users(x));
      assertArrayEquals(new long[] {2}, graph.users(new GraphRef(3)));
      assertEquals(x, graph.input(0));
      assertArrayEquals(new float[] {20, 60}, graph.run(pair(1, 2))[0].toFloatArray());
      TenonException far = assertThrows(TenonException.class, () -> graph.node(9));
      assertEquals(ErrorCode.INDEX, far.errorCode());
      GraphBuilder other = new GraphBuilder();
      TenonException none =
          assertThrows(TenonException.class, () -> other.append(mul, new GraphRef(4), 1));
      assertEquals(ErrorCode.INDEX, none.errorCode());
    }
  }

  @Test
  void functionalized_WritesNothing() {
    try (Scope scope = Scope.open()) {
      Graph graph = Graph.record(a -> a[0].exp().neg_(), pair(1, 1));
      Graph pure = graph.functionalize(0);
      assertFalse(pure.text().contains("aten::neg_"), pure.text());
      assertArrayEquals(new float[] {-1, -1}, pure.run(pair(0, 0))[0].toFloatArray());
    }
  }

  @Test
  void files_ReadBack() throws Exception {
    Path path = Files.createTempFile("tenon", "graph");
    try (Scope scope = Scope.open()) {
      Graph graph = recorded();
      // [quote.begin file]
      graph.save(path.toString());
      Graph again = Graph.load(path.toString());
      // [quote.end]
      assertEquals(graph.text(), again.text());
      Files.delete(path);
      TenonException gone =
          assertThrows(TenonException.class, () -> Graph.load(path.toString()));
      assertEquals(ErrorCode.SYSTEM, gone.errorCode());
    }
  }

  @Test
  void whatPythonWrote_Runs() {
    try (Scope scope = Scope.open()) {
      String source = System.getProperty("tenon.source.dir");
      Path file = Path.of(source, "tests", "conformance", "graphs", "block.safetensors");
      Graph graph = Graph.load(file.toString());
      Tensor[] results = graph.run(Tensor.of(new float[] {1, 2}, 1, 2));
      assertArrayEquals(new float[] {11}, results[0].toFloatArray());
      assertArrayEquals(new long[] {0}, results[1].toLongArray());
    }
  }

  @Test
  void defined_IsAnOperator() {
    try (Scope scope = Scope.open();
        Library library = Library.open("java_graphs", Library.Kind.DEF)) {
      Op op = recorded().define(library, "block");
      Tensor y = (Tensor) op.call(pair(3, -1), pair(2, 5));
      assertArrayEquals(new float[] {9, -1}, y.toFloatArray());
    }
  }

  private static Tensor ones(int rows) {
    float[] elements = new float[3 * rows];
    java.util.Arrays.fill(elements, 1);
    return Tensor.of(elements, rows, 3);
  }

  @Test
  void recordedWithSizes_RunsWithOthers() {
    try (Scope scope = Scope.open()) {
      // [quote.begin dynamic]
      String[][] dims = {{"batch", null}};
      Graph graph = Graph.record(a -> a[0].relu().t(), dims, ones(4));
      Tensor[] y = graph.run(ones(7));
      // [quote.end]
      assertArrayEquals(new long[] {3, 7}, y[0].sizes());
      assertEquals(0, graph.guards().size());
      Tensor row = ones(1);
      TenonException one = assertThrows(TenonException.class, () -> graph.run(row));
      assertEquals(ErrorCode.INVALID_ARGUMENT, one.errorCode());
      String[][] few = {{"batch"}};
      assertThrows(TenonException.class, () -> Graph.record(a -> a[0].t(), few, ones(4)));
    }
  }

  @Test
  void sizesThatMustAgree_AreGuards() {
    try (Scope scope = Scope.open()) {
      String[][] dims = {{"", null}, {"", null}};
      Graph graph = Graph.record(a -> a[0].add(a[1]), dims, ones(4), ones(4));
      assertEquals(java.util.List.of("s0 == s1"), graph.guards());
      assertThrows(TenonException.class, () -> graph.run(ones(4), ones(5)));
    }
  }

  @Test
  void fileOfPythonWithSizes_RunsWithSeveral() {
    try (Scope scope = Scope.open()) {
      String root = System.getenv("TENON_SOURCE_DIR");
      Graph graph = Graph.load(root + "/tests/conformance/graphs/dynamic.safetensors");
      assertArrayEquals(new float[] {9, 0, 9, 0}, graph.run(ones(2))[0].toFloatArray());
      assertArrayEquals(new long[] {10}, graph.run(ones(5))[0].sizes());
      assertArrayEquals(new long[] {5}, graph.run(ones(5))[1].sizes());
    }
  }

  @Test
  void runsRefuseSizesThatWereNumbers() {
    try (Scope scope = Scope.open()) {
      Tensor four = Tensor.of(new float[] {1, 1, 1, 1});
      Graph mean = Graph.record(a -> a[0].sum().div(a[0].size(0)), four);
      assertEquals(1, mean.run(four)[0].getDouble());
      Support.fails(
          ErrorCode.INVALID_ARGUMENT, () -> mean.run(pair(1, 1)), "x0 must be of size 4");
      Graph twice = Graph.recordForAnySizes(a -> a[0].add(a[0]), four);
      assertEquals(2, twice.run(pair(1, 1))[0].numel());
    }
  }

  @Test
  void aConstantThatTheFunctionWritesIsNewInEachRun() {
    try (Scope scope = Scope.open()) {
      Graph count =
          Graph.record(
              a -> {
                Tensor total = Tensor.of(new float[] {0, 0});
                return Tenon.op("aten::add_.Tensor").callTensor(total, a[0]);
              },
              pair(1, 1));
      for (int i = 0; i < 3; i++) {
        assertEquals(2, count.run(pair(1, 1))[0].sum().getDouble());
      }
    }
  }
}
