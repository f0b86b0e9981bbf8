// SPDX-License-Identifier: Apache-2.0
// Functions and counters of the native library. Checks that Java and C agree on all structs.
package dev.tenon.internal;

/** Addresses inside the native library. Internal. */
public final class Addresses {
  /** The boxed kernel of all Java lambdas. */
  public static final long CALL_KERNEL;

  /** The selector of all Java fallbacks. */
  public static final long CALL_SELECT;

  /** The deleter of all references from C to Java. */
  public static final long DROP_REFERENCE;

  /** The number of dropped references in the queue. */
  public static final long DROPPED;

  /** A counter of added and removed definitions. */
  public static final long DEFINITIONS;

  /** The override handler of all Java objects that have one. */
  public static final long CALL_OVERRIDE;

  /** The dispatch handler of all Java objects that have one. */
  public static final long CALL_DISPATCH;

  /** The function that calls all Java functions that were passed as values. */
  public static final long CALL_FUNCTION;

  /** The warning handler of all Java handlers. */
  public static final long CALL_WARNING;

  /** The gradient formula of all Java formulas. */
  public static final long CALL_BACKWARD;

  /** The hook of all Java hooks. */
  public static final long CALL_HOOK;

  /** The function that runs all Java tasks at the end of a backward pass. */
  public static final long CALL_DONE;

  /** Forward and backward of all Java functions with a custom gradient. */
  public static final long CALL_FORWARD;

  public static final long CALL_FUNCTION_BACKWARD;

  /** The setup of all Java formulas that have one. */
  public static final long CALL_SETUP;

  /** Forward mode of all Java formulas and functions. */
  public static final long CALL_JVP;

  /** Both saved-tensor hooks of all Java hooks. */
  public static final long CALL_PACK;

  public static final long CALL_UNPACK;

  /** The creation hook of all Java hooks. */
  public static final long CALL_CREATED;

  /** The batching rule of all Java rules. */
  public static final long CALL_VMAP_RULE;

  private Addresses() {}

  static {
    int loaded = TenonNative.tenon_abi_version();
    int wanted = TenonNativeConstants.TENON_ABI_MAJOR << 16 | TenonNativeConstants.TENON_ABI_MINOR;
    if (loaded >> 16 != wanted >> 16 || loaded < wanted) {
      throw new LinkageError(
          "Tenon: the library's ABI must be "
              + abi(wanted)
              + " or a later minor, got "
              + abi(loaded));
    }
    long[] words = Native.layout();
    CALL_KERNEL = words[0];
    CALL_SELECT = words[1];
    DROP_REFERENCE = words[2];
    DROPPED = words[3];
    DEFINITIONS = words[4];
    CALL_OVERRIDE = words[5];
    CALL_DISPATCH = words[6];
    CALL_FUNCTION = words[7];
    CALL_WARNING = words[8];
    CALL_BACKWARD = words[9];
    CALL_HOOK = words[10];
    CALL_DONE = words[11];
    CALL_FORWARD = words[12];
    CALL_FUNCTION_BACKWARD = words[13];
    CALL_SETUP = words[14];
    CALL_JVP = words[15];
    CALL_PACK = words[16];
    CALL_UNPACK = words[17];
    CALL_CREATED = words[18];
    CALL_VMAP_RULE = words[19];
    int first = 20;
    if (words.length != Structs.ALL.length + first) {
      throw new LinkageError("Tenon: libtenon_java must be of the classes' own build");
    }
    for (int i = 0; i < Structs.ALL.length; i++) {
      if (words[i + first] != Structs.ALL[i]) {
        throw new LinkageError(
            "Tenon: layout word " + i + " must be " + Structs.ALL[i] + ", got " + words[i + first]);
      }
    }
  }

  private static String abi(int version) {
    return (version >> 16) + "." + (version & 0xFFFF);
  }
}
