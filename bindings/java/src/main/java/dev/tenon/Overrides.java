// SPDX-License-Identifier: Apache-2.0
// Objects that override operators: how they are passed, and their handlers.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.util.Collection;

/** Carriers, and handlers of overrides. */
final class Overrides {
  /** Shift of a key set whose result is not 0 if the set has Override or a key above it. */
  private static final int OVERRIDE_SHIFT = TENON_BACKEND_BITS + TENON_FUNCTIONALITY_OVERRIDE;

  private Overrides() {}

  /** Returns true if an object may be passed for any argument. */
  static boolean stands(Object v) {
    return v instanceof Overriding || v instanceof ForeignObject foreign && foreign.overrides();
  }

  static boolean anyStands(Collection<?> args) {
    return args.stream().anyMatch(Overrides::stands);
  }

  static boolean anyStands(Object[] args) {
    for (Object arg : args) {
      if (stands(arg)) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if a call with these keys may return carriers. */
  static boolean mayCarry(long keys) {
    return keys >>> OVERRIDE_SHIFT != 0;
  }

  /** Unwraps a carrier, also inside an array. All other objects are returned unchanged. */
  static Object open(CallFrame frame, Object v) {
    if (v instanceof Tensor tensor) {
      long carried = TenonNative.tenon_carrier_value(tensor.address());
      return carried == 0 ? v : Values.read(frame, carried, Values.RETAIN);
    }
    if (v instanceof Tensor[] tensors) {
      for (Tensor tensor : tensors) {
        if (tensor != null && TenonNative.tenon_carrier_value(tensor.address()) != 0) {
          Object[] opened = new Object[tensors.length];
          for (int i = 0; i < opened.length; i++) {
            opened[i] = open(frame, tensors[i]);
          }
          return opened;
        }
      }
    }
    return v;
  }

  static void openAll(CallFrame frame, Object[] values) {
    for (int i = 0; i < values.length; i++) {
      values[i] = open(frame, values[i]);
    }
  }

  /** Unwraps carriers among results, which the caller owns, and closes the carriers. */
  static void openResults(CallFrame frame, Object[] results) {
    for (int i = 0; i < results.length; i++) {
      Object opened = open(frame, results[i]);
      if (opened != results[i] && results[i] instanceof Tensor carrier) {
        carrier.close();
      }
      results[i] = opened;
    }
  }

  /**
   * Returns the results of a finished call. Carriers are unwrapped if its keys say that there may
   * be some.
   */
  static Object[] opened(CallFrame frame, long block, Object[] results) {
    if (mayCarry(Memory.getLong(block + Structs.BLOCK_FRAME + Structs.FRAME_KEYS))) {
      openResults(frame, results);
    }
    return results;
  }

  /** Runs a call with overriding objects at any argument. Their types are checked in C. */
  static Object[] call(
      CallFrame frame, Op op, long block, boolean dispatches, long rets, int returns) {
    if (!dispatches) {
      throw TenonException.type(
          op.name(), "arguments", "none that override operators, below Override", "one that does");
    }
    Errors.check(TenonNative.tenon_op_call(op.address(), block));
    Object[] results = Op.takeResults(frame, rets, returns);
    openResults(frame, results);
    return results;
  }

  /** Runs a handler of an override, a wrapper tensor or a mode; returns a status. */
  static int handle(CallFrame frame, int kind, Object self, long upcall, int guards)
      throws Exception {
    long stack = Memory.getLong(upcall + Structs.UPCALL_STACK);
    Op op = Op.of(Memory.getLong(upcall));
    int count = Memory.getInt(stack + Structs.STACK_NARGS);
    Object[] args = Values.readAll(frame, Memory.getLong(stack), count, Values.BORROW);
    openAll(frame, args);
    DispatchKeySet keys = new DispatchKeySet(Memory.getLong(upcall + Structs.UPCALL_KEYS));
    Overridden call = new Overridden(op, keys, args);
    boolean override = kind == TENON_MODE_OVERRIDE;
    Signature signature = override ? null : op.signature(); // read now, as for kernels' results
    Object result =
        override
            ? ((Overriding) self).overrideCall(call)
            : ((Dispatching) self).dispatchCall(call);
    frame.checkGuards(guards, op.name());
    if (result == Overridden.DECLINED) {
      return TENON_DECLINED;
    }
    Bridge.writeResults(frame, op.name(), stack, result, signature);
    return TENON_OK;
  }
}
