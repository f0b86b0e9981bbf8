// SPDX-License-Identifier: Apache-2.0
// A simulator: computes dispatch tables from names of keys, without an operator or kernel.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.util.Map;

/**
 * An operator outside the registry, to try registrations on. It is not listed, changes no kernel of
 * a real operator, and leaves nothing behind. The process's fallbacks serve it like a real
 * operator.
 *
 * <pre>{@code
 * try (Simulator simulator = Simulator.of("f(Tensor x) -> Tensor")) {
 *   simulator.register("CPU", "Autograd");
 *   System.out.println(simulator.dispatchTable());
 * }
 * }</pre>
 */
public final class Simulator extends NativeHandle {
  private Simulator(long address) {
    super(address);
  }

  @Override
  int type() {
    return SIMULATOR;
  }

  @Override
  String title() {
    return "Simulator";
  }

  /**
   * Creates a simulator with a schema, which fallbacks may select by.
   *
   * @throws TenonException PARSE
   */
  public static Simulator of(String schema) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_simulator_new(schema, out));
      Simulator simulator = new Simulator(Memory.getLong(out));
      simulator.guardByCleaner();
      return simulator;
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Registers a kernel {@code fn_KEY} on each key, given by the name of a runtime key or alias.
   *
   * @throws TenonException NOT_FOUND naming the text that is no key; INVALID_ARGUMENT for a key
   *     that is registered already, and for registering both composites. Nothing is registered on
   *     failure.
   */
  public void register(String... keys) {
    register(keys, 0);
  }

  /** Registers fallthroughs on these keys, so that calls skip them. */
  public void registerFallthrough(String... keys) {
    register(keys, TENON_KERNEL_FALLTHROUGH);
  }

  private void register(String[] keys, int flags) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long[] names = new long[keys.length];
      for (int i = 0; i < keys.length; i++) {
        names[i] = frame.text(keys[i]);
      }
      long list = frame.longs(names);
      Errors.check(TenonNative.tenon_simulator_register(address(), list, keys.length, flags));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Removes the registration on a key.
   *
   * @throws TenonException NOT_FOUND
   */
  public void remove(String key) {
    int status = TenonNative.tenon_simulator_remove(beginUse(), key);
    endUse();
    Errors.check(status);
  }

  /** Returns the slot of a runtime key. */
  public Introspect.Slot slot(DispatchKey key) {
    return Introspect.Slot.read(
        key, info -> TenonNative.tenon_simulator_get_slot(address(), key.number(), info));
  }

  /** Returns the computed table: the filled slots by key, Undefined first. */
  public Map<DispatchKey, Introspect.Slot> slots() {
    return Introspect.Slot.table(this::slot);
  }

  /** Returns the registered keys and their kernels, one per line. */
  public String registrations() {
    return print(TENON_SIMULATOR_REGISTRATIONS);
  }

  /** Returns the slots that the registrations serve, one per line, without fallbacks. */
  public String dispatchTable() {
    return print(TENON_SIMULATOR_TABLE);
  }

  /** Returns the registrations in the format of {@link Introspect#dump}. */
  public String rawRegistrations() {
    return print(TENON_SIMULATOR_RAW_REGISTRATIONS);
  }

  /** Returns every filled slot, including fallbacks, in the format of {@link Introspect#table}. */
  public String rawDispatchTable() {
    return print(TENON_SIMULATOR_RAW_TABLE);
  }

  /** Explains in words what a call with this key set would do. */
  public String explain(DispatchKeySet keys) {
    return Tenon.text(
        this, out -> TenonNative.tenon_simulator_explain(address(), keys.bits(), out));
  }

  private String print(int what) {
    return Tenon.text(this, out -> TenonNative.tenon_simulator_print(address(), what, out));
  }
}
