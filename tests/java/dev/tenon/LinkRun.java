// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Calls a Java kernel from C on four threads until each uses the stub. */
final class LinkRun {
  private static final int THREADS = 4;
  private static final long LIMIT_NANOS = 60_000_000_000L;

  private LinkRun() {}

  public static void main(String[] arguments) throws Exception {
    Support.plugin();
    Library library = Support.library();
    library.define("k(Tensor x) -> Tensor");
    ThreadLocal<Boolean> byStub = ThreadLocal.withInitial(() -> false);
    library.impl(
        "k",
        "CPU",
        args -> {
          byStub.set(Support.enteredByStub());
          return Tensor.scalar(((Tensor) args[0]).getDouble() + 1);
        });
    String name = library.namespace() + "::k";
    Op invoke = Operators.find("javatest::invoke");
    long end = System.nanoTime() + LIMIT_NANOS;
    Callable<Boolean> caller =
        () -> {
          int before = 0;
          while (!byStub.get() && System.nanoTime() < end) {
            try (Scope scope = Scope.open()) {
              double result = invoke.callTensor(name, Tensor.scalar((double) before)).getDouble();
              if (result != before + 1) {
                throw new AssertionError(result);
              }
              before++;
            }
          }
          return before > 1 && byStub.get();
        };
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    List<Future<Boolean>> callers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      callers.add(executor.submit(caller));
    }
    int over = 0;
    for (Future<Boolean> one : callers) {
      over += one.get() ? 1 : 0;
    }
    executor.shutdown();
    System.out.println("LinkRun: " + over + " threads went over");
    library.close();
  }
}
