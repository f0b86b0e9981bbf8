// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
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
}
