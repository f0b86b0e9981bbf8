// SPDX-License-Identifier: Apache-2.0
// The one handle class: every public object that owns something native derives from it.
package dev.tenon;

import dev.tenon.internal.TenonNative;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;

/**
 * Something native with an owner: closed explicitly, by the {@link Scope} it was made in, or at
 * last by a cleaner when it is forgotten (libraries excepted: {@link Library} says why).
 *
 * <p>Closing twice is safe. Use after close throws {@link IllegalStateException}. Closing from
 * another thread while a call still uses the object is the caller's mistake, as with any Java
 * resource.
 */
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
    long bytes = nativeBytes();
    cleanable = CLEANER.register(this, new Release(type(), address, bytes));
    NativeMemory.add(bytes);
  }

  /** How many bytes the garbage collector should know of. */
  long nativeBytes() {
    return 0;
  }

  /** Returns the address; throws when closed. The caller fences this object after native use. */
  final long address() {
    long a = address;
    if (a == 0) {
      throw new IllegalStateException(title() + ": must be open, got a closed one");
    }
    return a;
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
    long a = (long) ADDRESS.getAndSet(this, 0L);
    if (a == 0) {
      return;
    }
    CallFrame frame = owner;
    if (frame != null) {
      frame.untrack(this);
    }
    if (cleanable != null) {
      cleanable.clean();
    } else if (!borrowed) {
      release(type(), a);
    }
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
