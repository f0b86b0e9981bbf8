// SPDX-License-Identifier: Apache-2.0
// The hand-written natives: calls, references from C to Java, buffers, the profile.
package dev.tenon.internal;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/** Natives beside SWIG's flat layer, registered when the library loads. Internal. */
public final class Native {
  private Native() {}

  // The library registers these methods while it loads: nothing else may be initialised here.
  static {
    Loader.load();
  }

  /** What the calls below return for an operator without results. */
  public static final long NO_RESULT = 2;

  /**
   * Calls an operator with one tensor and at most one as its result. {@code op} is its address,
   * plus 1 when it returns a tensor, plus 2 when that may be absent. Returns the result's handle,
   * {@link #NO_RESULT}, or 0 with an error in the slot.
   */
  public static native long call1(long op, long a);

  public static native long call2(long op, long a, long b);

  public static native long call3(long op, long a, long b, long c);

  public static native long call4(long op, long a, long b, long c, long d);

  /**
   * Calls an operator with one tensor and the defaults that a lane holds: see {@code Lane}. Returns
   * what {@link #call1} does.
   */
  public static native long callLane1(long lane, long a);

  public static native long callLane2(long lane, long a, long b);

  public static native long callLane3(long lane, long a, long b, long c);

  /** What the begins return where the call has to go through C. */
  public static final long BY_C = 1;

  /** Frames come in blocks of this size; the next free one is written where the block begins. */
  public static final long FRAMES_SIZE = 4096;

  /**
   * Begins a call with up to two tensors, 0 for none. Returns the address of a tenon_frame in which
   * a Java kernel runs, to be left and given back by this thread; {@link #BY_C}; or 0 with an error
   * in the slot and nothing to leave.
   */
  public static native long begin2(long op, long a, long b);

  public static native long begin4(long op, long a, long b, long c, long d);

  /**
   * Calls an operator with a filled block of stack, frame, arguments and results. Returns 0 with
   * results, a status with an error in the slot, or -1 where a Java kernel is to be called in the
   * block's frame.
   */
  public static native int call(long op, long block, boolean direct);

  /**
   * Binds arguments, given by position and by name, to {@code count} values in the order of an
   * operator's schema. Returns the schema, a reference that the caller releases after the call; 0
   * with an error in the slot.
   */
  public static native long bindArguments(
      long op,
      long positional,
      int positionalCount,
      long names,
      long named,
      int namedCount,
      long values,
      int count);

  /**
   * Makes a new graph, written to {@code out}, by a pass whose reference is given. Returns a
   * status, with an error in the slot.
   */
  public static native int rewriteGraph(long graph, long pass, long out);

  /** As {@link #call}, with a key set; the thread's keys are not consulted. */
  public static native int redispatch(long op, long keys, long block, boolean direct);

  /**
   * Takes the error in the thread's slot, if it is text alone; null, and it stays, when there is
   * none or more hangs on it: a cause, or another language's exception.
   */
  public static native byte[] takePlainError();

  /** Returns what ErrorText takes apart of an error. */
  public static native byte[] readError(long error);

  /** Makes the node by which C refers to object {@code id}; 0 when memory is short. */
  public static native long newReference(int id);

  /** Drops a node that C did not take. */
  public static native void dropReference(long node);

  /** Writes up to {@code capacity} ids of dropped references to memory and returns how many. */
  public static native int droppedReferences(long ids, int capacity);

  /** Returns zeroed memory; 0 when memory is short. Package: {@link Memory} is the public one. */
  static native long allocate(long size);

  static native void free(long address);

  /** Returns the address of a direct buffer's first byte, 0 for a heap buffer. */
  public static native long bufferAddress(Buffer buffer);

  public static native ByteBuffer newBuffer(long address, long size);

  /** Runs a full memory fence on all threads; returns false where the system has no such call. */
  public static native boolean fenceProcess();

  /** Returns the bytes of a tensor's elements. */
  public static native long tensorBytes(long tensor);

  /** Runs the deleter of a DLManagedTensorVersioned that nobody consumed. */
  public static native void deleteDLPack(long managed);

  /** Runs the deleter of a DLManagedTensor that nobody consumed. */
  public static native void deleteLegacyDLPack(long managed);

  /** Tells the library the class whose static methods kernels enter. */
  public static native void bind(Class<?> bridge);

  /** Has C ask the bridge for an entry stub when it has entered Java so many times; 0: never. */
  public static native void linkAfter(int count);

  /** From now on C enters Java kernels by this stub. */
  public static native void enterBy(long stub);

  /** Initialises the class whose static methods C enters; called by C. */
  private static void openBridge() throws ClassNotFoundException {
    Class.forName("dev.tenon.Bridge", true, Native.class.getClassLoader());
  }

  /** From now on no thread of C enters Java. */
  public static native void closeGate();

  /** Function addresses, counters, then sizes and offsets: see {@link Addresses}. */
  static native long[] layout();
}
