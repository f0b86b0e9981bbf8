// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Exits the JVM in the way that the argument names, with Tenon objects still alive. */
final class ExitRun {
  /** A way to end: the status and what the output must contain; "" means no output at all. */
  record Scenario(int status, String output, Body body) {}

  interface Body {
    void run() throws Exception;
  }

  private static final int STATUS = 42; // of the scenarios that exit the JVM explicitly
  private static final int UNCAUGHT = 1; // of a main method that throws

  static final Map<String, Scenario> SCENARIOS = new LinkedHashMap<>();

  private static final CountDownLatch NEVER = new CountDownLatch(1);
  private static Object kept;

  private ExitRun() {}

  public static void main(String[] arguments) throws Exception {
    SCENARIOS.get(arguments[0]).body.run();
  }

  private static void add(String name, Body body) {
    SCENARIOS.put(name, new Scenario(0, "", body));
  }

  private static void add(String name, int status, Body body) {
    SCENARIOS.put(name, new Scenario(status, "", body));
  }

  // ---- What is alive at the end -----------------------------------------------------------------

  private static final class Opened {
    final Library library = Support.library();
    final Op op = library.define("x(Tensor a) -> Tensor");
    final Tensor x = Tensor.of(new float[] {1, 2});
    final String name = library.namespace() + "::x";

    Opened(Kernel kernel) {
      library.impl("x", "CPU", kernel);
    }

    Opened() {
      this(args -> args[0]);
    }

    Tensor call() {
      return (Tensor) op.call(x);
    }

    Tensor callThroughC() {
      return Operators.find("javatest::invoke").callTensor(name, x);
    }
  }

  private static void daemon(Runnable body) {
    Thread thread = new Thread(body, "daemon");
    thread.setDaemon(true);
    thread.start();
  }

  /** Starts daemon threads that call forever; calls fail once the library is closed. */
  private static void callers(int count, Runnable call) throws InterruptedException {
    CountDownLatch running = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      daemon(
          () -> {
            running.countDown();
            while (true) {
              try {
                call.run();
              } catch (TenonException e) {
                Thread.onSpinWait();
              }
            }
          });
    }
    running.await();
    Thread.sleep(5);
  }

  /** Daemon threads inside of a kernel that never returns. */
  private static Opened stuck(int count) throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(count);
    Opened all =
        new Opened(
            args -> {
              inside.countDown();
              NEVER.await();
              return args[0];
            });
    Support.plugin();
    for (int i = 0; i < count; i++) {
      boolean throughC = i % 2 == 0;
      daemon(() -> kept = throughC ? all.callThroughC() : all.call());
    }
    inside.await();
    return all;
  }

  private static void hook(Runnable body) {
    Runtime.getRuntime().addShutdownHook(new Thread(body, "hook"));
  }

  private static Kernel exiting(Body exit) {
    return args -> {
      exit.run();
      return args[0];
    };
  }

  // ---- The ways ---------------------------------------------------------------------------------

  static {
    add("nothing used", () -> Support.namespace());
    add("library and tensor alive, called", () -> kept = new Opened().call());
    add("forgotten handles, collected late", ExitRun::forget);
    add("tensor held by C, of Java's memory", ExitRun::hold);
    add("exception of a kernel kept", () -> keepException(false));
    add("exception kept, through C", () -> keepException(true));
    add("guard not closed", () -> kept = KeyGuard.include(DispatchKey.TRACER));
    add("scope not closed", () -> kept = new Object[] {Scope.open(), new Opened().call()});
    add("DLPack capsule not taken", () -> kept = new Opened().x.toDLPack());
    add("library closed, operator kept", ExitRun::close);
    add("daemon threads call", () -> callers(4, new Opened()::call));
    add("daemon threads call through C", ExitRun::callThroughC);
    add("daemon threads call a closed library", ExitRun::callClosed);
    add("daemon threads register", () -> callers(2, () -> new Opened().library.close()));
    add("daemon threads throw through C", ExitRun::throwThroughC);
    add("daemon threads inside kernels", () -> kept = stuck(4));
    add("daemon threads inside kernels, closed", () -> stuck(2).library.close());
    SCENARIOS.put(
        "thread of C calls a Java kernel, then atexit",
        new Scenario(0, "after the machine: TENON_ERROR_STATE", ExitRun::threadOfC));
    add("main returns, other threads go on", () -> workers().forEach(Thread::start));
    SCENARIOS.put(
        "main throws, other threads go on", new Scenario(UNCAUGHT, "lost", ExitRun::lose));
    add("kernel calls System.exit", STATUS, () -> new Opened(exiting(ExitRun::exit)).call());
    add("kernel under C calls System.exit", STATUS, () -> exitUnderC("invoke"));
    add("kernel on a thread of C calls System.exit", STATUS, () -> exitUnderC("invoke_on_thread"));
    add("kernel calls Runtime.halt", STATUS, () -> new Opened(exiting(ExitRun::halt)).call());
    add("Runtime.halt, daemon threads call", STATUS, ExitRun::haltBesideCallers);
    add("two kernels call System.exit at once", STATUS, ExitRun::exitTwice);
    add("shutdown hook calls", () -> hook(new Opened()::call));
    add("shutdown hook closes, threads call", ExitRun::closeInHook);
    add("shutdown hook uses Tenon first", () -> hook(() -> kept = new Opened().call()));
    add("System.exit inside a shutdown hook's kernel", ExitRun::haltInHook);
  }

  private static void exit() {
    System.exit(STATUS);
  }

  private static void halt() {
    Runtime.getRuntime().halt(STATUS);
  }

  private static void forget() {
    for (int i = 0; i < 1000; i++) {
      new Opened().call();
    }
    System.gc();
  }

  private static void hold() {
    Support.plugin();
    Tensor x = Tensor.wrap(
            ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()), DType.FLOAT32);
    Operators.find("javatest::hold").call(x);
  }

  private static void keepException(boolean throughC) {
    Support.plugin();
    Opened all =
        new Opened(
            args -> {
              throw new ArithmeticException();
            });
    try {
      kept = throughC ? all.callThroughC() : all.call();
    } catch (ArithmeticException thrown) {
      kept = thrown;
      return;
    }
    throw new AssertionError("must throw");
  }

  private static void close() {
    Opened all = new Opened();
    kept = all;
    all.library.close();
  }

  private static void callThroughC() throws InterruptedException {
    Support.plugin();
    callers(4, new Opened()::callThroughC);
  }

  private static void callClosed() throws InterruptedException {
    Opened all = new Opened();
    callers(2, all::call);
    all.library.close();
  }

  private static void throwThroughC() throws InterruptedException {
    Support.plugin();
    Opened all =
        new Opened(
            args -> {
              throw new TenonException(ErrorCode.RUNTIME, "lost");
            });
    callers(2, all::callThroughC);
  }

  private static void threadOfC() throws InterruptedException {
    Support.plugin();
    Opened all = new Opened();
    Operators.find("javatest::call_until_exit").call(all.name, all.x);
    Thread.sleep(50);
  }

  private static List<Thread> workers() {
    Opened all = new Opened();
    Runnable work =
        () -> {
          for (int i = 0; i < 100; i++) {
            all.call();
            LockSupport.parkNanos(100_000);
          }
        };
    return List.of(new Thread(work), new Thread(work));
  }

  private static void lose() {
    workers().forEach(Thread::start);
    new Opened(
            args -> {
              throw new IllegalStateException("lost");
            })
        .call();
  }

  private static void exitUnderC(String through) {
    Support.plugin();
    Opened all = new Opened(exiting(ExitRun::exit));
    Operators.find("javatest::" + through).callTensor(all.name, all.x);
  }

  private static void haltBesideCallers() throws InterruptedException {
    callers(2, new Opened()::call);
    halt();
  }

  private static void exitTwice() throws InterruptedException {
    Opened all = new Opened(exiting(ExitRun::exit));
    daemon(all::call);
    all.call();
  }

  private static void closeInHook() throws InterruptedException {
    Opened all = new Opened();
    callers(2, all::call);
    hook(all.library::close);
  }

  // System.exit would wait for the hook that calls it, which is Java's own rule.
  private static void haltInHook() {
    Opened all = new Opened(exiting(() -> Runtime.getRuntime().halt(0)));
    hook(all::call);
  }
}
