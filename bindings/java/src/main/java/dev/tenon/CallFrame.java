// SPDX-License-Identifier: Apache-2.0
// The per-thread data of calls: native memory, handles of open scopes, guards.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The memory in which a thread lays out stacks and values of its calls. It is allocated and freed
 * like a stack, so that a call needs no other allocation. Long lists and texts that do not fit get
 * separate memory.
 */
final class CallFrame {
  private static final int SIZE = 32 * 1024;
  // A mark packs three numbers into one word: the top of the memory, the number of separately
  // allocated parts, and the number of objects in use.
  private static final int TOP_BITS = 16;
  private static final int COUNT_BITS = 24;
  private static final int MOST = (1 << COUNT_BITS) - 1;
  private static final int SIZE_ON_VIRTUAL = 2 * 1024;
  private static final ThreadLocal<CallFrame> LOCAL =
      ThreadLocal.withInitial(() -> new CallFrame(Thread.currentThread()));
  private static final MethodHandle IS_VIRTUAL = isVirtualMethod();

  // Keeps the memory at `base` alive. Made on first use: `limit` is 0 until then.
  private ByteBuffer memory;
  private long base;
  private int limit;
  private int top;
  private long[] overflow = new long[4];
  private int overflowCount;

  private long[] objects = new long[4];
  private int objectCount;

  private NativeHandle[] tracked = new NativeHandle[16];
  private int trackedCount;
  private int regions;
  private int regionStart;

  private final Thread thread;

  /**
   * True if Java kernels may be called without going through C. False on virtual threads, which may
   * continue on another carrier thread, while a dispatch belongs to the thread that began it.
   * Frames of C pin a virtual thread to its carrier.
   */
  final boolean direct;

  /** Number of guards that are open on this thread. */
  int guards;

  private Guard[] openGuards = new Guard[4];

  /** Number of nested lists that are being written as values. */
  int nesting;

  /** Number of Java kernels that C entered and that are running on this thread. */
  int upcalls;

  // Objects that are in use until the mark before them is reset.
  private NativeHandle[] held = new NativeHandle[16];
  private int heldCount;

  private CallFrame(Thread thread) {
    this.thread = thread;
    this.direct = !isVirtual(thread);
  }

  static CallFrame get() {
    return LOCAL.get();
  }

  private static MethodHandle isVirtualMethod() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null; // before Java 21 there are none
    }
  }

  private static boolean isVirtual(Thread thread) {
    if (IS_VIRTUAL == null) {
      return false;
    }
    try {
      return (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  // ---- Memory ---------------------------------------------------------------------------------

  /** Returns a mark of the memory and the objects in use, for {@link #reset}. */
  long mark() {
    assert top < 1 << TOP_BITS;
    return ((long) heldCount << COUNT_BITS | overflowCount) << TOP_BITS | top;
  }

  /** Frees all memory allocated since the mark, and ends the uses that began since. */
  void reset(long mark) {
    top = (int) mark & (1 << TOP_BITS) - 1;
    int count = (int) (mark >>> TOP_BITS) & MOST;
    while (overflowCount > count) {
      Memory.free(overflow[--overflowCount]);
    }
    int uses = (int) (mark >>> TOP_BITS + COUNT_BITS);
    while (heldCount > uses) {
      NativeHandle handle = held[--heldCount];
      held[heldCount] = null;
      handle.endUse();
    }
  }

  /** Begins a use that ends when the innermost mark is reset; returns 0 for a closed object. */
  long hold(NativeHandle handle) {
    long address = handle.tryBeginUse();
    if (address == 0) {
      handle.endUse();
      return 0;
    }
    if (heldCount == held.length) {
      growHeld(handle);
    }
    held[heldCount++] = handle;
    return address;
  }

  private void growHeld(NativeHandle handle) {
    if (heldCount == MOST) {
      handle.endUse();
      throw new TenonException(
          ErrorCode.NOT_SUPPORTED, "call: must use at most " + MOST + " objects, got more");
    }
    held = Arrays.copyOf(held, Math.min(heldCount * 2, MOST));
  }

  /** Allocates uninitialised memory, 8-aligned, until the mark before it is reset. */
  long allocate(long size) {
    long rounded = (size + 7) & ~7L;
    if (rounded <= limit - top) {
      long address = base + top;
      top += (int) rounded;
      return address;
    }
    if (limit == 0) {
      int room = direct ? SIZE : SIZE_ON_VIRTUAL;
      memory = ByteBuffer.allocateDirect(room + 8);
      base = (Native.bufferAddress(memory) + 7) & ~7L;
      limit = room;
      return allocate(rounded);
    }
    if (overflowCount == MOST) {
      throw new OutOfMemoryError("Tenon: a call's arguments have too many parts");
    }
    if (overflowCount == overflow.length) {
      overflow = Arrays.copyOf(overflow, overflowCount * 2);
    }
    long address = Memory.allocate(rounded);
    overflow[overflowCount++] = address;
    return address;
  }

  /**
   * Writes a text with a NUL at its end. Refuses a text that contains a NUL. Returns 0 for null.
   */
  long text(String text) {
    if (text == null) {
      return 0;
    }
    byte[] bytes = Text.encode(text);
    long address = allocate(bytes.length);
    Memory.copyIn(bytes, 0, address, bytes.length);
    return address;
  }

  /** Writes numbers. Returns an arbitrary address if there are none. */
  long longs(long[] values) {
    long address = allocate(values.length * 8L);
    Memory.copyIn(values, 0, address, values.length * 8L);
    return address;
  }

  // ---- Guards ---------------------------------------------------------------------------------

  void pushGuard(Guard guard) {
    if (guards == openGuards.length) {
      openGuards = Arrays.copyOf(openGuards, guards * 2);
    }
    openGuards[guards++] = guard;
  }

  void popGuard() {
    openGuards[--guards] = null;
  }

  /** Leaves the guards that a kernel left open, and returns true if there were any. */
  boolean restoreGuards(int count) {
    boolean open = guards > count;
    while (guards > count) {
      openGuards[guards - 1].close();
    }
    return open;
  }

  /** Restores the keys and raises an error if a kernel left guards open. */
  void checkGuards(int count, String op) {
    if (guards > count && restoreGuards(count)) {
      throw new IllegalStateException(
          op + ": kernel must close the guards that it opens, got one open");
    }
  }

  // ---- Objects made for one call ----------------------------------------------------------------

  /** Registers a native object to be released at the end of the current call. */
  void releaseLater(long object) {
    if (objectCount == objects.length) {
      objects = Arrays.copyOf(objects, objectCount * 2);
    }
    objects[objectCount++] = object;
  }

  int objectCount() {
    return objectCount;
  }

  /** Releases the objects registered since there were {@code count}. */
  void releaseObjects(int count) {
    while (objectCount > count) {
      TenonNative.tenon_object_release(objects[--objectCount]);
    }
  }

  // ---- Scopes ---------------------------------------------------------------------------------

  Thread thread() {
    return thread;
  }

  /**
   * Opens a region: new handles belong to it. Returns the argument for {@link #closeRegion}.
   */
  int openRegion() {
    int outer = regionStart;
    regions++;
    regionStart = trackedCount;
    return outer;
  }

  /** Closes the handles of the innermost region and returns to the one around it. */
  void closeRegion(int outer) {
    while (trackedCount > regionStart) {
      NativeHandle handle = tracked[--trackedCount];
      tracked[trackedCount] = null;
      if (handle != null) {
        handle.closeFromScope();
      }
    }
    regions--;
    regionStart = outer;
  }

  /** Returns true if a handle was made in the innermost region. */
  boolean inRegion(NativeHandle handle) {
    return handle.owner == this && handle.slot >= regionStart;
  }

  int regionCount() {
    return regions;
  }

  /** Assigns a new handle to the innermost region, or to the cleaner if there is none. */
  <H extends NativeHandle> H adopt(H handle) {
    handle.belongTo(this);
    if (regions == 0) {
      handle.guardByCleaner();
    } else {
      track(handle);
    }
    return handle;
  }

  void track(NativeHandle handle) {
    if (trackedCount == tracked.length) {
      tracked = Arrays.copyOf(tracked, trackedCount * 2);
    }
    handle.owner = this;
    handle.slot = trackedCount;
    tracked[trackedCount++] = handle;
  }

  /**
   * Removes a handle that was closed or escapes. If another thread does that, the entry remains,
   * which is harmless.
   */
  void untrack(NativeHandle handle) {
    if (Thread.currentThread() != thread) {
      return;
    }
    int slot = handle.slot;
    if (slot >= 0) {
      tracked[slot] = null;
      if (slot == trackedCount - 1 && slot >= regionStart) {
        trackedCount--;
      }
    }
    handle.owner = null;
    handle.slot = -1;
  }
}
