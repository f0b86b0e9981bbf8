// SPDX-License-Identifier: Apache-2.0
// Grad mode: whether the calling thread's calls may be recorded for gradients.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.TenonNative;
import java.util.function.Supplier;

/**
 * A grad mode of the calling thread, on until it is closed. A thread begins with recording on.
 *
 * <pre>{@code
 * try (GradMode mode = GradMode.noGrad()) {
 *   y = x.mul(x);                          // not recorded
 * }
 * Tensor z = GradMode.noGrad(() -> x.mul(x));
 * }</pre>
 *
 * <p>Modes can be nested, also with key guards. They must be closed in reverse order on the thread
 * that made them, and cannot be used on virtual threads. {@link ThreadState} carries the mode to
 * other threads.
 */
public final class GradMode extends Guard {
  private GradMode(int mode) {
    super(guard -> TenonNative.tenon_grad_mode_enter(mode, guard));
  }

  /**
   * Turns recording off. Operators with an Autograd kernel that a user registered still run it;
   * such a kernel sees the mode.
   */
  public static GradMode noGrad() {
    return new GradMode(TENON_GRAD_MODE_OFF);
  }

  /** Runs a task with recording off. */
  public static void noGrad(Runnable task) {
    run(noGrad(), task);
  }

  /** Runs a task with recording off and returns its result. */
  public static <T> T noGrad(Supplier<T> task) {
    return get(noGrad(), task);
  }

  /**
   * Turns recording on inside of {@link #noGrad}. Inside of {@link #inference} nothing is recorded.
   */
  public static GradMode enableGrad() {
    return new GradMode(TENON_GRAD_MODE_ON);
  }

  /** Runs a task with recording on. */
  public static void enableGrad(Runnable task) {
    run(enableGrad(), task);
  }

  /** Runs a task with recording on and returns its result. */
  public static <T> T enableGrad(Supplier<T> task) {
    return get(enableGrad(), task);
  }

  /**
   * Turns recording off permanently: tensors created in this mode are inference tensors ({@link
   * Tensor#isInference}), which cost less and can never be recorded later. Only {@link #normal}
   * ends the mode inside it.
   */
  public static GradMode inference() {
    return new GradMode(TENON_GRAD_MODE_INFERENCE);
  }

  /** Runs a task in inference mode. */
  public static void inference(Runnable task) {
    run(inference(), task);
  }

  /** Runs a task in inference mode and returns its result. */
  public static <T> T inference(Supplier<T> task) {
    return get(inference(), task);
  }

  /** Turns recording on, also inside of {@link #inference}. New tensors are normal ones. */
  public static GradMode normal() {
    return new GradMode(TENON_GRAD_MODE_NORMAL);
  }

  /** Runs a task in {@link #normal()} mode. */
  public static void normal(Runnable task) {
    run(normal(), task);
  }

  /** Runs a task in {@link #normal()} mode and returns its result. */
  public static <T> T normal(Supplier<T> task) {
    return get(normal(), task);
  }

  /** Enters {@link #enableGrad()} or {@link #noGrad()}. */
  public static GradMode enabled(boolean enabled) {
    return enabled ? enableGrad() : noGrad();
  }

  /**
   * Turns recording on or off without a scope, until this is called again or an enclosing guard or
   * mode is closed.
   */
  public static void setEnabled(boolean enabled) {
    int mode = enabled ? TENON_GRAD_MODE_ON : TENON_GRAD_MODE_OFF;
    Errors.check(TenonNative.tenon_grad_mode_set(mode));
  }

  /**
   * Returns true if grad mode is enabled on the calling thread. Inference mode records nothing even
   * then.
   */
  public static boolean isEnabled() {
    int mode = TenonNative.tenon_grad_mode_get();
    return mode == TENON_GRAD_MODE_ON || mode == TENON_GRAD_MODE_INFERENCE_ON;
  }

  /** Returns true if the calling thread is in inference mode. */
  public static boolean isInference() {
    int mode = TenonNative.tenon_grad_mode_get();
    return mode == TENON_GRAD_MODE_INFERENCE || mode == TENON_GRAD_MODE_INFERENCE_ON;
  }

  private static void run(GradMode mode, Runnable task) {
    try (mode) {
      task.run();
    }
  }

  private static <T> T get(GradMode mode, Supplier<T> task) {
    try (mode) {
      return task.get();
    }
  }
}
