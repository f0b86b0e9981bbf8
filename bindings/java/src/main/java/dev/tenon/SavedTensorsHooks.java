// SPDX-License-Identifier: Apache-2.0
// Saved-tensor hooks.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.TenonNativeConstants;
import java.util.Objects;

/**
 * Saved-tensor hooks of the calling thread, until they are closed. Tensors that nodes save are
 * packed by the innermost hooks. {@link ThreadState} carries them, and packed values keep them
 * alive.
 *
 * <pre>{@code
 * try (SavedTensorsHooks hooks = SavedTensorsHooks.enter(disk::store, disk::load)) {
 *   y = model(x);
 * }
 * y.backward();
 * }</pre>
 *
 * <p>Both hooks run in their own scopes. Their exceptions are propagated unchanged: from {@code
 * pack} to the caller of the operator, from {@code unpack} to the caller of the backward pass.
 */
public final class SavedTensorsHooks implements AutoCloseable {
  /** Packs a tensor that a node saves. */
  @FunctionalInterface
  public interface Pack {
    /**
     * Returns an object to save in place of a tensor: a tensor, a number, an object of any class.
     */
    Object pack(Tensor tensor) throws Exception;
  }

  /** Unpacks a saved object, each time a backward pass reaches the node. */
  @FunctionalInterface
  public interface Unpack {
    /** Returns the tensor of a packed object. */
    Tensor unpack(Object packed) throws Exception;
  }

  /** Both hooks, in the form that C refers to. */
  record Hooks(Pack packing, Unpack unpacking) {
    /** Packs. The subject contains the tensor, and room for the packed value. */
    void pack(CallFrame frame, long subject, int guards) throws Exception {
      Object packed = packing.pack(Tensor.borrow(frame, Memory.getLong(subject)));
      frame.checkGuards(guards, "pack");
      Signature.ANY.writeOwned(frame, Memory.getLong(subject + 8), packed);
    }

    /** Unpacks. The subject contains the packed value, and room for the tensor. */
    void unpack(CallFrame frame, long subject, int guards) throws Exception {
      Object packed = Values.read(frame, Memory.getLong(subject), Values.BORROW);
      Tensor tensor = unpacking.unpack(packed);
      frame.checkGuards(guards, "unpack");
      if (tensor == null) {
        throw TenonException.type("SavedTensorsHooks", "unpacked", "Tensor", "null");
      }
      Values.giveTensors(Memory.getLong(subject + 8), new Tensor[] {tensor});
    }
  }

  private final long ctx;
  private boolean closed;

  private SavedTensorsHooks(long ctx) {
    this.ctx = ctx;
  }

  /**
   * Enters hooks on the calling thread.
   *
   * @throws TenonException STATE, with the reason as message, if hooks are disabled
   */
  public static SavedTensorsHooks enter(Pack pack, Unpack unpack) {
    Objects.requireNonNull(pack, "pack");
    Objects.requireNonNull(unpack, "unpack");
    Bridge.open();
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long hooks = frame.allocate(Structs.SAVED_HOOKS_SIZE);
      Memory.zero(hooks, Structs.SAVED_HOOKS_SIZE);
      Memory.putInt(hooks, Structs.SAVED_HOOKS_SIZE);
      Memory.putInt(
          hooks + Structs.SAVED_HOOKS_LANGUAGE, TenonNativeConstants.TENON_LANGUAGE_JAVA);
      Memory.putLong(hooks + Structs.SAVED_HOOKS_PACK, Addresses.CALL_PACK);
      Memory.putLong(hooks + Structs.SAVED_HOOKS_UNPACK, Addresses.CALL_UNPACK);
      Memory.putLong(hooks + Structs.SAVED_HOOKS_DELETER, Addresses.DROP_REFERENCE);
      // C owns the reference from here on, also on failure.
      long ctx = References.add(new Hooks(pack, unpack));
      Memory.putLong(hooks + Structs.SAVED_HOOKS_CTX, ctx);
      Errors.check(TenonNative.tenon_saved_hooks_push(hooks));
      return new SavedTensorsHooks(ctx);
    } finally {
      frame.reset(mark);
      References.drain();
    }
  }

  /**
   * Disables saved-tensor hooks on the calling thread, with a message, until the result is closed.
   *
   * @throws TenonException STATE, with the message, inside of hooks
   */
  public static Disabled disable(String message) {
    Objects.requireNonNull(message, "message");
    String before = TenonNative.tenon_saved_hooks_refusal();
    Errors.check(TenonNative.tenon_saved_hooks_disable(message));
    return new Disabled(before);
  }

  /** Hooks are disabled until it is closed, in reverse order and on the same thread. */
  public static final class Disabled implements AutoCloseable {
    private final String before;
    private boolean closed;

    private Disabled(String before) {
      this.before = before;
    }

    /** Restores the previous setting. Closing again does nothing. */
    @Override
    public void close() {
      if (!closed) {
        Errors.check(TenonNative.tenon_saved_hooks_disable(before));
        closed = true;
      }
    }
  }

  /**
   * Leaves the hooks. Closing again does nothing.
   *
   * @throws TenonException STATE on another thread, and if hooks that were entered later are still
   *     open
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    Errors.check(TenonNative.tenon_saved_hooks_pop(ctx));
    closed = true;
    References.drain();
  }
}
