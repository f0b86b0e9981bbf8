// SPDX-License-Identifier: Apache-2.0
// Guards on the calling thread's dispatch keys.
package dev.tenon;

import dev.tenon.internal.TenonNative;

/**
 * Changes the calling thread's keys until it is closed.
 *
 * <pre>{@code
 * try (KeyGuard guard = KeyGuard.exclude(DispatchKey.AUTOGRAD_CPU)) {
 *   y = op.call(x);                 // goes to the kernel below
 * }
 * }</pre>
 *
 * <p>Guards can be nested. They must be closed in reverse order on the thread that made them, and
 * cannot be used on virtual threads, whose calls may run on changing threads.
 */
public final class KeyGuard extends Guard {
  private KeyGuard(Entry entry) {
    super(entry);
  }

  /** Adds keys to the thread's included set. */
  public static KeyGuard include(DispatchKeySet keys) {
    return new KeyGuard(guard -> TenonNative.tenon_key_guard_include(keys.bits(), guard));
  }

  /** Adds keys to the thread's included set. */
  public static KeyGuard include(DispatchKey... keys) {
    return include(DispatchKeySet.of(keys));
  }

  /** Adds keys to the thread's excluded set. Backends are ignored. */
  public static KeyGuard exclude(DispatchKeySet keys) {
    return new KeyGuard(guard -> TenonNative.tenon_key_guard_exclude(keys.bits(), guard));
  }

  /** Adds keys to the thread's excluded set. Backends are ignored. */
  public static KeyGuard exclude(DispatchKey... keys) {
    return exclude(DispatchKeySet.of(keys));
  }

  /** Replaces the included and excluded keys. */
  public static KeyGuard force(DispatchKeySet include, DispatchKeySet exclude) {
    return new KeyGuard(
        guard -> TenonNative.tenon_key_guard_force(include.bits(), exclude.bits(), guard));
  }
}
