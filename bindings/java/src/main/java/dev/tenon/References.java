// SPDX-License-Identifier: Apache-2.0
// The table of Java objects that C refers to by number.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import java.lang.ref.WeakReference;

/**
 * Java objects held for C: kernels, exceptions, objects in values, buffers under tensors.
 *
 * <p>C holds the address of a small node with a number in it. Its deleter only puts the node into a
 * queue, on any thread and without the virtual machine. {@link #drain} frees the objects in the
 * queue; it is called whenever handles are released or references made.
 */
final class References {
  private static final int BATCH = 64;

  private static volatile Object[] table = new Object[64];
  private static int[] free = new int[64];
  private static int freeCount;
  private static int used;

  private References() {}

  /**
   * Keeps an object and returns the node's address, which {@code Addresses.DROP_REFERENCE} drops.
   */
  static long add(Object object) {
    drain();
    int id = insert(object);
    long node = Native.newReference(id);
    if (node == 0) {
      remove(id);
      throw new OutOfMemoryError("Tenon: no memory for a reference");
    }
    return node;
  }

  /** Returns the object with a number. */
  static Object get(int id) {
    return table[id];
  }

  /** Makes the reference to an object, given by its number, weak. */
  static synchronized void weaken(int id, Object object) {
    if (table[id] == object) {
      table[id] = new Weak(object);
    }
  }

  /** Undoes {@link #weaken}, unless the number belongs to another object by now. */
  static synchronized void strengthen(int id, Object object) {
    if (table[id] instanceof Weak weak && weak.get() == object) {
      table[id] = object;
    }
  }

  /** Returns the object of an entry; null for a weakly held object that was collected. */
  static Object held(Object entry) {
    return entry instanceof Weak weak ? weak.get() : entry;
  }

  private static final class Weak extends WeakReference<Object> {
    Weak(Object object) {
      super(object);
    }
  }

  /** Returns the object of a node. */
  static Object at(long node) {
    return table[Memory.getInt(node + Structs.REF_ID)];
  }

  /** Frees the objects that C has dropped. Nearly free if there are none. */
  static void drain() {
    if (Memory.getLong(Addresses.DROPPED) > 0) {
      drainSlowly();
    }
  }

  private static void drainSlowly() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long ids = frame.allocate(BATCH * 4L);
      int count;
      do {
        count = Native.droppedReferences(ids, BATCH);
        for (int i = 0; i < count; i++) {
          remove(Memory.getInt(ids + i * 4L));
        }
      } while (count == BATCH);
    } finally {
      frame.reset(mark);
    }
  }

  private static synchronized int insert(Object object) {
    int id;
    if (freeCount > 0) {
      id = free[--freeCount];
    } else {
      if (used == table.length) {
        table = java.util.Arrays.copyOf(table, used * 2);
      }
      id = used++;
    }
    table[id] = object;
    return id;
  }

  private static synchronized void remove(int id) {
    table[id] = null;
    if (freeCount == free.length) {
      free = java.util.Arrays.copyOf(free, freeCount * 2);
    }
    free[freeCount++] = id;
  }

  /**
   * Returns the key of an address in a concurrent map. Addresses are multiples of 64 and would
   * share bins, which the map then converts to trees. A stack overflow inside of such a tree's lock
   * would leave it locked forever.
   */
  static long key(long address) {
    return address * 0x9E3779B97F4A7C15L;
  }

  /** Returns the number of objects that C refers to. */
  static synchronized int count() {
    return used - freeCount;
  }
}
