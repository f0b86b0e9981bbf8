// SPDX-License-Identifier: Apache-2.0
// Shape environments: symbols and the guards on them.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongToIntFunction;

/**
 * Owns symbols and the guards on them. Closing it only drops this reference: symbols stay valid.
 *
 * <pre>{@code
 * try (ShapeEnv env = ShapeEnv.create()) {
 *   SymInt batch = env.newSize(4);
 *   Tensor x = Tensor.emptySymbolic(DType.FLOAT32, List.of(batch, SymInt.of(3)));
 *   x.symNumel();                          // 3*s0
 *   env.firstFailure(Map.of(batch, 7L));   // empty: all guards hold
 * }
 * }</pre>
 */
public final class ShapeEnv extends NativeHandle {
  // The reference that symbols made here hold.
  private ShapeEnv keeper;

  private ShapeEnv(long address) {
    super(address);
  }

  /** Takes over a reference. */
  static ShapeEnv own(long address) {
    ShapeEnv env = new ShapeEnv(address);
    env.guardByCleaner();
    return env;
  }

  /** Makes a reference for symbols that are read from elsewhere. */
  static ShapeEnv keeping(long address) {
    return own(TenonNative.tenon_shape_env_retain(address));
  }

  private synchronized ShapeEnv keeper() {
    if (keeper == null) {
      keeper = keeping(beginUse());
      endUse();
    }
    return keeper;
  }

  /** Creates an empty environment. */
  public static ShapeEnv create() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_shape_env_new(0, out));
      return own(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Creates a size: the number itself for 0 and 1, which shape rules treat specially, and otherwise
   * a variable that is at least 2.
   *
   * @throws TenonException INVALID_ARGUMENT for a negative hint
   */
  public SymInt newSize(long hint) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(Structs.VALUE_SIZE);
      Errors.check(TenonNative.tenon_shape_env_new_size(address(), hint, out));
      return (SymInt) SymNumber.take(frame, out);
    } finally {
      frame.reset(mark);
    }
  }

  /** Creates an unbacked variable from {@code min} to {@code max}. */
  public SymInt newSymbol(long min, long max) {
    return newSymbol(null, OptionalLong.empty(), min, max);
  }

  /**
   * Creates a variable.
   *
   * @param name null: s0 and so on, or u0 and so on without a hint
   * @param hint the number in the current example; empty: the value depends on data
   * @param min the lower bound, {@link Long#MIN_VALUE} for no bound
   * @param max the upper bound, {@link Long#MAX_VALUE} for no bound
   * @throws TenonException INVALID_ARGUMENT for a name that is taken, min above max and a hint
   *     outside of the bounds
   */
  public SymInt newSymbol(String name, OptionalLong hint, long min, long max) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      long value = 0;
      if (hint.isPresent()) {
        value = frame.allocate(Structs.VALUE_SIZE);
        Values.put(value, TENON_TAG_INT, hint.getAsLong());
      }
      Errors.check(
          TenonNative.tenon_symbol_new(
              address(), (short) TENON_TAG_SYMINT, name, value, min, max, out));
      long symbol = Memory.getLong(out);
      SymInt made = new SymInt(keeper(), symbol);
      TenonNative.tenon_symbol_release(symbol); // the keeper has a reference to its environment
      return made;
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the guards that no other guard implies, in the order in which they were recorded. */
  public List<ShapeGuard> guards() {
    List<ShapeGuard> guards = new ArrayList<>();
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long count = TenonNative.tenon_shape_env_guard_count(address());
      long guard = frame.allocate(Structs.SHAPE_GUARD_SIZE);
      for (long i = 0; i < count; i++) {
        Memory.zero(guard, Structs.SHAPE_GUARD_SIZE);
        Memory.putInt(guard, Structs.SHAPE_GUARD_SIZE);
        Errors.check(TenonNative.tenon_shape_env_guard(address(), i, guard));
        guards.add(
            new ShapeGuard(
                textAt(guard + Structs.SHAPE_GUARD_TEXT),
                textAt(guard + Structs.SHAPE_GUARD_OP),
                textAt(guard + Structs.SHAPE_GUARD_FILE),
                Memory.getInt(guard + Structs.SHAPE_GUARD_LINE)));
        TenonNative.tenon_buffer_release(Memory.getLong(guard + Structs.SHAPE_GUARD_OWNER));
      }
      return guards;
    } finally {
      frame.reset(mark);
    }
  }

  private static String textAt(long at) {
    long text = Memory.getLong(at);
    return text == 0 ? "" : Text.read(text);
  }

  /**
   * Returns the first guard or bound that does not hold with numbers for variables, or empty if all
   * hold.
   *
   * @throws TenonException INVALID_ARGUMENT if a guard has a variable without number
   */
  public Optional<String> firstFailure(Map<SymInt, Long> numbers) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(16);
      long variables = variables(frame, numbers);
      long values = values(frame, numbers);
      Errors.check(
          TenonNative.tenon_shape_env_check(
              address(), variables, values, numbers.size(), out, out + 8));
      long failure = Memory.getLong(out + 8);
      return failure == 0 ? Optional.empty() : Optional.of(Tenon.takeText(failure));
    } finally {
      numbers.keySet().forEach(SymInt::fence);
      frame.reset(mark);
    }
  }

  static long variables(CallFrame frame, Map<SymInt, Long> numbers) {
    long[] symbols = new long[numbers.size()];
    int n = 0;
    for (SymInt variable : numbers.keySet()) {
      if (!variable.isSymbolic()) {
        throw TenonException.type("numbers", "keys", "symbols", variable.toString());
      }
      symbols[n++] = variable.word;
    }
    return frame.longs(symbols);
  }

  static long values(CallFrame frame, Map<SymInt, Long> numbers) {
    return frame.longs(numbers.values().stream().mapToLong(Long::longValue).toArray());
  }

  /** Returns true if both are references to the same environment. */
  public boolean isSame(ShapeEnv other) {
    return hasAddressOf(other);
  }

  static String text(LongToIntFunction print) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(print.applyAsInt(out));
      return Tenon.takeText(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the variables with hints, bounds and replacements, then the guards, one per line. */
  @Override
  public String toString() {
    if (isClosed()) {
      return "ShapeEnv(closed)";
    }
    String text = text(out -> TenonNative.tenon_shape_env_print(beginUse(), out));
    endUse();
    return text;
  }

  @Override
  int type() {
    return SHAPE_ENV;
  }

  @Override
  String title() {
    return "ShapeEnv";
  }
}
