// SPDX-License-Identifier: Apache-2.0
// Graphs: recorded computations.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.*;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.LongToIntFunction;
import java.util.stream.LongStream;

/**
 * A recorded computation, which can be run on other tensors, transformed, saved to a file that all
 * languages can read, and called as an operator.
 *
 * <pre>{@code
 * try (Graph graph = Graph.record(a -> a[0].mul(a[1]).relu(), x, w)) {
 *   graph.save("block.tenon");
 *   Tensor[] results = graph.run(x, w);
 * }
 * }</pre>
 */
public final class Graph extends NativeHandle {
  /** Bit for {@link #transform}: runs calls whose only inputs are attributes, and keeps results. */
  public static final int FOLD_CONSTANTS = TENON_GRAPH_FOLD_CONSTANTS;

  /** Bit for {@link #transform}: merges equal calls. */
  public static final int MERGE_COMMON = TENON_GRAPH_MERGE_COMMON;

  /** Bit for {@link #transform}: removes unused calls and attributes. */
  public static final int REMOVE_DEAD = TENON_GRAPH_REMOVE_DEAD;

  /** Bit for {@link #transform}: infers unknown properties of values on fake tensors. */
  public static final int INFER = TENON_GRAPH_INFER;

  /** For {@link #replacePattern}: constants of the pattern match any other constant. */
  public static final int IGNORE_LITERALS = TENON_GRAPH_IGNORE_LITERALS;

  /** For {@link #functionalize}: also replaces views by copies. */
  public static final int REMOVE_VIEWS = TENON_GRAPH_REMOVE_VIEWS;

  private Graph(long address) {
    super(address);
  }

  @Override
  int type() {
    return GRAPH;
  }

  @Override
  String title() {
    return "Graph";
  }

  static Graph made(LongToIntFunction make) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(make.applyAsInt(out));
      return frame.adopt(new Graph(Memory.getLong(out)));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Calls a function once and returns the graph of the operators that reach the kernels. Exceptions
   * of the function are propagated unchanged. Runs of the graph refuse inputs of other sizes.
   *
   * @throws TenonException INVALID_ARGUMENT if one tensor is passed twice
   */
  public static Graph record(TensorFunction function, Tensor... inputs) {
    return record(function, TENON_GRAPH_BELOW_AUTOGRAD, inputs);
  }

  /**
   * Like {@link #record(TensorFunction, Tensor...)}, but runs accept inputs of any sizes. That is
   * correct only if nothing in the graph was computed from the sizes of the inputs.
   */
  public static Graph recordForAnySizes(TensorFunction function, Tensor... inputs) {
    return record(function, TENON_GRAPH_BELOW_AUTOGRAD | TENON_GRAPH_ANY_SIZES, inputs);
  }

  private static Graph record(TensorFunction function, int flags, Tensor... inputs) {
    Objects.requireNonNull(function, "function");
    Graph graph = made(out -> TenonNative.tenon_graph_begin(flags, out));
    boolean done = false;
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long self = graph.address();
      for (Tensor input : inputs) {
        Errors.check(TenonNative.tenon_graph_add_input(self, input.address(), null, 0));
      }
      graph.addOutputs(function.callAll(inputs));
      done = true;
    } finally {
      int status = TenonNative.tenon_graph_end(graph.address);
      frame.reset(mark);
      if (!done) {
        graph.close();
      } else {
        Errors.check(status);
      }
    }
    return graph;
  }

  /**
   * Records a graph on fake tensors, some of whose sizes are dynamic. Nothing is computed. {@code
   * dims} has for each input an entry for each dim, as in {@link FakeMode#from(Tensor, String...)};
   * an input without entries has fixed sizes.
   *
   * @throws TenonException INVALID_ARGUMENT as {@code FakeMode.from}
   */
  public static Graph record(TensorFunction function, String[][] dims, Tensor... inputs) {
    try (FakeMode mode = FakeMode.allowingReal()) {
      Tensor[] fakes = new Tensor[inputs.length];
      for (int i = 0; i < inputs.length; i++) {
        boolean has = i < dims.length && dims[i] != null && dims[i].length != 0;
        fakes[i] = has ? mode.from(inputs[i], dims[i]) : mode.from(inputs[i]);
      }
      return mode.get(() -> record(function, fakes));
    }
  }

  /** Returns the relations of sizes that each run checks, such as "s0 == s1". */
  public List<String> guards() {
    List<String> guards = new ArrayList<>();
    long count = TenonNative.tenon_graph_guard_count(beginUse());
    endUse();
    for (long i = 0; i < count; i++) {
      long index = i;
      guards.add(Tenon.text(this, out -> fillGuard(index, out)));
    }
    return guards;
  }

  private int fillGuard(long index, long out) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long guard = frame.allocate(Structs.GRAPH_GUARD_SIZE);
      Memory.zero(guard, Structs.GRAPH_GUARD_SIZE);
      Memory.putInt(guard, Structs.GRAPH_GUARD_SIZE);
      return TenonNative.tenon_graph_get_guard(address(), index, guard, out);
    } finally {
      frame.reset(mark);
    }
  }

  private void addOutputs(Tensor[] outputs) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long self = address();
      long value = frame.allocate(Structs.VALUE_SIZE);
      for (Tensor output : outputs) {
        Values.putTensor(value, output.address());
        Errors.check(TenonNative.tenon_graph_add_output(self, value));
      }
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Runs a graph whose outputs are tensors.
   *
   * @throws TenonException INVALID_ARGUMENT for a wrong number of inputs, or the error of a call
   */
  public Tensor[] run(Tensor... inputs) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    int count = (int) TenonNative.tenon_graph_output_count(address());
    try {
      long size = Structs.STACK_SIZE + (long) (inputs.length + count) * Structs.VALUE_SIZE;
      long stack = frame.allocate(size);
      Memory.zero(stack, size);
      long args = stack + Structs.STACK_SIZE;
      long rets = args + (long) inputs.length * Structs.VALUE_SIZE;
      for (int i = 0; i < inputs.length; i++) {
        Values.putTensor(args + (long) i * Structs.VALUE_SIZE, inputs[i].address());
      }
      Memory.putLong(stack, args);
      Memory.putInt(stack + Structs.STACK_NARGS, inputs.length);
      Memory.putLong(stack + Structs.STACK_RETS, rets);
      Memory.putInt(stack + Structs.STACK_NRETS, count);
      Errors.check(TenonNative.tenon_graph_run(address(), stack));
      return taken(frame, rets, count);
    } finally {
      frame.reset(mark);
      References.drain();
    }
  }

  private static Tensor[] taken(CallFrame frame, long rets, int count) {
    try {
      Tensor[] results = new Tensor[count];
      for (int i = 0; i < count; i++) {
        Object result = Values.read(frame, rets + (long) i * Structs.VALUE_SIZE, Values.TAKE);
        if (!(result instanceof Tensor tensor)) {
          throw TenonException.type(
              "Graph.run", "output " + i, "Tensor", Values.typeName(result));
        }
        results[i] = tensor;
      }
      return results;
    } finally {
      TenonNative.tenon_value_clear_n(rets, count);
    }
  }

  /** Returns the number of nodes, which are calls. */
  public int nodeCount() {
    long count = TenonNative.tenon_graph_node_count(beginUse());
    endUse();
    return (int) count;
  }

  /** Returns the number of attributes, the tensors that the graph holds. */
  public int attributeCount() {
    long count = TenonNative.tenon_graph_attribute_count(beginUse());
    endUse();
    return (int) count;
  }

  /**
   * Defines an operator that runs the graph, in the library's namespace.
   *
   * @throws TenonException as {@link Library#define}
   */
  public Op define(Library library, String name) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_graph_define(address(), library.address(), name, out));
      return Op.of(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Returns a new graph made by passes, which are bits such as {@link #REMOVE_DEAD}.
   *
   * @throws TenonException INVALID_ARGUMENT for unknown bits
   */
  public Graph transform(int passes) {
    return made(out -> TenonNative.tenon_graph_transform(address(), passes, out));
  }

  /**
   * Returns a new graph made by a pass that is called for each call.
   *
   * <pre>{@code
   * Graph smaller = graph.rewrite(call -> {
   *   if (call.name().equals("aten::relu")) {
   *     call.replace(call.arg(0));
   *   }
   * });
   * }</pre>
   *
   * <p>Exceptions of the pass are propagated unchanged.
   *
   * @throws TenonException STATE if a removed call's result is used, TYPE for a replacement of
   *     another type
   */
  public Graph rewrite(GraphPass pass) {
    Bridge.open();
    long reference = References.add(Objects.requireNonNull(pass, "pass"));
    try {
      return made(out -> Native.rewriteGraph(address(), reference, out));
    } finally {
      Native.dropReference(reference);
      References.drain();
    }
  }

  /**
   * A graph in which matches of a pattern were replaced.
   *
   * @param graph the new graph
   * @param count the number of replaced matches
   */
  public record Replaced(Graph graph, long count) {}

  /**
   * Returns a new graph in which each match of a pattern is replaced by another graph.
   *
   * @param flags {@link #IGNORE_LITERALS} or 0
   * @throws TenonException INVALID_ARGUMENT for a pattern without calls, with an unused input or an
   *     output that no call makes, and for a replacement with another number of inputs or outputs
   */
  public Replaced replacePattern(Graph pattern, Graph replacement, int flags) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long count = frame.allocate(8);
      Graph graph =
          made(
              out ->
                  TenonNative.tenon_graph_replace_pattern(
                      address(), pattern.address(), replacement.address(), flags, count, out));
      return new Replaced(graph, Memory.getLong(count));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Checks that operators have not changed, and that values are those that their calls return.
   *
   * @throws TenonException NOT_SUPPORTED for an operator that changed, TYPE for a value whose
   *     recorded properties differ, or the error of a call on fake tensors
   */
  public void check() {
    int status = TenonNative.tenon_graph_check(beginUse());
    endUse();
    Errors.check(status);
  }

  /**
   * Returns a call.
   *
   * @throws TenonException INDEX if the call does not exist
   */
  public GraphNode node(int index) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long node = frame.allocate(Structs.GRAPH_NODE_SIZE);
      Memory.zero(node, Structs.GRAPH_NODE_SIZE);
      Memory.putInt(node, Structs.GRAPH_NODE_SIZE);
      Errors.check(TenonNative.tenon_graph_get_node(address(), index, node));
      Object[] args =
          Values.readAll(
              frame,
              Memory.getLong(node + Structs.GRAPH_NODE_ARGS),
              Memory.getInt(node + Structs.GRAPH_NODE_NARGS),
              Values.RETAIN);
      long first = Memory.getLong(node + Structs.GRAPH_NODE_FIRST_RESULT);
      long count = Memory.getLong(node + Structs.GRAPH_NODE_NRESULTS);
      return new GraphNode(
          Op.of(Memory.getLong(node + Structs.GRAPH_NODE_OP)),
          Collections.unmodifiableList(Arrays.asList(args)),
          LongStream.range(first, first + count).mapToObj(GraphRef::new).toList());
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Returns the indices of the calls that use a value. If an output uses it, the number of calls is
   * the last element.
   *
   * @throws TenonException INDEX if the value does not exist
   */
  public long[] users(GraphRef value) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_graph_list_users(address(), value.value(), out));
      long buffer = Memory.getLong(out);
      int count = (int) (TenonNative.tenon_buffer_size(buffer) / 8);
      long[] users = Values.readLongs(TenonNative.tenon_buffer_data(buffer), count);
      TenonNative.tenon_buffer_release(buffer);
      return users;
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the value of an input, or null if the input does not exist. */
  public GraphRef input(int index) {
    long value = TenonNative.tenon_graph_input_value(beginUse(), index);
    endUse();
    return value < 0 ? null : new GraphRef(value);
  }

  /**
   * Returns a new graph that only writes to inputs and attributes, at its end.
   *
   * @param flags {@link #REMOVE_VIEWS} or 0
   * @throws TenonException NOT_SUPPORTED for an operator that writes and has no functional
   *     overload, and for a view of a written value that has no inverse
   */
  public Graph functionalize(int flags) {
    return made(out -> TenonNative.tenon_graph_functionalize(address(), flags, out));
  }

  /**
   * Returns the graph as text.
   *
   * @throws TenonException NOT_SUPPORTED for arguments that text cannot represent
   */
  public String text() {
    return Tenon.text(this, out -> TenonNative.tenon_graph_print(address(), out));
  }

  /**
   * Writes the graph and its tensors to one file.
   *
   * @throws TenonException SYSTEM naming the path
   */
  public void save(String path) {
    int status = TenonNative.tenon_graph_save(beginUse(), path);
    endUse();
    Errors.check(status);
  }

  /**
   * Reads a graph from a file; its operators must be defined, and nothing is run.
   *
   * @throws TenonException SYSTEM naming the path, PARSE for a file that is no graph, NOT_FOUND
   *     naming operators that do not exist
   */
  public static Graph load(String path) {
    return made(out -> TenonNative.tenon_graph_load(path, out));
  }

  /** Removes this object from its scope, so that it lives until it is closed. */
  public Graph escape() {
    leaveScope();
    return this;
  }
}
