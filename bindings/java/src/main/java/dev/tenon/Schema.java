// SPDX-License-Identifier: Apache-2.0
// Schemas: operators' signatures.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.util.ArrayList;
import java.util.List;

/** The signature of an operator, parsed from text such as "ns::op(Tensor x, int n=2) -> Tensor". */
public final class Schema extends NativeHandle {
  private Schema(long address) {
    super(address);
  }

  /**
   * Parses a schema.
   *
   * @throws TenonException PARSE; the message shows the position
   */
  public static Schema parse(String text) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_schema_parse(text, -1, out));
      return take(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Takes over a reference. */
  static Schema take(long address) {
    Schema schema = new Schema(address);
    schema.guardByCleaner();
    return schema;
  }

  static Schema retain(long address) {
    return take(TenonNative.tenon_schema_retain(address));
  }

  /** Returns the canonical text, which parses back to an equal schema. */
  public String text() {
    String text = TenonNative.tenon_schema_text(beginUse());
    endUse();
    return text;
  }

  /** Returns the name without overload, such as "aten::add". */
  public String name() {
    String name = TenonNative.tenon_schema_name(beginUse());
    endUse();
    return name;
  }

  /** Returns the overload name, "" for the default overload. */
  public String overload() {
    String overload = TenonNative.tenon_schema_overload(beginUse());
    endUse();
    return overload;
  }

  /**
   * Returns the letters of the typed signature, such as "TTv>T", or "" if there is no typed form.
   */
  public String typedSignature() {
    String letters = TenonNative.tenon_schema_signature(beginUse());
    endUse();
    return letters;
  }

  /** Returns the arguments in order. */
  public List<Argument> arguments() {
    return list(true);
  }

  /** Returns the returns in order. */
  public List<Argument> returns() {
    return list(false);
  }

  private List<Argument> list(boolean arguments) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long schema = address();
      long count =
          arguments
              ? TenonNative.tenon_schema_argument_count(schema)
              : TenonNative.tenon_schema_return_count(schema);
      long info = frame.allocate(Structs.ARGUMENT_INFO_SIZE);
      List<Argument> all = new ArrayList<>();
      for (long i = 0; i < count; i++) {
        readInfo(schema, i, arguments, info);
        all.add(argument(frame, info));
      }
      return List.copyOf(all);
    } finally {
      frame.reset(mark);
    }
  }

  /** Fills a description of an argument or return. */
  static void readInfo(long schema, long index, boolean argument, long info) {
    Memory.zero(info, Structs.ARGUMENT_INFO_SIZE);
    Memory.putInt(info, Structs.ARGUMENT_INFO_SIZE);
    Errors.check(
        argument
            ? TenonNative.tenon_schema_get_argument(schema, index, info)
            : TenonNative.tenon_schema_get_return(schema, index, info));
  }

  /** Turns a filled description into an object. */
  static Argument argument(CallFrame frame, long info) {
    int flags = Memory.getInt(info + Structs.ARGUMENT_INFO_FLAGS);
    long value = Memory.getLong(info + Structs.ARGUMENT_INFO_DEFAULT_VALUE);
    boolean hasDefault = (flags & TENON_ARGUMENT_HAS_DEFAULT) != 0 && value != 0;
    return new Argument(
        Text.read(Memory.getLong(info + Structs.ARGUMENT_INFO_NAME)),
        Text.read(Memory.getLong(info + Structs.ARGUMENT_INFO_TYPE_TEXT)),
        Text.read(Memory.getLong(info + Structs.ARGUMENT_INFO_ALIAS_TEXT)),
        (flags & TENON_ARGUMENT_KWARG_ONLY) != 0,
        (flags & TENON_ARGUMENT_OUT) != 0,
        (flags & TENON_ARGUMENT_WRITTEN) != 0,
        hasDefault,
        hasDefault ? Values.read(frame, value, Values.RETAIN) : null,
        (int) Memory.getLong(info + Structs.ARGUMENT_INFO_LIST_SIZE));
  }

  /** Returns true if an argument is written. */
  public boolean isMutable() {
    return (flags() & TENON_SCHEMA_MUTABLE) != 0;
  }

  /** Returns true if nothing is written or aliased and the operator has a result. */
  public boolean isFunctional() {
    return (flags() & TENON_SCHEMA_FUNCTIONAL) != 0;
  }

  private int flags() {
    int flags = TenonNative.tenon_schema_flags(beginUse());
    endUse();
    return flags;
  }

  /**
   * Checks that callers of {@code older} can call this one; with {@code forward}, also the reverse.
   *
   * @throws TenonException with the reason if they cannot
   */
  public void checkCompatible(Schema older, boolean forward) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      Errors.check(
          TenonNative.tenon_schema_check_compatible(address(), older.address(), forward ? 1 : 0));
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns true if names, types, defaults and alias annotations are equal. */
  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Schema schema)) {
      return false;
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      return TenonNative.tenon_schema_equal(address(), schema.address()) != 0;
    } finally {
      frame.reset(mark);
    }
  }

  @Override
  public int hashCode() {
    return name().hashCode();
  }

  @Override
  public String toString() {
    return isClosed() ? "Schema (closed)" : text();
  }

  @Override
  int type() {
    return SCHEMA;
  }

  @Override
  String title() {
    return "Schema";
  }
}
