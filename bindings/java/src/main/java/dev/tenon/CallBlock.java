// SPDX-License-Identifier: Apache-2.0
// The memory of a call: stack, frame, arguments, results.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.TENON_VALUE_OWNED;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;

/**
 * Lays out and runs calls in a thread's memory. A call is identified by the address of its values.
 */
final class CallBlock {
  private static final int VALUES = Structs.BLOCK_FRAME + Structs.FRAME_SIZE;

  private CallBlock() {}

  /** Allocates memory for a call until the frame's mark is reset. Arguments are not initialised. */
  static long open(CallFrame frame, int args, int returns) {
    long block = frame.allocate(VALUES + (long) (args + returns) * Structs.VALUE_SIZE);
    long values = block + VALUES;
    long rets = values + (long) args * Structs.VALUE_SIZE;
    Memory.putLong(block, values);
    Memory.putLong(block + Structs.STACK_RETS, rets);
    // Both counts are stored at once, because C reads both at once: a load that covers two separate
    // stores would have to wait for them.
    Memory.putLong(block + Structs.STACK_NARGS, (long) returns << 32 | args);
    Memory.putLong(block + Structs.STACK_ERROR, 0);
    Memory.putLong(block + Structs.STACK_ERROR + 8, 0);
    Memory.putLong(block + Structs.STACK_ERROR + 16, 0);
    for (int i = 0; i < returns; i++) {
      Values.putNone(rets + (long) i * Structs.VALUE_SIZE);
    }
    return values;
  }

  /** Returns the block, which natives take. */
  static long block(long values) {
    return values - VALUES;
  }

  /** Returns the tenon_frame in which a Java kernel may still be running. */
  static long running(long values) {
    return values - Structs.FRAME_SIZE;
  }

  // ---- Calls with tensors and numbers, and defaults for the other arguments -------------------

  /**
   * Opens a call with defaults for all arguments after the first `given`. Returns 0 if the operator
   * takes other arguments, or does not return one tensor.
   */
  static long open(CallFrame frame, Signature s, int given) {
    if (!s.takes(given)) {
      return 0;
    }
    long values = open(frame, s.arguments.length, 1);
    s.writeDefaults(values, given);
    return values;
  }

  static boolean put(CallFrame frame, long values, Signature s, int index, Tensor tensor) {
    long address = tensor == null ? 0 : frame.hold(tensor);
    if (address == 0 || !s.conversion(index).isTensor()) {
      return false;
    }
    Values.putTensor(values + (long) index * Structs.VALUE_SIZE, address);
    return true;
  }

  static boolean put(long values, Signature s, int index, long number) {
    return s.conversion(index).writeInt(values + (long) index * Structs.VALUE_SIZE, number);
  }

  static boolean put(long values, Signature s, int index, double number) {
    return s.conversion(index).writeFloat(values + (long) index * Structs.VALUE_SIZE, number);
  }

  /** Releases the values that binding made, and the schema that owns the defaults. */
  static void release(long values, int count, long schema) {
    for (int i = 0; i < count; i++) {
      long at = values + (long) i * Structs.VALUE_SIZE;
      if ((Memory.getShort(at + Structs.VALUE_FLAGS) & TENON_VALUE_OWNED) != 0) {
        TenonNative.tenon_value_clear(at);
      }
    }
    TenonNative.tenon_schema_release(schema);
  }

  /** Runs the call through C, also for Java kernels, and returns its only result. */
  static Tensor run(CallFrame frame, Signature s, Op op, long values) {
    Errors.check(Native.call(op.address(), block(values), false));
    long ret = values + (long) s.arguments.length * Structs.VALUE_SIZE;
    Object result = Values.read(frame, ret, Values.TAKE);
    if (result instanceof Tensor tensor) {
      return tensor;
    }
    TenonNative.tenon_value_clear(ret); // the operator was redefined during the call
    return op.oneTensor(s, new Object[] {result});
  }
}
