// SPDX-License-Identifier: Apache-2.0
// Calls from Java and Java kernels called from C, each beside plain JNI.
package dev.tenon.bench;

import dev.tenon.Library;
import dev.tenon.Op;
import dev.tenon.Operators;
import dev.tenon.Plugin;
import dev.tenon.Scope;
import dev.tenon.Tensor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Average time of a call. */
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
  private Op first;
  private Op fresh;
  private Op add;
  private Library library;
  private Op lambda;

  /** Makes tensors, operators and a Java kernel. */
  @Setup
  public void setUp() {
    a = Tensor.of(new float[] {1});
    b = Tensor.of(new float[] {2});
    nothing = Operators.find("tenon_bench::nothing");
    first = Operators.find("tenon_bench::first");
    fresh = Operators.find("tenon_bench::fresh");
    add = Operators.find("aten::add.Tensor");
    library = Library.open("tenon_bench_java", Library.Kind.DEF);
    lambda = library.define("lambda(Tensor a, Tensor b) -> ()");
    library.impl(
        "lambda",
        "CPU",
        args -> {
          seen += args.length;
          return null;
        });
    Natives.prepare("tenon_bench_java::lambda");
  }

  /** Closes what the set-up opened. */
  @TearDown
  public void tearDown() {
    library.close();
    a.close();
    b.close();
  }

  // What kernels and upcalls add to: an empty method would be skipped.
  static long seen;

  /** A native that does nothing. */
  @Benchmark
  public long jniNoop() {
    return Natives.noop(1, 2);
  }

  /** A static method called by JNI, a thousand times from one native. */
  @Benchmark
  @OperationsPerInvocation(UPCALLS)
  public void jniUpcall() {
    Natives.upcall(UPCALLS);
  }

  /** An operator that returns nothing. */
  @Benchmark
  public Tensor callNothing() {
    return nothing.call(a, b);
  }

  /** An operator that returns its first argument, closed at once. */
  @Benchmark
  public void callFirstAndClose() {
    first.call(a, b).close();
  }

  /** An operator that allocates, its result closed at once. */
  @Benchmark
  public void callFreshAndClose() {
    fresh.call(a, b).close();
  }

  /** An operator that allocates, its result left to a scope. */
  @Benchmark
  public void callFreshInScope() {
    try (Scope scope = Scope.open()) {
      fresh.call(a, b);
    }
  }

  /** A whole addition of two 1-element tensors. */
  @Benchmark
  public void addAndClose() {
    add.callTensor(a, b).close();
  }

  /** A Java kernel called from Java. */
  @Benchmark
  public Tensor lambdaFromJava() {
    return lambda.call(a, b);
  }

  /** A Java kernel called from C, a thousand times from one native. */
  @Benchmark
  @OperationsPerInvocation(UPCALLS)
  public void lambdaFromC() {
    Natives.callLambda(UPCALLS);
  }
}
