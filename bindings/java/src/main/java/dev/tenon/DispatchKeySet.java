// SPDX-License-Identifier: Apache-2.0
// Sets of dispatch keys.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * A set of dispatch keys: functionalities and backends, which represents all their combinations.
 *
 * @param bits bits 0 to 23 backends, 24 to 63 functionalities
 */
public record DispatchKeySet(long bits) {
  /** The empty set. */
  public static final DispatchKeySet EMPTY = new DispatchKeySet(0);

  /**
   * Returns the set of some runtime keys.
   *
   * @throws TenonException INVALID_ARGUMENT for an alias key
   */
  public static DispatchKeySet of(DispatchKey... keys) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      long bits = 0;
      for (DispatchKey key : keys) {
        Errors.check(TenonNative.tenon_keyset_from_key(key.number(), out));
        bits |= Memory.getLong(out);
      }
      return new DispatchKeySet(bits);
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns all functionalities strictly below a key's, with all backends. */
  public static DispatchKeySet allBelow(DispatchKey key) {
    return new DispatchKeySet(TenonNative.tenon_keyset_below(key.number()));
  }

  /** Returns the keys that the calling thread adds to every call. */
  public static DispatchKeySet included() {
    return new DispatchKeySet(TenonNative.tenon_keyset_included());
  }

  /** Returns the keys that the calling thread removes from every call. */
  public static DispatchKeySet excluded() {
    return new DispatchKeySet(TenonNative.tenon_keyset_excluded());
  }

  /**
   * Returns this set without a key and all keys above it. A kernel on that key redispatches with
   * it.
   */
  public DispatchKeySet below(DispatchKey key) {
    return and(allBelow(key));
  }

  /** Returns true if a key is in the set. */
  public boolean has(DispatchKey key) {
    return TenonNative.tenon_keyset_has(bits, key.number()) != 0;
  }

  /** Returns the key that a call with this set is dispatched to. */
  public DispatchKey highest() {
    return new DispatchKey(TenonNative.tenon_keyset_highest(bits));
  }

  /** Returns this set without a key's functionality. Backends are kept. */
  public DispatchKeySet remove(DispatchKey key) {
    return new DispatchKeySet(TenonNative.tenon_keyset_remove(bits, key.number()));
  }

  /** Returns this set with one more key. */
  public DispatchKeySet add(DispatchKey key) {
    return or(of(key));
  }

  /** Returns the union of both sets. */
  public DispatchKeySet or(DispatchKeySet other) {
    return new DispatchKeySet(bits | other.bits);
  }

  /** Returns the intersection of both sets. */
  public DispatchKeySet and(DispatchKeySet other) {
    return new DispatchKeySet(bits & other.bits);
  }

  /** Returns true if the set is empty. */
  public boolean isEmpty() {
    return bits == 0;
  }

  /** Returns the runtime keys as text, highest first, such as "{AutogradCPU, CPU}". */
  @Override
  public String toString() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_keyset_print(bits, out));
      return Tenon.takeText(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }
}
