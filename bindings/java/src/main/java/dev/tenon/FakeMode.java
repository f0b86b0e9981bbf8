// SPDX-License-Identifier: Apache-2.0
// Fake modes, in which operators create tensors without memory.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.TENON_FAKE_ALLOW_REAL;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A mode in which operators create fake tensors: shape, strides, dtype and a claimed device,
 * without memory. {@link Library#registerFake} registers a kernel that serves an operator on them.
 *
 * <pre>{@code
 * try (FakeMode mode = FakeMode.create()) {
 *   Tensor y = mode.get(() -> Aten.ones(1 << 20, 1 << 20).sum());
 *   y.isFake();                            // true
 * }
 * }</pre>
 */
public final class FakeMode extends NativeHandle {
  /** A guard of the mode on the calling thread, which is active until it is closed. */
  public static final class Entered extends Guard {
    private Entered(FakeMode mode) {
      super(
          Structs.FAKE_GUARD_SIZE,
          guard -> {
            int status = TenonNative.tenon_fake_mode_enter(mode.beginUse(), guard);
            mode.endUse();
            return status;
          });
    }

    @Override
    int leave(long guard) {
      return TenonNative.tenon_fake_mode_leave(guard);
    }
  }

  private FakeMode(long address) {
    super(address);
  }

  /**
   * Creates a mode that refuses real tensors, except 0-dim CPU tensors, which are used as numbers.
   */
  public static FakeMode create() {
    return withFlags(0);
  }

  /** Creates a mode that converts real tensors to fake ones when operators receive them. */
  public static FakeMode allowingReal() {
    return withFlags(TENON_FAKE_ALLOW_REAL);
  }

  /**
   * Creates a mode in which data-dependent sizes become symbols of an environment, also for
   * operators that ship with Tenon.
   */
  public static FakeMode create(ShapeEnv env) {
    FakeMode mode = create();
    int status = TenonNative.tenon_fake_mode_set_shape_env(mode.address, env.beginUse());
    env.endUse();
    Errors.check(status);
    return mode;
  }

  /** Returns the environment of data-dependent sizes, with the guards on them. */
  public ShapeEnv shapeEnv() {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_fake_mode_shape_env(address(), out));
      return ShapeEnv.own(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Creates a data-dependent size like {@link #newDynamicSize(long, long)}, without bounds. */
  public static SymInt newDynamicSize() {
    return newDynamicSize(0, Long.MAX_VALUE);
  }

  /**
   * Creates a data-dependent size from {@code min} to {@code max}, for the fake kernel that runs on
   * fake tensors.
   *
   * @throws TenonException STATE if none runs, INVALID_ARGUMENT for a min below 0 or above max
   */
  public static SymInt newDynamicSize(long min, long max) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(Structs.VALUE_SIZE);
      Errors.check(TenonNative.tenon_fake_new_size(min, max, out));
      return (SymInt) SymNumber.take(frame, out);
    } finally {
      frame.reset(mark);
    }
  }

  private static FakeMode withFlags(int flags) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_fake_mode_new(flags, out));
      FakeMode mode = new FakeMode(Memory.getLong(out));
      mode.guardByCleaner();
      return mode;
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns true if the calling thread is in a fake mode. */
  static boolean isOn() {
    long mode = TenonNative.tenon_fake_mode_copy_current();
    if (mode == 0) {
      return false;
    }
    TenonNative.tenon_fake_mode_release(mode);
    return true;
  }

  /**
   * Returns a tensor that was just made from elements, or in a fake mode a fake tensor in its
   * place. While a graph is recorded, returns a recorded copy, which each run makes again:
   * otherwise writes of one run to the constant would be visible in the next run.
   */
  static Tensor fakeIfOn(Tensor made) {
    if (TenonNative.tenon_graph_is_recording() != 0) {
      try (made) {
        return Tenon.op("aten::clone").callTensor(made);
      }
    }
    if (!isOn()) {
      return made;
    }
    try (made) {
      return Tensor.make(
          (frame, out) -> TenonNative.tenon_tensor_copy_fake(made.address(), 0, out));
    }
  }

  /** Enters the mode on the calling thread, like a guard. */
  public Entered enter() {
    return new Entered(this);
  }

  /** Runs a task in the mode. */
  public <T> T get(Supplier<T> task) {
    Entered entered = enter();
    try (entered) {
      return task.get();
    }
  }

  /**
   * Returns a fake tensor like a real one, which is always the same for a given real tensor. Views
   * become views of their base's fake tensor.
   *
   * @throws TenonException NOT_SUPPORTED for a hollow tensor
   */
  public Tensor from(Tensor tensor) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_tensor_copy_fake(tensor.address(), address(), out));
      return Tensor.own(frame, Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Returns a fake tensor with symbolic sizes. {@code dims} has an entry for each dim: null keeps
   * the number, "" makes a new symbol, and a name is the same size in all tensors of the mode.
   *
   * @throws TenonException INVALID_ARGUMENT for a wrong number of entries, and for a named size
   *     that is 0 or 1 or differs from before
   */
  public Tensor from(Tensor tensor, String... dims) {
    if (dims.length != tensor.dim()) {
      throw new TenonException(
          ErrorCode.INVALID_ARGUMENT,
          "FakeMode.from: dims must be as many as the tensor has, "
              + tensor.dim()
              + ", got "
              + dims.length);
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      long names = frame.allocate(8L * Math.max(1, dims.length));
      for (int dim = 0; dim < dims.length; dim++) {
        Memory.putLong(names + 8L * dim, dims[dim] == null ? 0 : Values.copyText(frame, dims[dim]));
      }
      Errors.check(
          TenonNative.tenon_fake_mode_copy_dynamic(address(), tensor.address(), names, out));
      return Tensor.own(frame, Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the operator whose fake kernel runs on fake tensors on the calling thread. */
  public static Optional<Op> running() {
    long op = TenonNative.tenon_fake_running();
    return op == 0 ? Optional.empty() : Optional.of(Op.of(op));
  }

  @Override
  int type() {
    return FAKE_MODE;
  }

  @Override
  String title() {
    return "FakeMode";
  }
}
