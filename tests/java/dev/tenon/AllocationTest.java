// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Heap allocations of a call: only the result's object. */
class AllocationTest {
  private static final int WARM_UP = 30_000;
  private static final int CALLS = 10_000;

  /** Bytes that a call allocates on this thread, on average over many in scopes. */
  private static double bytesPerCall(Runnable call) {
    run(call, WARM_UP);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long best = Long.MAX_VALUE; // the JIT may allocate too while it compiles
    for (int round = 0; round < 5; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      run(call, CALLS);
      best = Math.min(best, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return (double) best / CALLS;
  }

  private static void run(Runnable call, int count) {
    for (int i = 0; i < count; i += 10) {
      try (Scope scope = Scope.open()) {
        for (int j = 0; j < 10; j++) {
          call.run();
        }
      }
    }
  }

  // The JIT may or may not allocate scopes, a tenth of one per call; the smallest object has 16
  // bytes.
  private static void assertSameBytes(Runnable expected, Runnable call) {
    double wanted = bytesPerCall(expected);
    double got = bytesPerCall(call);
    // Code that is not compiled yet allocates more, and on a busy machine it is compiled late.
    for (int round = 0; round < 20 && Math.abs(wanted - got) > 8; round++) {
      wanted = Math.min(wanted, bytesPerCall(expected));
      got = Math.min(got, bytesPerCall(call));
    }
    assertEquals(wanted, got, 8);
  }

  @Test
  void callsWithoutResult_allocateNothing() {
    Support.plugin();
    Op plain = Operators.find("javatest::nothing");
    Op one = Operators.find("javatest::nothing.one");
    Op two = Operators.find("javatest::nothing.two");
    Op lists = Operators.find("javatest::nothing.lists");
    try (Tensor a = Tensor.scalar(1.0);
        Tensor b = Tensor.scalar(2.0)) {
      Runnable empty = () -> {};
      assertSameBytes(empty, () -> plain.call(a, b));
      assertSameBytes(empty, () -> one.call(a, b));
      assertSameBytes(empty, () -> two.call(a));
      assertSameBytes(empty, () -> lists.call(a, b));
    }
  }

  @Test
  void addWithADefault_allocatesItsResultOnly() {
    try (Tensor a = Tensor.scalar(1.0);
        Tensor b = Tensor.scalar(2.0)) {
      Runnable result = a::retain; // one object as well
      Op add = Operators.find("aten::add.Tensor");
      assertSameBytes(result, () -> a.add(b));
      assertSameBytes(result, () -> add.call(a, b));
      assertSameBytes(result, () -> add.callTensor(a, b));
      assertSameBytes(result, () -> a.sub(b));
      assertSameBytes(result, () -> a.sum());
      assertEquals(3.0, a.add(b).getDouble());
      assertEquals(-1.0, a.sub(b).getDouble());
    }
  }
}
