// SPDX-License-Identifier: Apache-2.0
// The handle class: base class of every public object that owns something native.
package dev.tenon;

import dev.tenon.internal.TenonNative;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

/**
 * An owner of a native object. It is closed explicitly, by the {@link Scope} it was made in, or
 * otherwise by a cleaner when it becomes unreachable (except libraries: see {@link Library}).
 *
 * <p>Closing twice is safe. Use after close throws {@link IllegalStateException}. A call holds its
 * arguments: an object that is closed while calls use it, by a kernel or a hook that a call runs or
 * by another thread, is released when the last of these uses ends.
 */
// How close() finds the uses in flight:
//
// - A use increments a count, reads the address, and decrements the count when the native call has
//   returned. The thread that made the object uses a plain counter (`uses`); all other threads
//   share an atomic one (`sharedUses`).
// - close() clears the address, then reads both counters. If both are zero, it releases the object.
//   Otherwise it leaves the address in `pending`; each use that ends and finds the address cleared
//   reads both counters again. The thread that takes `pending` releases the object.
// - This is Dekker's protocol: it needs a full fence between the write and the read on both sides.
//   Atomic operations have one. The plain counter has only a compiler barrier, which costs nothing;
//   before another thread reads it, that thread runs ProcessFence, a full fence on all threads.
abstract class NativeHandle implements AutoCloseable {
  static final int TENSOR = 0;
  static final int LIBRARY = 1;
  static final int REGISTRATION = 2;
  static final int SCHEMA = 3;
  static final int OBJECT = 4;
  static final int STORAGE = 5;
  static final int ERROR = 6;
  static final int THREAD_STATE = 7;
  static final int SIMULATOR = 8;
  static final int GENERATOR = 9;
  static final int NODE = 10;
  static final int HOOK = 11;
  static final int PULLBACK = 12;
  static final int GRAPH = 13;
  static final int FAKE_MODE = 14;
  static final int SHAPE_ENV = 15;

  private static final Cleaner CLEANER = Cleaner.create();
  private static final VarHandle ADDRESS;
  private static final VarHandle PENDING;
  private static final VarHandle SHARED_USES;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ADDRESS = lookup.findVarHandle(NativeHandle.class, "address", long.class);
      PENDING = lookup.findVarHandle(NativeHandle.class, "pending", long.class);
      SHARED_USES = lookup.findVarHandle(NativeHandle.class, "sharedUses", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The native address, 0 once closed. */
  @SuppressWarnings("FieldMayBeFinal")
  long address;

  private Cleaner.Cleanable cleanable;
  // The frame of the thread whose scope closes this, and the index in its list; -1 outside scopes.
  CallFrame owner;
  int slot = -1;
  // True for a view of an object that C owns for the length of a call.
  boolean borrowed;
  // The frame of the thread that made this object; null if it has no owner, so that
  // close() releases it at once.
  private CallFrame home;
  // Number of uses in flight on the home thread, which alone writes it.
  private int uses;
  // Number of uses in flight on all other threads.
  @SuppressWarnings("FieldMayBeFinal")
  private volatile int sharedUses;
  // The address of a closed object that the end of its last use releases, otherwise 0.
  @SuppressWarnings("FieldMayBeFinal")
  private volatile long pending;

  NativeHandle(long address) {
    this.address = address;
  }

  /** The action of the cleaner, which must not refer to the handle itself. */
  private record Release(int type, long address, long bytes) implements Runnable {
    @Override
    public void run() {
      release(type, address);
      NativeMemory.remove(bytes);
    }
  }

  private static void release(int type, long address) {
    switch (type) {
      case TENSOR -> TenonNative.tenon_tensor_release(address);
      case LIBRARY -> TenonNative.tenon_library_release(address);
      case REGISTRATION -> TenonNative.tenon_registration_release(address);
      case SCHEMA -> TenonNative.tenon_schema_release(address);
      case OBJECT -> TenonNative.tenon_object_release(address);
      case STORAGE -> TenonNative.tenon_storage_release(address);
      case ERROR -> TenonNative.tenon_error_release(address);
      case THREAD_STATE -> TenonNative.tenon_thread_state_release(address);
      case SIMULATOR -> TenonNative.tenon_simulator_release(address);
      case GENERATOR -> TenonNative.tenon_generator_release(address);
      case NODE -> TenonNative.tenon_node_release(address);
      case HOOK -> TenonNative.tenon_hook_release(address);
      case PULLBACK -> TenonNative.tenon_pullback_release(address);
      case GRAPH -> TenonNative.tenon_graph_release(address);
      case FAKE_MODE -> TenonNative.tenon_fake_mode_release(address);
      case SHAPE_ENV -> TenonNative.tenon_shape_env_release(address);
      default -> throw new AssertionError(type);
    }
    References.drain();
  }

  /** Returns the number of the release function of this handle. */
  abstract int type();

  /** Returns the name of this object in errors, such as "Tensor". */
  abstract String title();

  /** Registers the release with the cleaner, for an object that is never closed. */
  final void guardByCleaner() {
    if (home == null) {
      belongTo(CallFrame.get());
    }
    guardByCleaner(address);
  }

  private void guardByCleaner(long owned) {
    long bytes = nativeBytes(owned);
    cleanable = CLEANER.register(this, new Release(type(), owned, bytes));
    NativeMemory.add(bytes);
  }

  /** Stores the thread that makes this object, before another thread can see it. */
  final void belongTo(CallFrame frame) {
    home = frame;
    VarHandle.storeStoreFence();
  }

  /**
   * Returns the number of bytes at an address of this type, for the garbage collector's pressure.
   */
  long nativeBytes(long owned) {
    return 0;
  }

  // ---- Uses -----------------------------------------------------------------------------------

  /**
   * Returns the address; throws when closed. The object is in use until the innermost mark of the
   * calling thread's frame is reset.
   */
  final long address() {
    CallFrame made = home;
    boolean isHome = made != null && made.thread() == Thread.currentThread();
    return open((isHome ? made : CallFrame.get()).hold(this));
  }

  /** Like address(), but for one native call that {@link #endUse} follows. */
  final long beginUse() {
    long a = tryBeginUse();
    if (a == 0) {
      endUse();
    }
    return open(a);
  }

  /** Returns true if both objects refer to the same native one; throws if one is closed. */
  final boolean hasAddressOf(NativeHandle other) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      return address() == other.address();
    } finally {
      frame.reset(mark);
    }
  }

  private long open(long a) {
    if (a == 0) {
      throw new IllegalStateException(title() + ": must be open, got a closed one");
    }
    return a;
  }

  /** Begins a use, to be ended with {@link #endUse}; returns the address, 0 when closed. */
  final long tryBeginUse() {
    CallFrame made = home;
    if (made != null) {
      if (made.thread() == Thread.currentThread()) {
        uses++;
        VarHandle.acquireFence(); // the compiler's barrier: see above
      } else {
        beginSharedUse(made);
      }
    }
    long a = address;
    return a != 0 ? a : wake();
  }

  private void beginSharedUse(CallFrame made) {
    SHARED_USES.getAndAdd(this, 1);
    if (borrowed) {
      ProcessFence.run(made.thread()); // endView() clears the address without a fence
    }
  }

  /** Ends a use, and releases the object if it was closed during it and this was the last use. */
  final void endUse() {
    CallFrame made = home;
    if (made == null) {
      Reference.reachabilityFence(this);
      return;
    }
    if (made.thread() == Thread.currentThread()) {
      assert uses > 0;
      VarHandle.releaseFence();
      uses--;
      VarHandle.acquireFence(); // the compiler's barrier: see above
    } else {
      SHARED_USES.getAndAdd(this, -1);
    }
    if (address == 0) {
      VarHandle.fullFence();
      releasePending();
    }
  }

  // Returns true if no use is in flight. Threads other than the home one run ProcessFence first.
  private boolean isUnused() {
    return uses == 0 && sharedUses == 0;
  }

  private void releasePending() {
    if (pending != 0 && isUnused()) {
      long a = (long) PENDING.getAndSet(this, 0L);
      if (a != 0) {
        releaseNow(a);
      }
    }
  }

  // Leaves the release of a closed object, whose address is cleared, to the end of its last use.
  // The cleaner releases it if a use never ends, for example because a stack overflow cut it off.
  private void releaseAfterUse(long a) {
    if (cleanable == null) {
      guardByCleaner(a);
    }
    pending = a;
    releasePending();
  }

  /** Returns the hidden address of an open object; 0 if the object is closed. */
  long wake() {
    return 0;
  }

  /** Hides the address of an open object, for {@link #wake}, and returns it. */
  final long hideAddress() {
    return (long) ADDRESS.getAndSet(this, 0L);
  }

  /** Puts an address back that {@link #hideAddress} returned. */
  final void showAddress(long hidden) {
    ADDRESS.setVolatile(this, hidden);
  }

  /** Returns true if no use is in flight, once the address is hidden and the home thread fenced. */
  final boolean isUnusedAfterFence() {
    ProcessFence.run(home.thread());
    return isUnused();
  }

  /** Runs an action once, on the cleaner's thread, after a collection of garbage. */
  static void afterCollection(Runnable action) {
    CLEANER.register(new Object(), action);
  }

  /** Clears the address and returns the previous one. */
  long takeAddress() {
    return (long) ADDRESS.getAndSet(this, 0L);
  }

  /** Returns true if this object was closed. */
  public final boolean isClosed() {
    return address == 0 && wake() == 0;
  }

  /**
   * Makes another reference without owner, for handle types that values carry. Objects of other
   * types are Java objects in values, and are returned themselves.
   */
  NativeHandle unownedCopy() {
    return this;
  }

  /** Releases what this object owns. Closing again does nothing. */
  @Override
  public void close() {
    CallFrame made = home;
    if (borrowed) {
      // The end of the kernel call ends the view; only the kernel's own thread may end it earlier.
      if (made != null && made.thread() == Thread.currentThread()) {
        endView();
      }
      return;
    }
    long a = takeAddress();
    if (a == 0) {
      return;
    }
    CallFrame frame = owner;
    if (frame != null) {
      frame.untrack(this);
    }
    if (made == null) {
      releaseNow(a);
      return;
    }
    if (made.thread() != Thread.currentThread()) {
      ProcessFence.run(made.thread());
    }
    if (isUnused()) {
      releaseNow(a);
    } else {
      releaseAfterUse(a);
    }
  }

  /**
   * Ends a view, on its home thread, before its owner may release the viewed object. Another thread
   * that still uses the view gets a reference, which the end of its use releases.
   */
  final void endView() {
    long a = address;
    address = 0;
    VarHandle.acquireFence(); // the compiler's barrier: see above
    if (sharedUses != 0 && a != 0) {
      retainViewed(a);
      releaseAfterUse(a);
    }
  }

  /** Adds a reference to the viewed object. */
  void retainViewed(long viewed) {
    throw new AssertionError(title());
  }

  /** Releases the native object of a closed handle. */
  final void releaseNow(long owned) {
    if (cleanable != null) {
      cleanable.clean();
    } else {
      release(type(), owned);
    }
  }

  /** Returns true if neither a scope nor the cleaner closes this object yet. */
  final boolean isUnowned() {
    return cleanable == null && owner == null && !borrowed;
  }

  /**
   * Removes an object that owns a reference from its scope, so that it lives until it is closed.
   */
  final void leaveScope() {
    CallFrame frame = owner;
    if (frame != null) {
      if (isClosed()) {
        open(0); // throws: another thread closed it
      }
      frame.untrack(this);
      guardByCleaner();
    }
  }

  /** Closes the object at the end of its scope, which removes the object from its list. */
  final void closeFromScope() {
    owner = null;
    slot = -1;
    if (borrowed) {
      endView();
    } else {
      close();
    }
  }
}
