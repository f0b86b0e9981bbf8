// SPDX-License-Identifier: Apache-2.0
// Dispatch keys.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * A dispatch key: a runtime key such as "CPU" or "AutogradCUDA", or an alias for many of them such
 * as "CompositeImplicitAutograd".
 *
 * @param number its number in the C interface
 */
public record DispatchKey(int number) {
  public static final DispatchKey CPU = new DispatchKey(TENON_KEY_CPU);
  public static final DispatchKey CUDA = new DispatchKey(TENON_KEY_CUDA);
  public static final DispatchKey META = new DispatchKey(TENON_KEY_META);
  public static final DispatchKey BACKEND_SELECT = new DispatchKey(TENON_KEY_BACKEND_SELECT);
  public static final DispatchKey AD_INPLACE_OR_VIEW =
      new DispatchKey(TENON_KEY_AD_INPLACE_OR_VIEW);
  public static final DispatchKey AUTOGRAD_CPU = new DispatchKey(TENON_KEY_AUTOGRAD_CPU);
  public static final DispatchKey AUTOGRAD_CUDA = new DispatchKey(TENON_KEY_AUTOGRAD_CUDA);
  public static final DispatchKey AUTOCAST_CPU = new DispatchKey(TENON_KEY_AUTOCAST_CPU);
  public static final DispatchKey AUTOCAST_CUDA = new DispatchKey(TENON_KEY_AUTOCAST_CUDA);
  public static final DispatchKey TRACER = new DispatchKey(TENON_KEY_TRACER);
  public static final DispatchKey BATCHED = new DispatchKey(TENON_KEY_BATCHED);
  public static final DispatchKey OVERRIDE = new DispatchKey(TENON_KEY_OVERRIDE);
  public static final DispatchKey AUTOGRAD = new DispatchKey(TENON_KEY_AUTOGRAD);
  public static final DispatchKey AUTOCAST = new DispatchKey(TENON_KEY_AUTOCAST);
  public static final DispatchKey COMPOSITE_IMPLICIT_AUTOGRAD =
      new DispatchKey(TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD);
  public static final DispatchKey COMPOSITE_EXPLICIT_AUTOGRAD =
      new DispatchKey(TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD);
  public static final DispatchKey COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL =
      new DispatchKey(TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL);

  /** The slot of the empty key set. */
  public static final DispatchKey UNDEFINED = new DispatchKey(TENON_KEY_UNDEFINED);

  /** No key: the library's own key. */
  static final DispatchKey NONE = new DispatchKey(TENON_KEY_NONE);

  /**
   * Finds a key by its name ("CPU"), by a device's name ("cpu"), or "default" for a kernel that
   * serves all backends (CompositeExplicitAutograd).
   *
   * @throws TenonException NOT_FOUND
   */
  public static DispatchKey of(String name) {
    if ("default".equals(name)) {
      return COMPOSITE_EXPLICIT_AUTOGRAD;
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      boolean isDevice =
          name != null && !name.isEmpty() && Character.isLowerCase(name.charAt(0));
      Errors.check(
          isDevice
              ? TenonNative.tenon_key_for_device(name, out)
              : TenonNative.tenon_key_parse(name, out));
      return new DispatchKey(Memory.getInt(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Registers a backend, such as "npu", and returns the key of its kernels. */
  public static DispatchKey registerBackend(String name) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      Errors.check(TenonNative.tenon_backend_register(name, frame.allocate(8)));
      return of(name);
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Declares a functionality key next to a known one such as "Autograd".
   *
   * @param above whether it comes before the anchor in dispatch order
   * @param perBackend whether it has one slot for each backend
   */
  public static DispatchKey register(
      String name, String anchor, boolean above, boolean perBackend) {
    return register(name, anchor, above, perBackend, ThreadDefault.NONE);
  }

  /** Whether threads include or exclude a key declared at run time by default. */
  public enum ThreadDefault {
    /** Neither. */
    NONE(0),
    /** Included in every call, like BackendSelect. */
    INCLUDED(TENON_KEY_FLAG_INCLUDED),
    /** Excluded from every call, like Autocast. */
    EXCLUDED(TENON_KEY_FLAG_EXCLUDED);

    private final int flag;

    ThreadDefault(int flag) {
      this.flag = flag;
    }
  }

  /**
   * Declares a functionality key next to a known one such as "Autograd".
   *
   * @param above whether it comes before the anchor in dispatch order
   * @param perBackend whether it has one slot for each backend
   * @param threadDefault the default on all present and future threads, which guards override
   */
  public static DispatchKey register(
      String name,
      String anchor,
      boolean above,
      boolean perBackend,
      ThreadDefault threadDefault) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      int flags =
          (above ? TENON_KEY_FLAG_ABOVE : 0)
              | (perBackend ? TENON_KEY_FLAG_PER_BACKEND : 0)
              | threadDefault.flag;
      Errors.check(TenonNative.tenon_functionality_register(name, anchor, flags, out));
      return new DispatchKey(Memory.getInt(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns true if this is one name for many runtime keys. */
  public boolean isAlias() {
    return number >= TENON_KEY_ALIAS_FIRST;
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return TenonNative.tenon_key_name(number);
  }
}
