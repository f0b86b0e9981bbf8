// SPDX-License-Identifier: Apache-2.0
// Generators of random numbers.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;

/**
 * One reference to a generator: a seed and a place in its sequence, on a device.
 *
 * <p>Random operators take one as their {@code generator} argument, and draw from their device's
 * default generator when they are given none. Threads may draw from one generator at the same time:
 * each draw is whole, in an order that is not theirs to choose. As a tensor, each object is closed
 * by its owner, by the {@link Scope} it was made in, or at last by a cleaner. Seeds are 64 bits
 * without a sign.
 */
public final class Generator extends NativeHandle {
  private Generator(long address) {
    super(address);
  }

  /** Takes a new reference into the current scope. */
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

  /** A native function that makes a generator of a device. */
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

  /** Makes a generator of the CPU, a Mersenne twister, at the beginning of a seed's sequence. */
  public static Generator onCpu(long seed) {
    return on(Device.CPU, seed);
  }

  /** Makes a generator of a device at the beginning of a seed's sequence. */
  public static Generator on(Device device, long seed) {
    return make(device, (place, out) -> TenonNative.tenon_generator_new(place, seed, out));
  }

  /** Returns the generator that operators on a device draw from when they are given none. */
  public static Generator getDefault(Device device) {
    return make(device, TenonNative::tenon_generator_open_default);
  }

  // ---- Ownership ------------------------------------------------------------------------------

  /** Returns a new reference to the same generator, owned by the open scope or the caller. */
  public Generator retain() {
    return CallFrame.get().adopt(unownedCopy());
  }

  /** Takes this object out of its scope, so that it lives until it is closed. */
  public Generator escape() {
    leaveScope();
    return this;
  }

  /** Tells whether both objects stand for the same generator. */
  public boolean isSame(Generator other) {
    return hasAddressOf(other);
  }

  // ---- Place in a sequence --------------------------------------------------------------------

  /** Returns the device whose operators may draw from this. */
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

  /** Goes to the beginning of a seed's sequence, and returns this. */
  public Generator seed(long seed) {
    int status = TenonNative.tenon_generator_seed(beginUse(), seed);
    endUse();
    Errors.check(status);
    return this;
  }

  /** Returns the seed whose sequence this is in. */
  public long initialSeed() {
    long seed = TenonNative.tenon_generator_initial_seed(beginUse());
    endUse();
    return seed;
  }

  /**
   * Returns everything that decides the numbers to come, for {@link #setState} of a generator on
   * the same kind of device.
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

  /** Goes to a state that {@link #state} gave; other bytes are refused and change nothing. */
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

  /** A native function that draws numbers of this generator. */
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

  /** Fills an array with uniform 32-bit numbers. */
  public void random(int[] out) {
    fill(out, out.length, Integer.BYTES, TenonNative::tenon_generator_random);
  }

  /**
   * Fills an array with samples of the standard normal distribution. They come in pairs: on the CPU
   * the second of an odd count waits for the next draw.
   */
  public void normal(double[] out) {
    fill(out, out.length, Double.BYTES, TenonNative::tenon_generator_normal);
  }

  /** Makes a tensor on this device of uniform samples from 0 up to 1, 1 left out. */
  public Tensor rand(DType dtype, long... sizes) {
    return draw("aten::rand.generator", dtype, sizes);
  }

  /** Makes a tensor on this device of samples of the standard normal distribution. */
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
