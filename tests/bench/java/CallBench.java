// SPDX-License-Identifier: Apache-2.0
// Calls from Java, and Java kernels called from C, each compared with plain JNI.
package dev.tenon.bench;

import dev.tenon.Library;
import dev.tenon.Op;
import dev.tenon.Operators;
import dev.tenon.Plugin;
import dev.tenon.Scope;
import dev.tenon.TenonException;
import dev.tenon.Tensor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * Average time of a call. The heap is small and already touched; otherwise, rows that allocate
 * would mostly measure how the system provides new pages.
 */
@Fork(jvmArgsAppend = {"-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch"})
@State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CallBench {
  private static final int UPCALLS = 1000;

  static {
    System.load(System.getProperty("tenon.bench.natives"));
    Plugin.load(System.getProperty("tenon.bench.plugin"));
  }

  private Tensor a;
  private Tensor b;
  private Op nothing;
  private Op scaled;
  private Op first;
  private Op fresh;
  private Op fails;
  private Op add;
  private Op relu;
  private Op transpose;
  private Op mulScalar;
  private Library library;
  private Op lambda;
  private Op identity;
  private Op throwing;
  private long nothingByHand;
  private long firstByHand;
  private long secondByHand;

  /** Makes tensors, operators and a Java kernel. */
  @Setup
  public void setUp() {
    a = Tensor.of(new float[] {1});
    b = Tensor.of(new float[] {2});
    nothing = Operators.find("tenon_bench::nothing");
    scaled = Operators.find("tenon_bench::scaled");
    first = Operators.find("tenon_bench::first");
    fresh = Operators.find("tenon_bench::fresh");
    fails = Operators.find("tenon_bench::fails");
    add = Operators.find("aten::add.Tensor");
    relu = Operators.find("aten::relu");
    transpose = Operators.find("aten::transpose.int");
    mulScalar = Operators.find("aten::mul.Scalar");
    // One namespace per thread: the benchmark with four threads has four of these objects.
    String namespace = "tenon_bench_java" + Thread.currentThread().getId();
    library = Library.open(namespace, Library.Kind.DEF);
    lambda = library.define("lambda(Tensor a, Tensor b) -> ()");
    library.impl(
        "lambda",
        "CPU",
        args -> {
          seen += args.length;
          return null;
        });
    identity = library.define("identity(Tensor a, Tensor b) -> Tensor");
    library.impl("identity", "CPU", args -> args[0]);
    throwing = library.define("throwing(Tensor a) -> ()");
    library.impl(
        "throwing",
        "CPU",
        args -> {
          throw new IllegalStateException("as asked");
        });
    Natives.prepare(namespace + "::lambda");
    nothingByHand = Natives.operator("tenon_bench::nothing");
    firstByHand = Natives.tensor(0);
    secondByHand = Natives.tensor(1);
  }

  /** Closes the objects of the setup. */
  @TearDown
  public void tearDown() {
    library.close();
    a.close();
    b.close();
  }

  // Kernels and upcalls add to this field, so that the JIT cannot eliminate them.
  static long seen;

  /** A native that does nothing. */
  @Benchmark
  public long jniNoop() {
    return Natives.noop(1, 2);
  }

  /** A hand-written native that calls the operator without results: the cost below Java. */
  @Benchmark
  public int jniTyped() {
    return Natives.typed(nothingByHand, firstByHand, secondByHand);
  }

  /** A static method called by JNI, a thousand times from one native. */
  @Benchmark
  @OperationsPerInvocation(UPCALLS)
  public void jniUpcall() {
    Natives.upcall(UPCALLS);
  }

  /** An operator that returns nothing. */
  @Benchmark
  public Object callNothing() {
    return nothing.call(a, b);
  }

  /** An operator that returns nothing, one default filled in. */
  @Benchmark
  public Object callDefault() {
    return scaled.call(a, b);
  }

  /** An operator that returns its first argument, closed at once. */
  @Benchmark
  public void callFirstAndClose() {
    first.callTensor(a, b).close();
  }

  /** An operator that allocates, its result closed at once. */
  @Benchmark
  public void callFreshAndClose() {
    fresh.callTensor(a, b).close();
  }

  /** An operator that allocates; a scope closes its result. */
  @Benchmark
  public void callFreshInScope() {
    try (Scope scope = Scope.open()) {
      fresh.callTensor(a, b);
    }
  }

  /** An operator that returns nothing, on four threads at once. */
  @Benchmark
  @Threads(4)
  public Object callNothingFourThreads() {
    return nothing.call(a, b);
  }

  /** The Tensor method for this addition. */
  @Benchmark
  public void addMethodInScope() {
    try (Scope scope = Scope.open()) {
      a.add(b);
    }
  }

  /** A whole addition of two 1-element tensors, one default filled in. */
  @Benchmark
  public void addInScope() {
    try (Scope scope = Scope.open()) {
      add.callTensor(a, b);
    }
  }

  /** One tensor. */
  @Benchmark
  public void reluInScope() {
    try (Scope scope = Scope.open()) {
      relu.call(a);
    }
  }

  /** A tensor and a number. */
  @Benchmark
  public void mulScalarInScope() {
    try (Scope scope = Scope.open()) {
      mulScalar.callTensor(a, 2.5);
    }
  }

  /** A view: a tensor and two integers. */
  @Benchmark
  public void transposeInScope() {
    try (Scope scope = Scope.open()) {
      transpose.callTensor(a, 0, 0);
    }
  }

  /** An error from C, thrown and caught. */
  @Benchmark
  public Object errorCaught() {
    try {
      return fails.call(a);
    } catch (TenonException e) {
      return e;
    }
  }

  /** An error from C, thrown and caught, with its message and stack trace read. */
  @Benchmark
  public int errorRead() {
    try {
      fails.call(a);
      return 0;
    } catch (TenonException e) {
      return e.getMessage().length() + e.getStackTrace().length;
    }
  }

  /** An exception from a Java kernel, caught by its Java caller. */
  @Benchmark
  public Object throwingLambdaFromJava() {
    try {
      return throwing.call(a);
    } catch (IllegalStateException e) {
      return e;
    }
  }

  /** A Java exception created, thrown and caught without Tenon. */
  @Benchmark
  public Object javaThrow() {
    try {
      throw new IllegalStateException("as asked");
    } catch (IllegalStateException e) {
      return e;
    }
  }

  /** Reads a tensor's metadata: its number of elements. */
  @Benchmark
  public long numel() {
    return a.numel();
  }

  /** A whole addition of two 1-element tensors. */
  @Benchmark
  public void addAndClose() {
    add.callTensor(a, b).close();
  }

  /** A Java kernel called from Java. */
  @Benchmark
  public Object lambdaFromJava() {
    return lambda.call(a, b);
  }

  /** A Java kernel that returns its argument, called from Java. */
  @Benchmark
  public void identityFromJava() {
    try (Scope scope = Scope.open()) {
      identity.call(a, b);
    }
  }

  /** A Java kernel called from C, a thousand times from one native. */
  @Benchmark
  @OperationsPerInvocation(UPCALLS)
  public void lambdaFromC() {
    Natives.callLambda(UPCALLS);
  }
}
