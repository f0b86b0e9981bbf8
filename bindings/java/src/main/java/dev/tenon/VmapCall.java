// SPDX-License-Identifier: Apache-2.0
// The argument of a batching rule.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;

/**
 * A call in a vmap, as seen by its {@link VmapRule}: the mapped dim is visible in its tensors. They
 * are views that end with the call, as arguments of a {@link Kernel} do.
 */
public final class VmapCall {
  private final Op op;
  private final Object[] args;
  private final long[] inDims;
  private final long batchSize;
  private final VmapOptions.Randomness randomness;

  private VmapCall(CallFrame frame, long upcall) {
    op = Op.of(Memory.getLong(upcall));
    args = Handlers.arguments(frame, Memory.getLong(upcall + Structs.UPCALL_STACK));
    long subject = Memory.getLong(upcall + Structs.UPCALL_SUBJECT);
    long info = Memory.getLong(subject);
    batchSize = Memory.getLong(info + Structs.VMAP_INFO_BATCH_SIZE);
    randomness =
        VmapOptions.Randomness.ofNumber(Memory.getInt(info + Structs.VMAP_INFO_RANDOMNESS));
    inDims = new long[(int) Memory.getLong(info + Structs.VMAP_INFO_NTENSORS)];
    long dims = Memory.getLong(subject + 8);
    for (int i = 0; i < inDims.length; i++) {
      inDims[i] = Memory.getLong(dims + i * 8L);
    }
  }

  /** Runs a rule on the native call at an address and writes its results there. */
  static void run(CallFrame frame, VmapRule rule, long upcall, int guards) throws Exception {
    VmapCall call = new VmapCall(frame, upcall);
    Batched batched = rule.apply(call);
    String name = call.op.name();
    frame.checkGuards(guards, name);
    if (batched == null || batched.dims().length == 0) {
      throw TenonException.type(name, "batching rule", "one that returns results and dims", "none");
    }
    long stack = Memory.getLong(upcall + Structs.UPCALL_STACK);
    Bridge.writeResults(frame, name, stack, batched.result(), call.op.signature());
    long outDims = Memory.getLong(Memory.getLong(upcall + Structs.UPCALL_SUBJECT) + 16);
    Object dims = batched.dims().length == 1 ? (Object) batched.dims()[0] : batched.dims();
    Signature.ANY.writeOwned(frame, outDims, dims);
  }

  /** Returns the operator. Calls of it from the rule run outside of the vmap. */
  public Op op() {
    return op;
  }

  /** Returns the arguments in the order of the schema. */
  public Object[] args() {
    return args.clone();
  }

  /**
   * Calls the operator outside of the vmap.
   *
   * @param arguments all of them in the order of the schema, as in {@link #args}, including
   *     keyword-only ones
   * @return the result; null for none, an Object[] of several
   */
  public Object callWith(Object... arguments) {
    return Op.unwrap(op.callBoxed(arguments));
  }

  /**
   * Returns an argument that is a tensor.
   *
   * @throws TenonException TYPE for an argument that is no tensor
   */
  public Tensor tensor(int index) {
    if (index < 0 || index >= args.length || !(args[index] instanceof Tensor)) {
      String got =
          index < 0 || index >= args.length ? "none such" : Values.typeName(args[index]);
      throw TenonException.type(op.name(), "argument " + index, "Tensor", got);
    }
    return (Tensor) args[index];
  }

  /**
   * Returns the mapped dim of each tensor argument, with elements of lists counted separately; -1
   * if it is not mapped.
   */
  public long[] inDims() {
    return inDims.clone();
  }

  /** Returns the mapped dim of a tensor argument. */
  public long inDim(int tensor) {
    return inDims[tensor];
  }

  /** Returns the number of examples in the batch. */
  public long batchSize() {
    return batchSize;
  }

  /** Returns the behaviour of random operators. */
  public VmapOptions.Randomness randomness() {
    return randomness;
  }
}
