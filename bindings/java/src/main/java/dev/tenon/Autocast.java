// SPDX-License-Identifier: Apache-2.0
// Autocast: regions in which operators choose the precision in which they compute.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;
import java.util.function.Supplier;

/**
 * A region of a device type on the calling thread, until it is closed.
 *
 * <pre>{@code
 * try (Autocast region = Autocast.enter(Device.CPU, DType.BFLOAT16)) {
 *   Tensor y = a.mm(b);                    // computed in bfloat16
 * }
 * }</pre>
 *
 * <p>Regions can be nested, also with key guards and grad modes. They must be closed in reverse
 * order on the thread that made them, and cannot be used on virtual threads. {@link ThreadState}
 * carries them to other threads. Without a dtype a region uses the thread's lower precision, by
 * default bfloat16 for the CPU and float16 for all other device types.
 */
public final class Autocast extends Guard {
  private Autocast(Device device, Boolean enabled, DType dtype, Boolean caches) {
    super(
        Structs.AUTOCAST_GUARD_SIZE,
        guard ->
            withState(
                device,
                enabled,
                dtype,
                caches,
                state -> TenonNative.tenon_autocast_enter(device.type(), state, guard)));
  }

  @Override
  int leave(long guard) {
    return TenonNative.tenon_autocast_leave(guard);
  }

  /**
   * Enters a region with the thread's lower precision.
   *
   * @throws TenonException INVALID_ARGUMENT for a device type that has no autocast
   */
  public static Autocast enter(Device device) {
    return new Autocast(device, true, null, null);
  }

  /**
   * Enters a region.
   *
   * @throws TenonException TYPE for a dtype that is not floating; as {@link #enter(Device)}
   */
  public static Autocast enter(Device device, DType dtype) {
    return new Autocast(device, true, dtype, null);
  }

  /** Enters a region, and sets whether it caches casts of leaves. */
  public static Autocast enter(Device device, DType dtype, boolean caches) {
    return new Autocast(device, true, dtype, caches);
  }

  /** Suspends an outer region until the result is closed. */
  public static Autocast off(Device device) {
    return new Autocast(device, false, null, null);
  }

  /** Runs a task inside a region. */
  public static <T> T get(Device device, DType dtype, Supplier<T> task) {
    Autocast region = enter(device, dtype);
    try (region) {
      return task.get();
    }
  }

  // ---- Settings of the thread ------------------------------------------------------------------

  /** Returns true if calls of the thread with tensors of a device type are cast. */
  public static boolean isEnabled(Device device) {
    return (word(device, Structs.AUTOCAST_STATE_FLAGS) & TENON_AUTOCAST_ENABLED) != 0;
  }

  /** Returns the lower precision of a device type. */
  public static DType dtype(Device device) {
    return DType.ofNumber(word(device, Structs.AUTOCAST_STATE_DTYPE));
  }

  /** Returns true if regions cache casts of leaves. */
  public static boolean isCacheEnabled() {
    return (word(Device.CPU, Structs.AUTOCAST_STATE_FLAGS) & TENON_AUTOCAST_CACHE) != 0;
  }

  /** Turns autocast on or off, until it is set again or an enclosing guard is closed. */
  public static void setEnabled(Device device, boolean enabled) {
    set(device, enabled, null, null);
  }

  /** Sets the lower precision of a device type. */
  public static void setDtype(Device device, DType dtype) {
    set(device, null, dtype, null);
  }

  /** Sets whether regions cache casts of leaves. */
  public static void setCacheEnabled(boolean enabled) {
    set(Device.CPU, null, null, enabled);
  }

  /** Empties the calling thread's cache of casts. */
  public static void clearCache() {
    TenonNative.tenon_autocast_clear_cache();
    References.drain();
  }

  // ---- For kernels on Autocast ----------------------------------------------------------------

  /**
   * Converts a tensor that is eligible: on the device's type, and with a floating dtype other than
   * float64. For all other tensors it returns a handle of the same tensor. Casts of float32 leaves
   * that require grad to the region's dtype are cached until the outermost region ends.
   */
  public static Tensor cachedCast(DType dtype, Tensor tensor, Device device) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long given = frame.allocate(2L * Structs.VALUE_SIZE);
      long cast = given + Structs.VALUE_SIZE;
      Values.putTensor(given, tensor.address());
      Errors.check(
          TenonNative.tenon_autocast_cast(device.type(), dtype.number(), given, cast));
      return Tensor.own(frame, Memory.getLong(cast + Structs.VALUE_AS));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Returns the widest dtype among {@code initial} and the dtypes of the eligible tensors.
   *
   * @throws TenonException TYPE for a floating dtype that is neither float32 nor the lower one
   */
  public static DType promoteType(DType initial, Device device, Tensor... tensors) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long list = frame.allocate(Structs.VALUE_SIZE);
      long widest = frame.allocate(8);
      Values.putTensors(frame, list, tensors);
      Errors.check(
          TenonNative.tenon_autocast_promote(device.type(), initial.number(), list, 1, widest));
      return DType.ofNumber(Memory.getInt(widest));
    } finally {
      Reference.reachabilityFence(tensors);
      frame.reset(mark);
    }
  }

  // ---- States in a frame ----------------------------------------------------------------------

  private interface StateAction {
    int apply(long state);
  }

  private static int read(CallFrame frame, Device device, StateAction work) {
    long state = frame.allocate(Structs.AUTOCAST_STATE_SIZE);
    Memory.zero(state, Structs.AUTOCAST_STATE_SIZE);
    Memory.putInt(state, Structs.AUTOCAST_STATE_SIZE);
    Errors.check(TenonNative.tenon_autocast_get(device.type(), state));
    return work.apply(state);
  }

  private static int word(Device device, int offset) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      return read(frame, device, state -> Memory.getInt(state + offset));
    } finally {
      frame.reset(mark);
    }
  }

  // Calls a function with the thread's settings, where arguments that are not null replace theirs.
  private static int withState(
      Device device, Boolean enabled, DType dtype, Boolean caches, StateAction work) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      return read(
          frame,
          device,
          state -> {
            int flags = Memory.getInt(state + Structs.AUTOCAST_STATE_FLAGS);
            flags = changed(flags, TENON_AUTOCAST_ENABLED, enabled);
            flags = changed(flags, TENON_AUTOCAST_CACHE, caches);
            Memory.putInt(state + Structs.AUTOCAST_STATE_FLAGS, flags);
            if (dtype != null) {
              Memory.putInt(state + Structs.AUTOCAST_STATE_DTYPE, dtype.number());
            }
            return work.apply(state);
          });
    } finally {
      frame.reset(mark);
    }
  }

  private static int changed(int flags, int bit, Boolean wanted) {
    return wanted == null ? flags : wanted ? flags | bit : flags & ~bit;
  }

  private static void set(Device device, Boolean enabled, DType dtype, Boolean caches) {
    Errors.check(
        withState(
            device,
            enabled,
            dtype,
            caches,
            state -> TenonNative.tenon_autocast_set(device.type(), state)));
  }
}
