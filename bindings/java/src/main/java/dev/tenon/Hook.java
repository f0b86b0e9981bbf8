// SPDX-License-Identifier: Apache-2.0
// Hooks: functions that run during backward passes.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.TenonNativeConstants;
import java.util.Objects;

/**
 * A hook on a tensor or a node. Closing this object removes the hook. The hook stays if the object
 * becomes unreachable or its {@link Scope} ends.
 *
 * <pre>{@code
 * try (Hook twice = x.registerHook(grad -> grad.mul(2))) {
 *   y.backward();
 * }
 * }</pre>
 *
 * <p>Hooks run on the thread that runs the pass, each in its own scope, with tensors that are views
 * and end with the run. An exception stops the pass and is propagated unchanged.
 */
public final class Hook extends NativeHandle {
  /** Runs when a tensor's gradient is complete. */
  @FunctionalInterface
  public interface OfTensor {
    /** Returns another gradient, or null to keep this one. */
    Tensor apply(Tensor grad) throws Exception;
  }

  /** Runs after a leaf's gradient was accumulated. */
  @FunctionalInterface
  public interface OfLeaf {
    /** Receives the leaf. */
    void accept(Tensor leaf) throws Exception;
  }

  /** Runs before a node. */
  @FunctionalInterface
  public interface BeforeNode {
    /**
     * Returns other gradients of the node's outputs, or null to keep these. A null element: no
     * gradient.
     */
    Tensor[] apply(Tensor[] gradOutputs) throws Exception;
  }

  /** Runs after a node. */
  @FunctionalInterface
  public interface AfterNode {
    /**
     * Returns other gradients of the node's inputs, or null to keep these. A null element: no
     * gradient.
     */
    Tensor[] apply(Tensor[] gradInputs, Tensor[] gradOutputs) throws Exception;
  }

  /** Any of these hooks, in the form that C refers to. */
  interface Body {
    /** Returns the gradients that replace the current ones; null keeps them. */
    Tensor[] run(Tensor[] grads, Tensor[] outputs, Tensor leaf) throws Exception;
  }

  private Hook(long address) {
    super(address);
  }

  static Body onTensor(OfTensor hook) {
    Objects.requireNonNull(hook, "hook");
    return (grads, outputs, leaf) -> {
      Tensor grad = grads[0] == null ? null : hook.apply(grads[0]);
      return grad == null ? null : new Tensor[] {grad};
    };
  }

  static Body onLeaf(OfLeaf hook) {
    Objects.requireNonNull(hook, "hook");
    return (grads, outputs, leaf) -> {
      hook.accept(leaf);
      return null;
    };
  }

  static Body beforeNode(BeforeNode hook) {
    Objects.requireNonNull(hook, "hook");
    return (grads, outputs, leaf) -> hook.apply(grads);
  }

  static Body afterNode(AfterNode hook) {
    Objects.requireNonNull(hook, "hook");
    return (grads, outputs, leaf) -> hook.apply(grads, outputs);
  }

  /** A native function that adds a hook. */
  interface HookAdder {
    int call(long options, long out);
  }

  static Hook add(int kind, Body body, HookAdder adder) {
    return add(kind, body, null, adder);
  }

  /** Adds a hook to a tensor, which the hook may refer to. */
  static Hook add(int kind, Body body, Tensor tensor, HookAdder adder) {
    Bridge.open();
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long options = frame.allocate(Structs.HOOK_OPTIONS_SIZE);
      Memory.zero(options, Structs.HOOK_OPTIONS_SIZE);
      Memory.putInt(options, Structs.HOOK_OPTIONS_SIZE);
      Memory.putInt(options + Structs.HOOK_OPTIONS_KIND, kind);
      Memory.putLong(options + Structs.HOOK_OPTIONS_FN, Addresses.CALL_HOOK);
      Memory.putInt(
          options + Structs.HOOK_OPTIONS_LANGUAGE, TenonNativeConstants.TENON_LANGUAGE_JAVA);
      Memory.putLong(options + Structs.HOOK_OPTIONS_DELETER, Addresses.DROP_REFERENCE);
      long out = frame.allocate(8);
      // C owns the reference from here on, also on failure.
      long reference = References.add(body);
      int id = Memory.getInt(reference + Structs.REF_ID);
      Memory.putLong(options + Structs.HOOK_OPTIONS_CTX, reference);
      Errors.check(adder.call(options, out));
      if (tensor != null) {
        HookCycles.add(tensor, id, body);
      }
      Hook hook = new Hook(Memory.getLong(out));
      hook.guardByCleaner();
      return hook;
    } finally {
      frame.reset(mark);
      References.drain();
    }
  }

  /** Runs a hook on the native call at an address. */
  static void run(CallFrame frame, Body body, long at, int guards) throws Exception {
    if (body == null) {
      return; // garbage-collected with its tensor
    }
    int count = (int) Memory.getLong(at + Structs.HOOK_CALL_NGRADS);
    int outputs = (int) Memory.getLong(at + Structs.HOOK_CALL_NOUTPUTS);
    long leaf = Memory.getLong(at + Structs.HOOK_CALL_TENSOR);
    String name = TenonNative.tenon_node_name(Memory.getLong(at));
    Tensor[] replaced =
        body.run(
            Values.borrowTensors(frame, Memory.getLong(at + Structs.HOOK_CALL_GRADS), count),
            Values.borrowTensors(frame, Memory.getLong(at + Structs.HOOK_CALL_OUTPUTS), outputs),
            leaf == 0 ? null : Tensor.borrow(frame, leaf));
    frame.checkGuards(guards, name);
    if (replaced == null) {
      return;
    }
    if (replaced.length != count) {
      throw TenonException.value(
          name, "hook's gradients", count + ", or null to keep them", replaced.length + "");
    }
    Values.giveTensors(Memory.getLong(at + Structs.HOOK_CALL_OUT_GRADS), replaced);
    Memory.putInt(at + Structs.HOOK_CALL_REPLACES, 1);
  }

  /** Removes the hook, so that it is not called again. Closing again does nothing. */
  @Override
  public void close() {
    long a = address;
    if (a != 0) {
      TenonNative.tenon_hook_remove(a);
    }
    super.close();
    References.drain();
  }

  @Override
  int type() {
    return HOOK;
  }

  @Override
  String title() {
    return "Hook";
  }
}
