// SPDX-License-Identifier: Apache-2.0
// Options for mapping a function.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;

/**
 * Options of {@link Func#vmap}. By default the first dim of all tensors is mapped. Negative dims
 * count from the end.
 *
 * <pre>{@code
 * Func.vmap(loss, VmapOptions.of().inDims(null, 0, 0));
 * }</pre>
 */
public final class VmapOptions {
  /** Behaviour of a random operator in a vmap. */
  public enum Randomness {
    /** It fails. */
    ERROR,
    /** It returns the same numbers for all examples. */
    SAME,
    /** It returns different numbers for each example. */
    DIFFERENT;

    static Randomness ofNumber(int number) {
      return values()[number];
    }
  }

  private long[] inDims;
  private long[] outDims;
  private Randomness randomness = Randomness.ERROR;
  private long chunkSize;
  private String name = "vmap";

  private VmapOptions() {}

  /** Returns the default options. */
  public static VmapOptions of() {
    return new VmapOptions();
  }

  /** Sets the mapped dim of all arguments, or of each; null for one that is not mapped. */
  public VmapOptions inDims(Integer... dims) {
    inDims = raw(dims);
    return this;
  }

  /**
   * Sets the position of the mapped dim in all results, or in each; null for a result that is the
   * same for all examples.
   */
  public VmapOptions outDims(Integer... dims) {
    outDims = raw(dims);
    return this;
  }

  /** Sets the behaviour of random operators. */
  public VmapOptions randomness(Randomness randomness) {
    this.randomness = randomness;
    return this;
  }

  /** Sets the number of examples to run at once; 0, the default, means all. */
  public VmapOptions chunkSize(long size) {
    chunkSize = size;
    return this;
  }

  /** Sets the function's name in messages. */
  public VmapOptions name(String name) {
    this.name = name;
    return this;
  }

  VmapOptions withDims(int in, int out) {
    VmapOptions copy = of().randomness(randomness).chunkSize(chunkSize).name(name);
    return copy.inDims(in).outDims(out);
  }

  private static long[] raw(Integer[] dims) {
    long[] raw = new long[dims.length];
    for (int i = 0; i < raw.length; i++) {
      raw[i] = dims[i] == null ? TENON_DIM_NONE : dims[i];
    }
    return raw;
  }

  /** Writes the options into a frame. */
  long write(CallFrame frame) {
    long raw = frame.allocate(Structs.VMAP_OPTIONS_SIZE);
    Memory.zero(raw, Structs.VMAP_OPTIONS_SIZE);
    Memory.putInt(raw, Structs.VMAP_OPTIONS_SIZE);
    Memory.putInt(raw + Structs.VMAP_OPTIONS_RANDOMNESS, randomness.ordinal());
    Memory.putLong(raw + Structs.VMAP_OPTIONS_NAME, frame.text(name));
    Memory.putLong(raw + Structs.VMAP_OPTIONS_CHUNK_SIZE, chunkSize);
    if (inDims != null) {
      Memory.putLong(raw + Structs.VMAP_OPTIONS_IN_DIMS, frame.longs(inDims));
      Memory.putLong(raw + Structs.VMAP_OPTIONS_NIN_DIMS, inDims.length);
    }
    if (outDims != null) {
      Memory.putLong(raw + Structs.VMAP_OPTIONS_OUT_DIMS, frame.longs(outDims));
      Memory.putLong(raw + Structs.VMAP_OPTIONS_NOUT_DIMS, outDims.length);
    }
    return raw;
  }
}
