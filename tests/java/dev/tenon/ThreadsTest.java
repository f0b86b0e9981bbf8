// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

class ThreadsTest {
  private static void onThreads(ExecutorService executor, int count, Callable<?> task)
      throws Exception {
    try {
      List<Future<?>> futures = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        futures.add(executor.submit(task));
      }
      for (Future<?> future : futures) {
        future.get();
      }
    } finally {
      executor.shutdown();
    }
  }

  @Test
  void fourThreads_callDirectlyThroughCAndWithErrors() throws Throwable {
    Support.plugin();
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library()) {
            String ns = lib.namespace();
            Op add = lib.define("add(Tensor a, Tensor b) -> Tensor");
            lib.impl(
                "add",
                "CPU",
                args ->
                    Tensor.scalar(((Tensor) args[0]).getDouble() + ((Tensor) args[1]).getDouble()));
            Op bad = lib.define("bad(Tensor a) -> Tensor");
            lib.impl(
                "bad",
                "CPU",
                args -> {
                  throw new ArithmeticException();
                });
            Op invoke = Operators.find("javatest::invoke");
            Op invoke2 = Operators.find("javatest::invoke2");
            onThreads(
                Executors.newFixedThreadPool(4),
                4,
                () -> {
                  for (int i = 0; i < 2000; i++) {
                    try (Scope scope = Scope.open()) {
                      Tensor a = Tensor.scalar((double) i);
                      assertEquals(2 * i, add.callTensor(a, a).getDouble());
                      assertEquals(2 * i, invoke2.callTensor(ns + "::add", a, a).getDouble());
                      try {
                        invoke.callTensor(ns + "::bad", a);
                        throw new AssertionError("must throw");
                      } catch (ArithmeticException expected) {
                        // the same exception arrives, on each thread
                      }
                      assertEquals(1, a.useCount());
                    }
                  }
                  return null;
                });
          }
        });
  }

  @Test
  void registering_whileOthersCall() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library()) {
            Op op = lib.define("f(Tensor a) -> Tensor");
            lib.impl("f", "CPU", args -> Tensor.scalar(1.0));
            Thread writer =
                new Thread(
                    () -> {
                      for (int i = 0; i < 300; i++) {
                        lib.impl("f", "CPU", args -> Tensor.scalar(2.0)).close();
                      }
                    });
            writer.start();
            onThreads(
                Executors.newFixedThreadPool(3),
                3,
                () -> {
                  try (Tensor a = Tensor.scalar(0.0)) {
                    while (writer.isAlive()) {
                      try (Tensor r = op.callTensor(a)) {
                        double value = r.getDouble();
                        assertTrue(value == 1 || value == 2);
                      }
                    }
                  }
                  return null;
                });
            writer.join();
          }
        });
  }

  @Test
  void thousandsOfThreads_comeCallRegisterAndGo() throws Throwable {
    Support.plugin();
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library()) {
            String ns = lib.namespace();
            Op op = lib.define("f(Tensor a) -> Tensor");
            lib.impl("f", "CPU", args -> args[0]);
            Op invoke = Operators.find("javatest::invoke");
            AtomicInteger good = new AtomicInteger();
            for (int round = 0; round < 100; round++) {
              List<Thread> threads = new ArrayList<>();
              for (int i = 0; i < 20; i++) {
                int number = i;
                Thread thread =
                    new Thread(
                        () -> {
                          try (Tensor a = Tensor.scalar((double) number);
                              Registration own = lib.impl("f", "CPU", args -> args[0]);
                              Tensor byC = invoke.callTensor(ns + "::f", a);
                              Tensor byJava = op.callTensor(a)) {
                            if (byC.getDouble() == number && byJava.isSame(a)) {
                              good.incrementAndGet();
                            }
                          }
                          // The thread ends with an open guard, whose keys end with the thread.
                          KeyGuard.include(DispatchKey.TRACER);
                        });
                thread.start();
                threads.add(thread);
              }
              for (Thread thread : threads) {
                thread.join();
              }
            }
            assertEquals(2000, good.get());
            Thread fresh =
                new Thread(
                    () -> {
                      if (!DispatchKeySet.included().has(DispatchKey.TRACER)) {
                        good.set(-1);
                      }
                    });
            fresh.start();
            fresh.join();
            assertEquals(-1, good.get());
          }
        });
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void virtualThreads_callKernelsThatBlock() throws Throwable {
    ExecutorService executor;
    try {
      executor =
          (ExecutorService)
              Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    Support.leavesNothing(
        () -> {
          try (Library lib = Support.library()) {
            Op op = lib.define("f(Tensor a) -> Tensor");
            lib.impl(
                "f",
                "CPU",
                args -> {
                  Thread.sleep(1);
                  return Tensor.scalar(((Tensor) args[0]).getDouble() + 1);
                });
            onThreads(
                executor,
                50,
                () -> {
                  try (Scope scope = Scope.open()) {
                    Tensor a = Tensor.scalar(1.0);
                    for (int i = 0; i < 5; i++) {
                      assertEquals(2, op.callTensor(a).getDouble());
                    }
                  }
                  try (KeyGuard guard = KeyGuard.exclude(DispatchKey.BATCHED)) {
                    throw new AssertionError("must be refused");
                  } catch (IllegalStateException expected) {
                    return null;
                  }
                });
          }
        });
  }
}
