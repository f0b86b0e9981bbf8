// SPDX-License-Identifier: Apache-2.0
// How a function is mapped.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;

/**
 * How {@link Func#vmap} maps a function; by default over the first dim of all tensors. Dims count
 * from the end where they are negative.
 *
 * <pre>{@code
 * Func.vmap(loss, VmapOptions.of().inDims(null, 0, 0));
 * }</pre>
 */
public final class VmapOptions {
  /** What a random operator does in a vmap. */
  public enum Randomness {
    /** It fails. */
    ERROR,
    /** It gives the same numbers for all of the mapped. */
    SAME,
    /** It gives other numbers for each. */
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

  /** The default. */
  public static VmapOptions of() {
    return new VmapOptions();
  }

  /** Sets the dim of all arguments, or of each, null for one that is passed on as it is. */
  public VmapOptions inDims(Integer... dims) {
    inDims = raw(dims);
    return this;
  }

  /**
   * Sets where the mapped dim is in all results, or in each, null for one that is the same for all
   * of the mapped.
   */
  public VmapOptions outDims(Integer... dims) {
    outDims = raw(dims);
    return this;
  }

  /** Sets what random operators do. */
  public VmapOptions randomness(Randomness randomness) {
    this.randomness = randomness;
    return this;
  }

  /** Maps over so many at once; 0, the default, is all. */
  public VmapOptions chunkSize(long size) {
    chunkSize = size;
    return this;
  }

  /** Sets what messages begin with. */
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

  /** Writes them into a frame. */
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
