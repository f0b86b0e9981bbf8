// SPDX-License-Identifier: Apache-2.0
// Random number generators.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * A reference to a generator: a seed and a position in its sequence, on a device.
 *
 * <p>Random operators take a generator as their {@code generator} argument, and use their device's
 * default generator if none is passed. Several threads may draw from one generator at the same
 * time: the numbers of each draw are consecutive, but the order of the draws is not determined.
 * Like a tensor, each object is closed by its owner, by the {@link Scope} it was made in, or
 * otherwise by a cleaner. Seeds are unsigned 64-bit numbers.
 */
public final class Generator extends NativeHandle {
  private Generator(long address) {
    super(address);
  }

  /** Adds a new reference to the current scope. */
  static Generator retain(CallFrame frame, long address) {
    return frame.adopt(new Generator(TenonNative.tenon_generator_retain(address)));
  }

  @Override
  Generator unownedCopy() {
    Generator copy = new Generator(TenonNative.tenon_generator_retain(beginUse()));
    endUse();
    return copy;
  }

  // ---- Making ---------------------------------------------------------------------------------

  /** A native function that creates a generator on a device. */
  private interface Maker {
    int call(long device, long out);
  }

  private static Generator make(Device device, Maker maker) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long place = frame.allocate(8);
      device.write(place);
      long out = frame.allocate(8);
      Errors.check(maker.call(place, out));
      return frame.adopt(new Generator(Memory.getLong(out)));
    } finally {
      frame.reset(mark);
    }
  }

  /** Creates a generator on the CPU, a Mersenne twister, with a seed. */
  public static Generator onCpu(long seed) {
    return on(Device.CPU, seed);
  }

  /** Creates a generator on a device with a seed. */
  public static Generator on(Device device, long seed) {
    return make(device, (place, out) -> TenonNative.tenon_generator_new(place, seed, out));
  }

  /** Returns the default generator of a device, which operators use if none is passed. */
  public static Generator getDefault(Device device) {
    return make(device, TenonNative::tenon_generator_open_default);
  }

  // ---- Ownership ------------------------------------------------------------------------------

  /** Returns a new reference to the same generator, owned by the open scope or the caller. */
  public Generator retain() {
    return CallFrame.get().adopt(unownedCopy());
  }

  /** Removes this object from its scope, so that it lives until it is closed. */
  public Generator escape() {
    leaveScope();
    return this;
  }

  /** Returns true if both objects are references to the same generator. */
  public boolean isSame(Generator other) {
    return hasAddressOf(other);
  }

  // ---- Position in the sequence -----------------------------------------------------------------

  /** Returns the device whose operators may use this generator. */
  public Device device() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      TenonNative.tenon_generator_device(address(), out);
      return Device.read(out);
    } finally {
      frame.reset(mark);
    }
  }

  /** Restarts the generator with a seed, and returns it. */
  public Generator seed(long seed) {
    int status = TenonNative.tenon_generator_seed(beginUse(), seed);
    endUse();
    Errors.check(status);
    return this;
  }

  /** Returns the seed that the generator was last seeded with. */
  public long initialSeed() {
    long seed = TenonNative.tenon_generator_initial_seed(beginUse());
    endUse();
    return seed;
  }

  /**
   * Returns the whole state, for {@link #setState} of a generator on the same kind of device.
   */
  public byte[] state() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long size = frame.allocate(8);
      Errors.check(TenonNative.tenon_generator_state(address(), 0, 0, size));
      long capacity = Memory.getLong(size);
      long data = frame.allocate(capacity);
      Errors.check(TenonNative.tenon_generator_state(address(), capacity, data, size));
      byte[] state = new byte[(int) Memory.getLong(size)];
      Memory.copyOut(data, state, 0, state.length);
      return state;
    } finally {
      frame.reset(mark);
    }
  }

  /** Restores a state returned by {@link #state}. Other bytes are refused and change nothing. */
  public void setState(byte[] state) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long data = frame.allocate(state.length);
      Memory.copyIn(state, 0, data, state.length);
      Errors.check(TenonNative.tenon_generator_set_state(address(), data, state.length));
    } finally {
      frame.reset(mark);
    }
  }

  // ---- Numbers --------------------------------------------------------------------------------

  /** A native function that draws numbers from this generator. */
  private interface Draw {
    int call(long generator, long count, long out);
  }

  private void fill(Object array, int count, int size, Draw draw) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long data = frame.allocate((long) count * size);
      Errors.check(draw.call(address(), count, data));
      Memory.copyOut(data, array, 0, (long) count * size);
    } finally {
      frame.reset(mark);
    }
  }

  /** Fills an array with uniformly distributed 32-bit numbers. */
  public void random(int[] out) {
    fill(out, out.length, Integer.BYTES, TenonNative::tenon_generator_random);
  }

  /**
   * Fills an array with samples of the standard normal distribution. They are drawn in pairs: on
   * the CPU, if the length is odd, the second sample of the last pair is kept for the next draw.
   */
  public void normal(double[] out) {
    fill(out, out.length, Double.BYTES, TenonNative::tenon_generator_normal);
  }

  /** Creates a tensor on this device with uniform samples from [0, 1). */
  public Tensor rand(DType dtype, long... sizes) {
    return draw("aten::rand.generator", dtype, sizes);
  }

  /** Creates a tensor on this device with samples of the standard normal distribution. */
  public Tensor randn(DType dtype, long... sizes) {
    return draw("aten::randn.generator", dtype, sizes);
  }

  private Tensor draw(String op, DType dtype, long[] sizes) {
    return TensorOps.op(op)
        .with("generator", this)
        .with("dtype", dtype)
        .with("device", device())
        .callTensor((Object) sizes);
  }

  @Override
  int type() {
    return GENERATOR;
  }

  @Override
  String title() {
    return "Generator";
  }

  @Override
  public String toString() {
    return isClosed()
        ? "Generator(closed)"
        : "Generator(" + device() + ", seed " + Long.toUnsignedString(initialSeed()) + ")";
  }
}
