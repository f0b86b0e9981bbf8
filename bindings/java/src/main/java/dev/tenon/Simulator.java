// SPDX-License-Identifier: Apache-2.0
// A simulator: names of keys in, dispatch tables out, without any operator or kernel.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.util.Map;

/**
 * An imagined operator to try registrations on. It is in no list, takes no kernel from anyone, and
 * nothing is left of it; the process's fallbacks serve it as they would a real operator.
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
   * Makes one with a schema, since fallbacks choose by it.
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
   * Registers a kernel {@code fn_KEY} on each key, given by its name, runtime key or alias.
   *
   * @throws TenonException NOT_FOUND naming what is no key; INVALID_ARGUMENT for a key that is
   *     there already and for both composites. Nothing is registered then.
   */
  public void register(String... keys) {
    register(keys, 0);
  }

  /** The same with fallthroughs: calls skip these keys. */
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
   * Takes back what was registered on a key.
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

  /** Writes the registered keys and their kernels, one a line. */
  public String registrations() {
    return print(TENON_SIMULATOR_REGISTRATIONS);
  }

  /** Writes the slots that the registrations serve, one a line, without fallbacks. */
  public String dispatchTable() {
    return print(TENON_SIMULATOR_TABLE);
  }

  /** Writes what is registered, as {@link Introspect#dump} does. */
  public String rawRegistrations() {
    return print(TENON_SIMULATOR_RAW_REGISTRATIONS);
  }

  /** Writes every filled slot, fallbacks included, as {@link Introspect#table} does. */
  public String rawDispatchTable() {
    return print(TENON_SIMULATOR_RAW_TABLE);
  }

  /** Says in words what a call with this key set would do. */
  public String explain(DispatchKeySet keys) {
    return Tenon.text(
        this, out -> TenonNative.tenon_simulator_explain(address(), keys.bits(), out));
  }

  private String print(int what) {
    return Tenon.text(this, out -> TenonNative.tenon_simulator_print(address(), what, out));
  }
}
