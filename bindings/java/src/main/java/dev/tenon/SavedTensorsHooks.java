// SPDX-License-Identifier: Apache-2.0
// Hooks of saved tensors.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.TenonNativeConstants;
import java.util.Objects;

/**
 * Hooks of saved tensors of the calling thread, until they are closed: what nodes save is packed by
 * the innermost ones. {@link ThreadState} carries them; what they packed keeps them.
 *
 * <pre>{@code
 * try (SavedTensorsHooks hooks = SavedTensorsHooks.enter(disk::store, disk::load)) {
 *   y = model(x);
 * }
 * y.backward();
 * }</pre>
 *
 * <p>Both run in a scope of their own; what they throw comes home as the same object: from {@code
 * pack} to who makes the call, from {@code unpack} to who runs the pass.
 */
public final class SavedTensorsHooks implements AutoCloseable {
  /** Packs what a node saves. */
  @FunctionalInterface
  public interface Pack {
    /** Returns anything that stands for a tensor: a tensor, a number, an object of any class. */
    Object pack(Tensor tensor) throws Exception;
  }

  /** Unpacks it, each time that a backward pass comes to the node. */
  @FunctionalInterface
  public interface Unpack {
    /** Returns the tensor that something stands for. */
    Tensor unpack(Object packed) throws Exception;
  }

  /** Both, as C refers to them. */
  record Hooks(Pack packing, Unpack unpacking) {
    /** The subject has the tensor, and room for what stands for it. */
    void pack(CallFrame frame, long subject, int guards) throws Exception {
      Object packed = packing.pack(Tensor.borrow(frame, Memory.getLong(subject)));
      frame.checkGuards(guards, "pack");
      Signature.ANY.writeOwned(frame, Memory.getLong(subject + 8), packed);
    }

    /** The subject has what was packed, and room for the tensor. */
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
   * @throws TenonException STATE, with the reason as message, where they are disabled
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
      // From here on C owns the reference, whatever happens.
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
   * Refuses hooks of saved tensors on the calling thread, with a message, until the result is
   * closed.
   *
   * @throws TenonException STATE, with the message, inside of hooks
   */
  public static Disabled disable(String message) {
    Objects.requireNonNull(message, "message");
    String before = TenonNative.tenon_saved_hooks_refusal();
    Errors.check(TenonNative.tenon_saved_hooks_disable(message));
    return new Disabled(before);
  }

  /** Hooks are refused until it is closed; closed in reverse order, on the same thread. */
  public static final class Disabled implements AutoCloseable {
    private final String before;
    private boolean closed;

    private Disabled(String before) {
      this.before = before;
    }

    /** Allows hooks again, or refuses them as before. Closing again does nothing. */
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
   * @throws TenonException STATE on another thread, and before hooks that were entered later
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
