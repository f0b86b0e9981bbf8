// SPDX-License-Identifier: Apache-2.0
/**
 * Operators of any language, called and implemented from Java.
 *
 * <p>The jar of natives is the module {@code dev.tenon.natives}: {@code --add-modules
 * dev.tenon.natives} takes it along, or it may stay on the class path.
 */
module dev.tenon {
  requires jdk.unsupported; // sun.misc.Unsafe, before Java 22

  exports dev.tenon;
}
