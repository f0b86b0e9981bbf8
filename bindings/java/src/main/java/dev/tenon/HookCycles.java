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
 * Lets go of hooks that only their own tensor's object leads to.
 *
 * <p>C holds a hook by a strong reference, and the tensor's object holds the tensor: a hook that
 * refers to that object would keep itself. While nothing in C but the object refers to the tensor
 * and to its node, no pass can run the hook. Then the object holds the hook instead, and C holds it
 * weakly, so that the collector sees the cycle. Any use of the object puts the strong reference
 * back before it reads the address.
 *
 * <p>After each collection every tensor with hooks is looked at, on the cleaner's thread. One that
 * has nothing else in C is watched first, and its hooks are weakened when it was not used until the
 * next collection: a use that was under way has ended by then, or shows in the counts.
 */
final class HookCycles {
  private enum State {
    STRONG,
    WATCHED,
    WEAK
  }

  /** The hooks of one tensor's object, which refers to this. */
  static final class Hooks {
    private final List<Object> bodies = new ArrayList<>();
    private final List<Integer> ids = new ArrayList<>();
    private State state = State.STRONG;
    private CallFrame home; // while watched or weak: the thread's that made the object
  }

  private static final List<WeakReference<Tensor>> TENSORS = new ArrayList<>();
  private static boolean waits;

  private HookCycles() {}

  /** Notes that C holds a hook of a tensor by a reference's number. */
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

  /** Makes a tensor's hooks strong again; it is about to be used. */
  static synchronized void strengthen(NativeHandle handle) {
    Hooks hooks = ((Tensor) handle).hooks;
    if (hooks.state == State.STRONG) {
      return;
    }
    if (hooks.state == State.WEAK) {
      for (int i = 0; i < hooks.bodies.size(); i++) {
        References.strengthen(hooks.ids.get(i), hooks.bodies.get(i));
      }
    }
    hooks.state = State.STRONG;
    handle.moveTo(hooks.home);
  }

  // Asks to be called after the next collection.
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
          if (tensor == null || tensor.isClosed()) {
            return true;
          }
          look(tensor);
          return false;
        });
    if (!TENSORS.isEmpty()) {
      wake();
    }
  }

  // close() takes the same lock, so that the address stays good here.
  private static void look(Tensor tensor) {
    Hooks hooks = tensor.hooks;
    if (hooks.state == State.WEAK) {
      return;
    }
    if (!isAlone(tensor.address)) {
      strengthen(tensor);
    } else if (hooks.state == State.STRONG) {
      hooks.state = State.WATCHED;
      hooks.home = tensor.moveTo(CallFrame.NONE);
    } else {
      for (int i = 0; i < hooks.bodies.size(); i++) {
        References.weaken(hooks.ids.get(i), hooks.bodies.get(i));
      }
      hooks.state = State.WEAK;
    }
    Reference.reachabilityFence(tensor);
  }

  // Whether nothing refers to a tensor but one object, and nothing to its node but the tensor.
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
