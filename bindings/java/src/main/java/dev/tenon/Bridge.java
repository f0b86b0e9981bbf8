// SPDX-License-Identifier: Apache-2.0
// The entry points from C to Java.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import java.util.Objects;

/**
 * The static methods that the native library calls. It finds them once, by name.
 *
 * <p>C enters kernels by JNI at first. If the Foreign Function API can make a cheaper entry ({@link
 * EntryStub}), it is made after a number of calls, because linking takes some 75 ms of processor
 * time and loads 300 classes, and saves only some 50 ns per call. The property {@code
 * tenon.linkAfter} sets the number of calls; 0 means at once, -1 means never.
 */
final class Bridge {
  private static final int LINK_AFTER = Integer.getInteger("tenon.linkAfter", 10_000);
  private static boolean linked;

  static {
    Native.bind(Bridge.class);
    prepareTraces();
    if (LINK_AFTER == 0) {
      linkNow();
    } else if (EntryStub.isPossible()) {
      Native.linkAfter(LINK_AFTER);
    }
    // After this no thread of C enters Java, because the virtual machine may go away.
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(Native::closeGate, "tenon-shutdown"));
    } catch (IllegalStateException e) {
      Native.closeGate(); // a shutdown hook is the first user: the machine is already ending
    }
  }

  private Bridge() {}

  /**
   * Makes the virtual machine initialize the classes that it reads stack traces with. Otherwise the
   * first kernel that throws would initialize them. After a stack overflow inside of such an
   * initializer, the class is unusable as long as the process runs, and {@link
   * Throwable#getStackTrace} always fails.
   */
  private static void prepareTraces() {
    try {
      Objects.requireNonNull(null); // a frame in the module java.base needs the most of them
    } catch (NullPointerException e) {
      e.getStackTrace();
    }
  }

  /** Ensures that C can call Java. Cheap after the first call. */
  static void open() {}

  /** Runs kernel {@code id} on the call described at {@code upcall}; returns a status. */
  static int dispatch(int id, long upcall) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    int outer = frame.openRegion();
    int guards = frame.guards;
    long stack = Memory.getLong(upcall + Structs.UPCALL_STACK);
    // Up to four arguments are read into local variables: the array is then made without a loop,
    // and their views are ended without reading the array, which the kernel may modify.
    Object a = null;
    Object b = null;
    Object c = null;
    Object d = null;
    frame.upcalls++;
    try {
      KernelReference kernel = (KernelReference) References.get(id);
      Op op = kernel.op(Memory.getLong(upcall));
      if (!op.java) {
        op.java = true;
      }
      long at = Memory.getLong(stack);
      int count = Memory.getInt(stack + Structs.STACK_NARGS);
      Object[] args;
      if (count > 4) {
        args = Values.readAll(frame, at, count, Values.BORROW);
      } else {
        a = count > 0 ? argument(frame, at) : null;
        b = count > 1 ? argument(frame, at + Structs.VALUE_SIZE) : null;
        c = count > 2 ? argument(frame, at + 2 * Structs.VALUE_SIZE) : null;
        d = count > 3 ? argument(frame, at + 3 * Structs.VALUE_SIZE) : null;
        args =
            switch (count) {
              case 0 -> new Object[0];
              case 1 -> new Object[] {a};
              case 2 -> new Object[] {a, b};
              case 3 -> new Object[] {a, b, c};
              default -> new Object[] {a, b, c, d};
            };
      }
      Signature signature = op.signature(); // read now, because the kernel may close the library
      Object result = kernel.call(op, upcall + Structs.UPCALL_KEYS, args);
      frame.checkGuards(guards, op.name());
      writeResults(frame, op.name(), stack, result, signature);
      return TENON_OK;
    } catch (Throwable t) {
      frame.restoreGuards(guards);
      return Errors.store(t, stack, frame.upcalls);
    } finally {
      frame.upcalls--;
      frame.reset(mark); // first: handles that the region closes are not in use any more
      Tensor.endViewOf(a);
      Tensor.endViewOf(b);
      Tensor.endViewOf(c);
      Tensor.endViewOf(d);
      frame.closeRegion(outer);
    }
  }

  private static Object argument(CallFrame frame, long at) {
    return Memory.getShort(at) == TENON_TAG_TENSOR
        ? Tensor.viewOf(frame, Memory.getLong(at + Structs.VALUE_AS))
        : Values.read(frame, at, Values.BORROW);
  }

  /** Runs a handler of object {@code id}; see {@link Handlers#handle}. */
  static int handle(int kind, int id, long upcall) {
    return Handlers.handle(kind, id, upcall);
  }

  /** Writes results according to the signature, or with any types if there is none. */
  static void writeResults(
      CallFrame frame, String op, long stack, Object result, Signature signature) {
    int count = Memory.getInt(stack + Structs.STACK_NRETS);
    long rets = Memory.getLong(stack + Structs.STACK_RETS);
    boolean anything = signature == null;
    Object results = anything ? several(op, result, count) : signature.results(result, count);
    if (count == 1) {
      (anything ? Signature.ANY : signature.returnConversion(0)).writeOwned(frame, rets, results);
      return;
    }
    for (int i = 0; i < count; i++) {
      (anything ? Signature.ANY : signature.returnConversion(i))
          .writeOwned(frame, rets + (long) i * Structs.VALUE_SIZE, ((Object[]) results)[i]);
    }
  }

  /** Like {@link #dispatch}, for callers that no exception may reach. */
  static int enter(int id, long upcall) {
    try {
      try {
        return dispatch(id, upcall);
      } catch (Throwable t) {
        return fail(t, Memory.getLong(upcall + Structs.UPCALL_STACK));
      }
    } catch (Throwable t) {
      return TENON_ERROR_FOREIGN; // without an error object: the dispatcher makes one
    }
  }

  /** Makes the cheaper entry into Java. Called once by C, while calls continue. */
  static void link() {
    Thread thread = new Thread(Bridge::linkNow, "tenon-link");
    thread.setDaemon(true);
    thread.start();
  }

  private static synchronized void linkNow() {
    if (!linked) {
      linked = true;
      long stub = EntryStub.make();
      if (stub != 0) {
        Native.enterBy(stub);
      }
    }
  }

  private static Object several(String op, Object result, int count) {
    boolean fits =
        switch (count) {
          case 0 -> result == null;
          case 1 -> true;
          default -> result instanceof Object[] all && all.length == count;
        };
    if (!fits) {
      throw TenonException.type(
          op, "handler", "one that returns " + count + " results", Values.typeName(result));
    }
    return result;
  }

  /** Converts an exception of {@link #dispatch} itself to an error. */
  static int fail(Throwable thrown, long stack) {
    return Errors.store(thrown, stack, 0);
  }

  /** Calls a fallback's selector for an operator. */
  static int select(int id, long schema) {
    KernelReference kernel = (KernelReference) References.get(id);
    try (Schema view = Schema.retain(schema)) {
      return kernel.select.test(view) ? TENON_SELECT_KERNEL : TENON_SELECT_FALLTHROUGH;
    } catch (Throwable t) {
      // The exception cannot be thrown to a caller. It is reported like an uncaught one, and the
      // operator is treated as selected.
      Thread current = Thread.currentThread();
      current.getUncaughtExceptionHandler().uncaughtException(current, t);
      return TENON_SELECT_KERNEL;
    }
  }
}
