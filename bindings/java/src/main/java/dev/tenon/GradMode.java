// SPDX-License-Identifier: Apache-2.0
// Grad mode: whether the calling thread's calls may be recorded for gradients.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.TenonNative;
import java.util.function.Supplier;

/**
 * A grad mode of the calling thread, on until it is closed; a thread begins with recording on.
 *
 * <pre>{@code
 * try (GradMode mode = GradMode.noGrad()) {
 *   y = x.mul(x);                          // not recorded
 * }
 * Tensor z = GradMode.noGrad(() -> x.mul(x));
 * }</pre>
 *
 * <p>Modes nest, also with key guards, are closed in reverse order on the thread that made them,
 * and are not for virtual threads. {@link ThreadState} carries the mode to other threads.
 */
public final class GradMode extends Guard {
  private GradMode(int mode) {
    super(guard -> TenonNative.tenon_grad_mode_enter(mode, guard));
  }

  /**
   * Turns recording off. Operators with an Autograd kernel of a user's own still run it: such a
   * kernel sees the mode.
   */
  public static GradMode noGrad() {
    return new GradMode(TENON_GRAD_MODE_OFF);
  }

  /** Runs something with recording off. */
  public static void noGrad(Runnable task) {
    run(noGrad(), task);
  }

  /** The same for something with a result. */
  public static <T> T noGrad(Supplier<T> task) {
    return get(noGrad(), task);
  }

  /** Turns recording on inside of {@link #noGrad}; inside of {@link #inference} it only asks. */
  public static GradMode enableGrad() {
    return new GradMode(TENON_GRAD_MODE_ON);
  }

  /** Runs something with recording on. */
  public static void enableGrad(Runnable task) {
    run(enableGrad(), task);
  }

  /** The same for something with a result. */
  public static <T> T enableGrad(Supplier<T> task) {
    return get(enableGrad(), task);
  }

  /**
   * Turns recording off for good: tensors made meanwhile are inference tensors ({@link
   * Tensor#isInference}), which cannot be recorded later either, and cost less. Only {@link
   * #normal} ends it inside.
   */
  public static GradMode inference() {
    return new GradMode(TENON_GRAD_MODE_INFERENCE);
  }

  /** Runs something in inference mode. */
  public static void inference(Runnable task) {
    run(inference(), task);
  }

  /** The same for something with a result. */
  public static <T> T inference(Supplier<T> task) {
    return get(inference(), task);
  }

  /** Turns recording on, inside of {@link #inference} too: new tensors are usual ones. */
  public static GradMode normal() {
    return new GradMode(TENON_GRAD_MODE_NORMAL);
  }

  /** Runs something as {@link #normal()} does. */
  public static void normal(Runnable task) {
    run(normal(), task);
  }

  /** The same for something with a result. */
  public static <T> T normal(Supplier<T> task) {
    return get(normal(), task);
  }

  /** {@link #enableGrad()} or {@link #noGrad()}. */
  public static GradMode enabled(boolean enabled) {
    return enabled ? enableGrad() : noGrad();
  }

  /**
   * Turns recording on or off without a scope: until this is called again, or a guard or mode
   * around it is closed.
   */
  public static void setEnabled(boolean enabled) {
    int mode = enabled ? TENON_GRAD_MODE_ON : TENON_GRAD_MODE_OFF;
    Errors.check(TenonNative.tenon_grad_mode_set(mode));
  }

  /** Tells whether the calling thread asks for recording; inference records nothing even so. */
  public static boolean isEnabled() {
    int mode = TenonNative.tenon_grad_mode_get();
    return mode == TENON_GRAD_MODE_ON || mode == TENON_GRAD_MODE_INFERENCE_ON;
  }

  /** Tells whether the calling thread is in inference mode. */
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
