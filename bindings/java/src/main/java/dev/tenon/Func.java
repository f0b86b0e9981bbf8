// SPDX-License-Identifier: Apache-2.0
// Transforms of functions.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Transforms of functions of tensors, which nest in any order and depth.
 *
 * <pre>{@code
 * TensorFunction perSample =
 *     Func.vmap(Func.grad(loss), VmapOptions.of().inDims(null, 0, 0));
 * Tensor grads = perSample.call(weights, inputs, targets);
 * }</pre>
 *
 * <p>If a function throws, all transforms are left, and the exception is propagated unchanged.
 * Derivatives are with respect to the first argument, or the arguments at the indices in {@code
 * argnums}. {@link Library#registerVmap} registers an operator's batching rule.
 */
public final class Func {
  /**
   * The result of {@link #jvp}.
   *
   * @param values the function's results
   * @param tangents the derivative of each
   */
  public record Derivative(Tensor[] values, Tensor[] tangents) {
    /** Returns the first result. */
    public Tensor value() {
      return values[0];
    }

    /** Returns the derivative of the first result. */
    public Tensor tangent() {
      return tangents[0];
    }
  }

  private Func() {}

  // ---- Transforms of whole functions, by C ----------------------------------------------------

  private interface Transform {
    int run(CallFrame frame, long ctx, long stack);
  }

  // Calls a function on tensors through C and returns its results, as tensors of the outer layers.
  private static Object call(TensorFunction function, Tensor[] args, Transform transform) {
    Objects.requireNonNull(function, "function");
    Bridge.open();
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    Callback callback = given -> function.apply(Arrays.copyOf(given, given.length, Tensor[].class));
    long ctx = References.add(callback);
    try {
      long stack = frame.allocate(Structs.STACK_SIZE + Structs.VALUE_SIZE);
      long ret = stack + Structs.STACK_SIZE;
      Memory.zero(stack, Structs.STACK_SIZE + Structs.VALUE_SIZE);
      long values = frame.allocate((long) args.length * Structs.VALUE_SIZE);
      for (int i = 0; i < args.length; i++) {
        Values.putTensor(values + (long) i * Structs.VALUE_SIZE, args[i].address());
      }
      Memory.putLong(stack, values);
      Memory.putInt(stack + Structs.STACK_NARGS, args.length);
      Memory.putLong(stack + Structs.STACK_RETS, ret);
      Memory.putInt(stack + Structs.STACK_NRETS, 1);
      Errors.check(transform.run(frame, ctx, stack));
      return take(frame, ret);
    } finally {
      Reference.reachabilityFence(args);
      Native.dropReference(ctx);
      frame.reset(mark);
      References.drain();
    }
  }

  private static Object take(CallFrame frame, long value) {
    try {
      return Values.read(frame, value, Values.TAKE);
    } finally {
      TenonNative.tenon_value_clear(value);
    }
  }

  static Tensor[] tensors(String function, Object result) {
    if (result instanceof Tensor tensor) {
      return new Tensor[] {tensor};
    }
    if (result instanceof Tensor[] all) {
      return all;
    }
    throw TenonException.type(function, "result", "Tensor or Tensor[]", Values.typeName(result));
  }

  // Returns the only element, or all.
  private static Object oneOrAll(List<Tensor> tensors) {
    return tensors.size() == 1 ? tensors.get(0) : tensors.toArray(Tensor[]::new);
  }

  // ---- vmap -----------------------------------------------------------------------------------

  /**
   * Makes a function that maps another one over the first dim of its arguments. The function is
   * called once, with tensors that lack the dim.
   */
  public static TensorFunction vmap(TensorFunction function) {
    return vmap(function, VmapOptions.of());
  }

  /**
   * Makes a mapped function over other dims and with other options. It throws a {@link
   * TenonException} INVALID_ARGUMENT if the dims do not fit.
   */
  public static TensorFunction vmap(TensorFunction function, VmapOptions options) {
    return args ->
        call(
            function,
            args,
            (frame, ctx, stack) ->
                TenonNative.tenon_vmap(
                    Addresses.CALL_FUNCTION, ctx, options.write(frame), stack));
  }

  // ---- Derivatives ----------------------------------------------------------------------------

  /**
   * Calls a function. Returns its results, which can compute gradients of its arguments any number
   * of times.
   *
   * @throws TenonException STATE for dtypes that are neither floating nor complex
   */
  public static Pullback vjp(TensorFunction function, Tensor... primals) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Object result =
          call(
              function,
              primals,
              (unused, ctx, stack) ->
                  TenonNative.tenon_vjp(Addresses.CALL_FUNCTION, ctx, stack, out));
      return Pullback.own(frame, Memory.getLong(out), tensors("Func.vjp", result));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Calls a function. Returns its results and their derivatives along the tangents, which are one
   * for each argument.
   *
   * @throws TenonException INVALID_ARGUMENT for a wrong number of tangents, STATE for tangents of
   *     other sizes or dtypes
   */
  public static Derivative jvp(TensorFunction function, Tensor[] primals, Tensor[] tangents) {
    if (tangents.length != primals.length) {
      throw TenonException.value(
          "Func.jvp", "tangents", primals.length + " like the primals", tangents.length + "");
    }
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(Structs.VALUE_SIZE);
      long directions = frame.allocate(tangents.length * 8L);
      for (int i = 0; i < tangents.length; i++) {
        Memory.putLong(directions + i * 8L, tangents[i].address());
      }
      Object values =
          call(
              function,
              primals,
              (unused, ctx, stack) ->
                  TenonNative.tenon_jvp(Addresses.CALL_FUNCTION, ctx, stack, directions, out));
      return new Derivative(tensors("Func.jvp", values), tensors("Func.jvp", take(frame, out)));
    } finally {
      frame.reset(mark);
    }
  }

  /** Like the function above, for a function of one argument. */
  public static Derivative jvp(TensorFunction function, Tensor primal, Tensor tangent) {
    return jvp(function, new Tensor[] {primal}, new Tensor[] {tangent});
  }

  // Makes a function of the arguments at some indices, with all other arguments fixed.
  private static TensorFunction at(int[] places, TensorFunction function, Tensor[] args) {
    return some -> {
      Tensor[] all = args.clone();
      for (int i = 0; i < some.length; i++) {
        all[places[i]] = some[i];
      }
      return function.apply(all);
    };
  }

  private static Tensor[] some(String name, int[] places, Tensor[] args) {
    Tensor[] some = new Tensor[places.length];
    for (int i = 0; i < some.length; i++) {
      if (places[i] < 0 || places[i] >= args.length) {
        throw TenonException.value(
            name, "argnums", "places of the " + args.length + " arguments", places[i] + "");
      }
      some[i] = args[places[i]];
    }
    return some;
  }

  private static int[] orFirst(int[] argnums) {
    return argnums.length == 0 ? new int[1] : argnums.clone();
  }

  /**
   * Makes a function that returns the gradient of another one, whose result is a 0-dim tensor. The
   * gradient is one tensor, or one for each of several arguments.
   */
  public static TensorFunction grad(TensorFunction function, int... argnums) {
    TensorFunction both = gradAndValue(function, argnums);
    return args -> {
      Tensor[] all = both.callAll(args);
      return oneOrAll(List.of(all).subList(0, all.length - 1));
    };
  }

  /** Makes a function that returns the gradients, like {@link #grad}, followed by the value. */
  public static TensorFunction gradAndValue(TensorFunction function, int... argnums) {
    int[] places = orFirst(argnums);
    return args -> {
      Tensor[] some = some("Func.grad", places, args);
      try (Pullback pullback = vjp(at(places, function, args), some)) {
        Tensor[] grads = pullback.call((Tensor) null);
        Tensor[] all = Arrays.copyOf(grads, grads.length + 1);
        all[grads.length] = pullback.value();
        return all;
      }
    };
  }

  // ---- Jacobians ------------------------------------------------------------------------------

  // Returns the unit vectors of all tensors together: for each tensor, a batch whose first dim runs
  // over the elements of all tensors.
  private static Tensor[] unitVectors(Tensor[] tensors) {
    long total = Arrays.stream(tensors).mapToLong(Tensor::numel).sum();
    Tensor[] units = new Tensor[tensors.length];
    long start = 0;
    for (int i = 0; i < units.length; i++) {
      Tensor each = tensors[i];
      long count = each.numel();
      Aten.ZerosOptions like = new Aten.ZerosOptions().dtype(each.dtype()).device(each.device());
      Tensor rows = Aten.zeros(new long[] {total, count}, like);
      Aten.fill_(
          Aten.asStrided(rows, new long[] {count}, new long[] {count + 1}, start * count), 1);
      units[i] = Aten.reshape(rows, joined(new long[] {total}, each.sizes()));
      start += count;
    }
    return units;
  }

  private static long[] joined(long[] first, long[] second) {
    long[] sizes = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, sizes, first.length, second.length);
    return sizes;
  }

  private static Tensor block(Tensor tensor, long dim, long start, long count, long[] sizes) {
    return Aten.reshape(Aten.slice(tensor, dim, start, start + count), sizes);
  }

  /**
   * Makes a function that returns the Jacobian of another one, computed by one backward pass for
   * all rows. For each result and each argument it has a tensor with the sizes of the result
   * followed by those of the argument.
   */
  public static TensorFunction jacrev(TensorFunction function, int... argnums) {
    return jacrev(function, VmapOptions.of(), argnums);
  }

  /** Like {@link #jacrev}, with options. Their dims are ignored. */
  public static TensorFunction jacrev(
      TensorFunction function, VmapOptions options, int... argnums) {
    int[] places = orFirst(argnums);
    return args -> {
      Tensor[] inputs = some("Func.jacrev", places, args);
      Tensor[] results;
      Tensor[] rows;
      try (Pullback pullback = vjp(at(places, function, args), inputs)) {
        results = pullback.values();
        rows = vmap(pullback::call, options.withDims(0, 0)).callAll(unitVectors(results));
      }
      List<Tensor> blocks = new ArrayList<>();
      long start = 0;
      for (Tensor result : results) {
        for (int i = 0; i < inputs.length; i++) {
          long[] sizes = joined(result.sizes(), inputs[i].sizes());
          blocks.add(block(rows[i], 0, start, result.numel(), sizes));
        }
        start += result.numel();
      }
      return oneOrAll(blocks);
    };
  }

  /** Like {@link #jacrev}, but in forward mode, for all columns at once. */
  public static TensorFunction jacfwd(TensorFunction function, int... argnums) {
    return jacfwd(function, VmapOptions.of(), argnums);
  }

  /** Like {@link #jacfwd}, with options. Their dims are ignored. */
  public static TensorFunction jacfwd(
      TensorFunction function, VmapOptions options, int... argnums) {
    int[] places = orFirst(argnums);
    return args -> {
      Tensor[] inputs = some("Func.jacfwd", places, args);
      TensorFunction along = units -> jvp(at(places, function, args), inputs, units).tangents();
      Tensor[] columns = vmap(along, options.withDims(0, -1)).callAll(unitVectors(inputs));
      List<Tensor> blocks = new ArrayList<>();
      for (Tensor column : columns) {
        long[] sizes = column.sizes();
        long start = 0;
        for (Tensor input : inputs) {
          long[] its = joined(Arrays.copyOf(sizes, sizes.length - 1), input.sizes());
          blocks.add(block(column, -1, start, input.numel(), its));
          start += input.numel();
        }
      }
      return oneOrAll(blocks);
    };
  }

  /**
   * Makes a function that returns the Hessian of another one, whose result is one tensor: forward
   * mode over backward passes. For several arguments the blocks are in row-major order.
   */
  public static TensorFunction hessian(TensorFunction function, int... argnums) {
    return jacfwd(jacrev(function, argnums), argnums);
  }
}
