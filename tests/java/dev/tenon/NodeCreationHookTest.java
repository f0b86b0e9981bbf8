// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Hooks that see new nodes. */
class NodeCreationHookTest {
  @BeforeAll
  static void loadOperators() {
    AutogradTest.loadOperators();
  }

  @Test
  void nodes_areSeenUntilItIsClosed() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            Tensor x = Tensor.of(new float[] {3}).requiresGrad(true);
            List<String> names = new ArrayList<>();
            try (NodeCreationHook hook = NodeCreationHook.enter(node -> names.add(node.name()))) {
              x.mul(x).sum();
            }
            x.mul(x);
            assertEquals(List.of("AccumulateGrad", "MulBackward0", "SumBackward0"), names);
          }
        });
  }

  @Test
  void thrown_comesHomeAsTheSameObject() throws Throwable {
    IOException thrown = new IOException("no nodes");
    NodeCreationHook.Hook failing =
        node -> {
          throw thrown;
        };
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            Tensor x = Tensor.of(new float[] {3}).requiresGrad(true);
            NodeCreationHook outer = NodeCreationHook.enter(node -> {});
            NodeCreationHook inner = NodeCreationHook.enter(failing);
            assertSame(thrown, assertThrows(IOException.class, () -> x.mul(x)));
            Support.fails(ErrorCode.STATE, () -> outer.close(), "reverse");
            inner.close();
            inner.close();
            outer.close();
            assertThrows(NullPointerException.class, () -> NodeCreationHook.enter(null));
          }
        });
  }
}
