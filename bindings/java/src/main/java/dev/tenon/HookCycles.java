// SPDX-License-Identifier: Apache-2.0
// Hooks that refer to their own tensors, which the garbage collector cannot see through C.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Releases hooks that are only reachable from their own tensor's object.
 *
 * <p>C holds a hook by a strong reference, and the tensor's object holds the tensor, so a hook that
 * refers to that object would keep itself alive. While nothing in C but the object refers to the
 * tensor and to its node, no pass can run the hook. Then the object holds the hook instead, and C
 * holds it weakly, so that the collector sees the cycle.
 *
 * <p>After each collection, the cleaner's thread looks at every tensor with hooks. It hides the
 * tensor's address, so that a use that begins has to wait for this class's lock, and then weakens
 * the hooks if no use is in flight and nothing else refers to the tensor; otherwise it puts the
 * address back. The next use of a tensor with weak hooks makes them strong again.
 */
final class HookCycles {
  /** The hooks of one tensor's object, which refers to this. */
  static final class Hooks {
    private final List<Object> bodies = new ArrayList<>();
    private final List<Integer> ids = new ArrayList<>();
    private long address; // the tensor's while the hooks are weak, otherwise 0
  }

  private static final List<WeakReference<Tensor>> TENSORS = new ArrayList<>();
  private static boolean waits;

  private HookCycles() {}

  /** Records that C holds a hook of a tensor by a reference's number. */
  static synchronized void add(Tensor tensor, int id, Object body) {
    Hooks hooks = tensor.hooks;
    if (hooks == null) {
      hooks = new Hooks();
      TENSORS.add(new WeakReference<>(tensor));
      tensor.hooks = hooks;
    }
    hooks.bodies.add(body);
    hooks.ids.add(id);
    wake();
  }

  /** Makes a tensor's hooks strong again before a use; returns the address, 0 if it is closed. */
  static synchronized long strengthen(Tensor tensor) {
    Hooks hooks = tensor.hooks;
    if (hooks.address != 0) {
      for (int i = 0; i < hooks.bodies.size(); i++) {
        References.strengthen(hooks.ids.get(i), hooks.bodies.get(i));
      }
      tensor.showAddress(hooks.address);
      hooks.address = 0;
    }
    return tensor.address;
  }

  // Requests a call after the next collection.
  private static void wake() {
    if (!waits) {
      waits = true;
      NativeHandle.afterCollection(HookCycles::sweep);
    }
  }

  private static synchronized void sweep() {
    waits = false;
    TENSORS.removeIf(
        reference -> {
          Tensor tensor = reference.get();
          return tensor == null || !look(tensor);
        });
    if (!TENSORS.isEmpty()) {
      wake();
    }
  }

  // Weakens the hooks of a tensor if it can; returns false if the tensor is closed. close() takes
  // the same lock, so that a hidden address stays valid.
  private static boolean look(Tensor tensor) {
    Hooks hooks = tensor.hooks;
    if (hooks.address != 0 || tensor.borrowed) {
      return true;
    }
    long address = tensor.hideAddress();
    if (address == 0) {
      return false;
    }
    if (tensor.isUnusedAfterFence() && isAlone(address)) {
      for (int i = 0; i < hooks.bodies.size(); i++) {
        References.weaken(hooks.ids.get(i), hooks.bodies.get(i));
      }
      hooks.address = address;
    } else {
      tensor.showAddress(address);
    }
    Reference.reachabilityFence(tensor);
    return true;
  }

  // Returns true if a tensor has a single reference, and its node only that of the tensor.
  private static boolean isAlone(long tensor) {
    if (TenonNative.tenon_tensor_use_count(tensor) != 1) {
      return false;
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(16);
      if (TenonNative.tenon_tensor_copy_node(tensor, out, out + 8) != 0) {
        TenonNative.tenon_error_release(TenonNative.tenon_error_take());
        return false;
      }
      long node = Memory.getLong(out);
      boolean alone = node != 0 && TenonNative.tenon_node_use_count(node) == 2; // and this copy
      TenonNative.tenon_node_release(node);
      return alone;
    } finally {
      frame.reset(mark);
    }
  }
}
