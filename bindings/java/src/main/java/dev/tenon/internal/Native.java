// SPDX-License-Identifier: Apache-2.0
// The hand-written natives: calls, references from C to Java, buffers, the profile.
package dev.tenon.internal;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/** Natives that are not in SWIG's flat layer, registered when the library is loaded. Internal. */
public final class Native {
  private Native() {}

  // The library registers these methods while it is loaded, so nothing else may be initialised
  // here.
  static {
    Loader.load();
  }

  /** Result of the functions below for an operator without results. */
  public static final long NO_RESULT = 2;

  /**
   * Calls an operator with one tensor and at most one result, a tensor. {@code op} is its address,
   * plus 1 if it returns a tensor, plus 2 if that may be absent. Returns the result's handle,
   * {@link #NO_RESULT}, or 0 with an error in the slot.
   */
  public static native long call1(long op, long a);

  public static native long call2(long op, long a, long b);

  public static native long call3(long op, long a, long b, long c);

  public static native long call4(long op, long a, long b, long c, long d);

  /**
   * Calls an operator with one tensor and the defaults in a template: see {@code CallTemplate}.
   * Returns the same as {@link #call1}.
   */
  public static native long callTemplate1(long template, long a);

  public static native long callTemplate2(long template, long a, long b);

  public static native long callTemplate3(long template, long a, long b, long c);

  /** Result of a begin function if the call must go through C. */
  public static final long BY_C = 1;

  /** Size of a block of frames. The address of the next free frame is stored at its beginning. */
  public static final long FRAMES_SIZE = 4096;

  /**
   * Begins a call with up to two tensors, 0 for none. Returns the address of a tenon_frame in which
   * a Java kernel runs, which this thread must leave and return; {@link #BY_C}; or 0 with an error
   * in the slot and no frame to leave.
   */
  public static native long begin2(long op, long a, long b);

  public static native long begin4(long op, long a, long b, long c, long d);

  /**
   * Calls an operator with a filled block of stack, frame, arguments and results. Returns 0 with
   * results, a status with an error in the slot, or -1 if a Java kernel must be called in the
   * block's frame.
   */
  public static native int call(long op, long block, boolean direct);

  /**
   * Binds positional and named arguments to {@code count} values in the order of an operator's
   * schema. Returns the schema, a reference that the caller releases after the call, or 0 with an
   * error in the slot.
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
   * Makes a new graph with a pass, given by its reference, and stores it in {@code out}. Returns a
   * status, with an error in the slot.
   */
  public static native int rewriteGraph(long graph, long pass, long out);

  /** Like {@link #call}, with a key set. The thread's keys are not consulted. */
  public static native int redispatch(long op, long keys, long block, boolean direct);

  /**
   * Takes the error in the thread's slot if it is plain text. Returns null and leaves the slot
   * unchanged if there is none, or if the error has a cause or another language's exception.
   */
  public static native byte[] takePlainError();

  /** Returns an error in the format that ErrorText parses. */
  public static native byte[] readError(long error);

  /** Makes the node by which C refers to object {@code id}; 0 if memory is short. */
  public static native long newReference(int id);

  /** Drops a node that C did not take over. */
  public static native void dropReference(long node);

  /** Writes up to {@code capacity} ids of dropped references to memory and returns their number. */
  public static native int droppedReferences(long ids, int capacity);

  /** Returns zeroed memory, or 0 if memory is short. Package-private: {@link Memory} is public. */
  static native long allocate(long size);

  static native void free(long address);

  /** Returns the address of a direct buffer's first byte, 0 for a heap buffer. */
  public static native long bufferAddress(Buffer buffer);

  public static native ByteBuffer newBuffer(long address, long size);

  /** Runs a full memory fence on all threads. Returns false if the system has no such call. */
  public static native boolean fenceProcess();

  /** Returns the size of a tensor's elements in bytes. */
  public static native long tensorBytes(long tensor);

  /** Runs the deleter of a DLManagedTensorVersioned that was not consumed. */
  public static native void deleteDLPack(long managed);

  /** Runs the deleter of a DLManagedTensor that was not consumed. */
  public static native void deleteLegacyDLPack(long managed);

  /** Sets the class whose static methods kernels enter. */
  public static native void bind(Class<?> bridge);

  /** Makes C request an entry stub after it has entered Java {@code count} times; 0: never. */
  public static native void linkAfter(int count);

  /** Makes C enter Java kernels by this stub from now on. */
  public static native void enterBy(long stub);

  /** Initialises the class whose static methods C enters; called by C. */
  private static void openBridge() throws ClassNotFoundException {
    Class.forName("dev.tenon.Bridge", true, Native.class.getClassLoader());
  }

  /** Prevents threads of C from entering Java from now on. */
  public static native void closeGate();

  /** Returns function addresses, counters, then sizes and offsets: see {@link Addresses}. */
  static native long[] layout();
}
