// SPDX-License-Identifier: Apache-2.0
// The one handle class: every public object that owns something native derives from it.
package dev.tenon;

import dev.tenon.internal.TenonNative;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.net.URL;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Something native with an owner: closed explicitly, by the {@link Scope} it was made in, or at
 * last by a cleaner when it is forgotten (libraries excepted: {@link Library} says why).
 *
 * <p>Closing twice is safe. Use after close throws {@link IllegalStateException}. A call holds its
 * arguments: an object that is closed while a call uses it, by a kernel or a hook that the call
 * runs or by another thread, is released after the call, at the latest when garbage is collected.
 */
// How closing is kept apart from calls in progress:
//
// - On one thread. A call in progress lies below the Java code that C, or a direct call, has
//   entered since (an upcall). Its arguments were made before that upcall began. So close()
//   compares the object's stamp with that of the innermost upcall, and an older object waits in its
//   thread's CallFrame until the upcalls that are newer than it have returned.
// - Between threads. The first use by another thread than the one that made the object notes that
//   thread, makes a full fence and reads the address after that. close() clears the address
//   atomically and looks at the threads after that. One of the two sees the other: the use finds no
//   address, or close() finds the thread. A thread that has no method of this package on its stack
//   uses nothing; while another has, the release is left to the cleaner, since the object stays
//   reachable during the use.
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

  private static final Map<String, Boolean> OURS = new ConcurrentHashMap<>();
  private static final String PACKAGE = NativeHandle.class.getPackageName() + ".";
  private static final Cleaner CLEANER = Cleaner.create();
  private static final VarHandle ADDRESS;

  static {
    try {
      ADDRESS = MethodHandles.lookup().findVarHandle(NativeHandle.class, "address", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The native address, 0 once closed. */
  @SuppressWarnings("FieldMayBeFinal")
  long address;

  private Cleaner.Cleanable cleanable;
  // The thread whose scope closes this, and the place in its list; -1 outside scopes.
  CallFrame owner;
  int slot = -1;
  // A view of something that C owns for the length of a call.
  boolean borrowed;
  // The frame of the thread that made this object, and that frame's count of upcalls at that time;
  // null if close() releases the object at once.
  private CallFrame home;
  private long stamp;
  // Other threads that have used this; null without.
  private Thread[] sharers;

  NativeHandle(long address) {
    this.address = address;
  }

  /** What the cleaner runs: it must not refer to the handle itself. */
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

  /** Which release function serves this handle. */
  abstract int type();

  /** What errors call this object, such as "Tensor". */
  abstract String title();

  /** Leaves the release to the cleaner unless somebody closes first. */
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

  /** Notes the thread that makes this object. */
  final void belongTo(CallFrame frame) {
    home = frame;
    stamp = frame.upcallsBegun();
  }

  /** How many bytes at an address of this type the garbage collector should know of. */
  long nativeBytes(long owned) {
    return 0;
  }

  /** Returns the address; throws when closed. The caller fences this object after native use. */
  final long address() {
    long a = addressOrZero();
    if (a == 0) {
      throw new IllegalStateException(title() + ": must be open, got a closed one");
    }
    return a;
  }

  /** Returns the address for one use, 0 when closed. The caller fences this object after that. */
  final long addressOrZero() {
    CallFrame made = home;
    if (made != null && made.thread() != Thread.currentThread()) {
      useElsewhere(made);
    }
    return address;
  }

  private void useElsewhere(CallFrame made) {
    if (made == CallFrame.NONE) {
      HookCycles.strengthen(this);
      if (home.thread() == Thread.currentThread()) {
        return;
      }
    }
    Thread current = Thread.currentThread();
    if (!contains(sharers, current)) {
      synchronized (this) {
        int count = sharers == null ? 0 : sharers.length;
        Thread[] more = new Thread[count + 1];
        if (count > 0) {
          System.arraycopy(sharers, 0, more, 0, count);
        }
        more[count] = current;
        sharers = more;
      }
      VarHandle.fullFence(); // see above
    }
  }

  private static boolean contains(Thread[] threads, Thread wanted) {
    if (threads != null) {
      for (Thread thread : threads) {
        if (thread == wanted) {
          return true;
        }
      }
    }
    return false;
  }

  // Whether a call of some thread may use this object, whose address is cleared.
  private boolean isInUse(CallFrame made) {
    Thread current = Thread.currentThread();
    if (made.thread() != current
        && (CallFrame.get().isRunningSince(0) || isInside(made.thread()))) {
      return true;
    }
    Thread[] others;
    synchronized (this) {
      others = sharers;
    }
    if (others != null) {
      for (Thread other : others) {
        if (other != current && isInside(other)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isInside(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      String name = frame.getClassName();
      int lambda = name.indexOf("$$Lambda");
      if (lambda >= 0) {
        name = name.substring(0, lambda); // its own class has no file
      }
      if (name.startsWith(PACKAGE) && OURS.computeIfAbsent(name, NativeHandle::isOurs)) {
        return true;
      }
    }
    return false;
  }

  // Whether a class of this package came with this one.
  private static boolean isOurs(String name) {
    String place = placeOf(name);
    String own = placeOf(NativeHandle.class.getName());
    return place == null || own == null || place.startsWith(own);
  }

  private static String placeOf(String className) {
    String file = className.replace('.', '/') + ".class";
    URL url = NativeHandle.class.getClassLoader().getResource(file);
    if (url == null) {
      return null;
    }
    String text = url.toString();
    return text.substring(0, text.length() - file.length());
  }

  /** Says whose this object is; returns who had it. */
  final CallFrame moveTo(CallFrame frame) {
    CallFrame before = home;
    home = frame;
    return before;
  }

  /** Runs an action once, on the cleaner's thread, after a collection of garbage. */
  static void afterCollection(Runnable action) {
    CLEANER.register(new Object(), action);
  }

  /** Clears the address; returns the one that was there. */
  long takeAddress() {
    return (long) ADDRESS.getAndSet(this, 0L);
  }

  /** Tells whether this object was closed. */
  public final boolean isClosed() {
    return address == 0;
  }

  /**
   * Makes another reference that nobody owns yet, where values carry such handles; others are Java
   * objects to values and stay themselves.
   */
  NativeHandle unownedCopy() {
    return this;
  }

  /** Releases what this object owns. Closing again does nothing. */
  @Override
  public void close() {
    long a = takeAddress();
    if (a == 0) {
      return;
    }
    CallFrame frame = owner;
    if (frame != null) {
      frame.untrack(this);
    }
    if (borrowed) {
      return;
    }
    CallFrame made = home;
    if (made == null) {
      releaseNow(a);
    } else if (isInUse(made)) {
      if (cleanable == null) {
        guardByCleaner(a);
      }
    } else if (made.thread() == Thread.currentThread() && made.isRunningSince(stamp)) {
      made.releaseLater(this, a);
    } else {
      releaseNow(a);
    }
  }

  /** Releases what a closed object had. */
  final void releaseNow(long owned) {
    if (cleanable != null) {
      cleanable.clean();
    } else {
      release(type(), owned);
    }
  }

  /** How many upcalls its thread had begun when this object was made. */
  final long stamp() {
    return stamp;
  }

  /** Tells whether nobody closes this yet: neither scope nor cleaner. */
  final boolean isUnowned() {
    return cleanable == null && owner == null && !borrowed;
  }

  /** Takes an object of its own out of its scope, so that it lives until it is closed. */
  final void leaveScope() {
    CallFrame frame = owner;
    if (frame != null) {
      address(); // throws when another thread closed it
      frame.untrack(this);
      guardByCleaner();
    }
  }

  /** Closes at the end of a scope, which forgets this object itself. */
  final void closeFromScope() {
    owner = null;
    slot = -1;
    if (borrowed) {
      address = 0;
    } else {
      close();
    }
  }
}
