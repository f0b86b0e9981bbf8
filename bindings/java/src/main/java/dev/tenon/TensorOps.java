// SPDX-License-Identifier: Apache-2.0
// The operators behind the methods of Tensor.
package dev.tenon;

import java.lang.ref.Reference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Finds operators on first use and calls them. */
final class TensorOps {
  private static final Map<String, Op> FOUND = new ConcurrentHashMap<>();

  private TensorOps() {}

  static Op op(String name) {
    Op op = FOUND.get(name);
    return op != null ? op : FOUND.computeIfAbsent(name, Operators::find);
  }

  static Object call(String name, Object... args) {
    return op(name).call(args);
  }

  static Tensor tensor(String name, Object... args) {
    return op(name).callTensor(args);
  }

  /** Calls an operator that writes and returns its first argument. Returns the same Java object. */
  static Tensor inPlace(String name, Tensor self, Object other) {
    op(name).callTensor(self, other).close();
    Reference.reachabilityFence(self);
    return self;
  }

  /** Like {@link #inPlace}, for an operator that draws random numbers. */
  static Tensor draw(String name, Tensor self, double a, double b, Generator generator) {
    op(name).with("generator", generator).callTensor(self, a, b).close();
    Reference.reachabilityFence(self);
    return self;
  }
}
