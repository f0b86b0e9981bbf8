// SPDX-License-Identifier: Apache-2.0
/**
 * Operators of any language, called and implemented from Java.
 *
 * <p>The jar of natives is the module {@code dev.tenon.natives}: it is added by {@code
 * --add-modules dev.tenon.natives}, or may stay on the class path.
 */
module dev.tenon {
  requires jdk.unsupported; // sun.misc.Unsafe, before Java 22

  exports dev.tenon;
}
