// SPDX-License-Identifier: Apache-2.0
// Introspection: operators, dispatch tables, explanations of calls, live handles, profiles.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** Information about the dispatcher's state. */
public final class Introspect {
  private Introspect() {}

  /** Provenance of the kernel in a slot. */
  public enum Provenance {
    MISSING,
    KERNEL,
    DEFAULT_BACKEND_KERNEL,
    MATH_KERNEL,
    AUTOGRAD_KERNEL,
    BATCHED_KERNEL,
    BACKEND_FALLBACK
  }

  /**
   * A slot of an operator's table.
   *
   * @param sourceKey the key or alias that the kernel was registered on
   * @param fallthrough whether calls skip this key
   * @param language the kernel's language
   * @param name name of the kernel's function, "" if unknown
   * @param file where it was registered, "" if unknown
   * @param line the line in the file
   * @param typed whether it has a typed form
   */
  public record Slot(
      DispatchKey key,
      Provenance provenance,
      DispatchKey sourceKey,
      boolean fallthrough,
      String language,
      String name,
      String file,
      int line,
      boolean typed) {
    /** A function that fills the description of a slot at an address. */
    interface Source {
      int fill(long info);
    }

    static Slot read(DispatchKey key, Source source) {
      CallFrame frame = CallFrame.get();
      long mark = frame.mark();
      try {
        long info = frame.allocate(Structs.SLOT_INFO_SIZE);
        Memory.zero(info, Structs.SLOT_INFO_SIZE);
        Memory.putInt(info, Structs.SLOT_INFO_SIZE);
        Errors.check(source.fill(info));
        return new Slot(
            key,
            Provenance.values()[Memory.getInt(info + Structs.SLOT_INFO_PROVENANCE)],
            new DispatchKey(Memory.getInt(info + Structs.SLOT_INFO_SOURCE_KEY)),
            Memory.getInt(info + Structs.SLOT_INFO_FALLTHROUGH) != 0,
            ErrorFrame.language(Memory.getInt(info + Structs.SLOT_INFO_LANGUAGE)),
            Text.read(Memory.getLong(info + Structs.SLOT_INFO_NAME)),
            Text.read(Memory.getLong(info + Structs.SLOT_INFO_FILE)),
            Memory.getInt(info + Structs.SLOT_INFO_LINE),
            Memory.getInt(info + Structs.SLOT_INFO_TYPED) != 0);
      } finally {
        frame.reset(mark);
      }
    }

    /** Returns the filled slots of an operator or simulator, Undefined first. */
    static Map<DispatchKey, Slot> table(Function<DispatchKey, Slot> slots) {
      Map<DispatchKey, Slot> table = new LinkedHashMap<>();
      List<DispatchKey> all = new ArrayList<>(List.of(DispatchKey.UNDEFINED));
      all.addAll(keys());
      for (DispatchKey key : all) {
        Slot slot = slots.apply(key);
        if (slot.provenance() != Provenance.MISSING) {
          table.put(key, slot);
        }
      }
      return table;
    }
  }

  /** Returns the number of live native objects in the process, by kind. */
  public static Map<String, Long> liveHandles() {
    References.drain();
    Map<String, Long> counts = new LinkedHashMap<>();
    int kinds = TenonNative.tenon_introspect_handle_count();
    for (int kind = 0; kind < kinds; kind++) {
      counts.put(
          TenonNative.tenon_introspect_handle_name(kind),
          TenonNative.tenon_introspect_live_count(kind));
    }
    return counts;
  }

  /**
   * Frees removed kernels that no thread runs any more. A kernel that was removed while it ran is
   * otherwise freed by the next change of the registry.
   */
  public static void reap() {
    TenonNative.tenon_registry_reap();
    References.drain();
  }

  /** Returns the number of Java objects that C refers to: kernels, exceptions, objects, buffers. */
  public static int referencedObjects() {
    References.drain();
    return References.count();
  }

  /** Returns the defined operators, sorted by name. */
  public static List<Op> operators() {
    return list(TenonNative::tenon_introspect_list_ops);
  }

  /** Returns the operators that have kernels but no definition. */
  public static List<Op> danglingOperators() {
    return list(TenonNative::tenon_introspect_list_dangling);
  }

  /** Returns the runtime keys that have slots, highest last. */
  public static List<DispatchKey> keys() {
    List<DispatchKey> keys = new ArrayList<>();
    readBuffer(TenonNative::tenon_key_list, 4, at -> keys.add(new DispatchKey(Memory.getInt(at))));
    return keys;
  }

  private static List<Op> list(Tenon.TextFunction function) {
    List<Op> ops = new ArrayList<>();
    readBuffer(function, 8, at -> ops.add(Op.of(Memory.getLong(at))));
    return ops;
  }

  /** Reads the elements, by their addresses, of a buffer that a function writes. */
  static void readBuffer(Tenon.TextFunction function, int elementSize, LongConsumer element) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    long buffer;
    try {
      long out = frame.allocate(8);
      Errors.check(function.call(out));
      buffer = Memory.getLong(out);
    } finally {
      frame.reset(mark);
    }
    try {
      long data = TenonNative.tenon_buffer_data(buffer);
      long size = TenonNative.tenon_buffer_size(buffer);
      for (long i = 0; i < size; i += elementSize) {
        element.accept(data + i);
      }
    } finally {
      TenonNative.tenon_buffer_release(buffer);
    }
  }

  /** Returns an operator's tags. */
  public static List<String> tags(Op op) {
    String text = Tenon.text(op, out -> TenonNative.tenon_op_copy_tags(op.address(), out));
    return text.lines().toList();
  }

  /** Returns an operator's registrations as text: name, schema, one line per kernel. */
  public static String dump(Op op) {
    return Tenon.text(op, out -> TenonNative.tenon_introspect_dump(op.address(), out));
  }

  /** Returns an operator's computed table as text: one line per slot. */
  public static String table(Op op) {
    return Tenon.text(op, out -> TenonNative.tenon_introspect_dump_table(op.address(), out));
  }

  /** Returns an operator's computed table: its filled slots by key, Undefined first. */
  public static Map<DispatchKey, Slot> slots(Op op) {
    return Slot.table(key -> slot(op, key));
  }

  /** Returns the slot of a runtime key. */
  public static Slot slot(Op op, DispatchKey key) {
    return Slot.read(
        key, info -> TenonNative.tenon_introspect_get_slot(op.address(), key.number(), info));
  }

  /** Explains what a call would do, without making it: see {@link Op#explain}. */
  public static String explain(Op op, Object... args) {
    return op.explain(args);
  }

  /**
   * Recomputes the tables of all operators and compares them with those in use.
   *
   * @throws TenonException INTERNAL naming operator and slot that differ
   */
  public static void checkInvariants() {
    Errors.check(TenonNative.tenon_introspect_check(0));
  }

  /**
   * Recomputes an operator's table and compares it with the one in use.
   *
   * @throws TenonException INTERNAL naming the slot that differs
   */
  public static void checkInvariants(Op op) {
    Errors.check(TenonNative.tenon_introspect_check(op.address()));
  }

  /**
   * Profiles the calling thread's dispatches until the profile is closed. Profiles can be nested.
   */
  public static Profile profile() {
    return Profile.start(0);
  }

  /**
   * Like {@link #profile()}, but keeps only the first {@code maxEvents} dispatches and counts all
   * further ones.
   */
  public static Profile profile(long maxEvents) {
    return Profile.start(maxEvents);
  }
}
