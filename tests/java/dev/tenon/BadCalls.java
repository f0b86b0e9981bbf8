// SPDX-License-Identifier: Apache-2.0
// Objects that the cases of bad input use, and their calls, in Java.
package dev.tenon;

import dev.tenon.BadInputCasesTest.Case;
import dev.tenon.BadInputCasesTest.Unsayable;
import dev.tenon.DispatchKey.ThreadDefault;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Objects for the cases; tests/badinput/README.md lists them. */
final class BadCalls implements AutoCloseable {
  /** Makes the wrong call; throws {@link Unsayable} if Java cannot express it. */
  interface Call {
    void make(Case one);
  }

  final Map<String, Call> calls = new LinkedHashMap<>();
  private final Map<String, Library> libraries = new LinkedHashMap<>();
  private final Op taken;
  private final Tensor tensor = Tensor.of(new float[6], 2, 3);
  private final Tensor other = Tensor.of(new float[6], 2, 3);
  private final Tensor meta = Tensor.empty(DType.FLOAT32, Device.META, 2, 3);
  private final Generator generator = Generator.onCpu(1);

  BadCalls() {
    Library owner = Library.open("bad", Library.Kind.DEF);
    libraries.put("DEF", owner);
    libraries.put("FRAGMENT", Library.open("bad", Library.Kind.FRAGMENT));
    libraries.put("IMPL", Library.open("bad", Library.Kind.IMPL));
    libraries.put("IMPL_CUDA", Library.open("bad", Library.Kind.IMPL, DispatchKey.CUDA));
    libraries.put("WILDCARD", Library.open("_", Library.Kind.IMPL));
    taken = owner.define("taken(Tensor x) -> Tensor");
    owner.define("taken.over(int x) -> ()");
    owner.impl("taken", "CPU", args -> args[0]);
    libraries.get("IMPL").impl("waiting", "CPU", args -> args[0]);
    DispatchKey wrapper = DispatchKey.of("Wrapper");
    DispatchKey.register("BadMarked", "Override", false, false, ThreadDefault.INCLUDED);
    libraries.get("WILDCARD").fallback(wrapper, (op, keys, args) -> args[0]);
    addRegistryCalls();
    addOperatorCalls();
    addTensorCalls();
    BadIntrospection.add(calls, this);
    BadGenerators.add(calls);
    BadGradients.add(calls, this);
  }

  @Override
  public void close() {
    List<Library> all = new ArrayList<>(libraries.values());
    for (int i = all.size() - 1; i >= 0; i--) {
      all.get(i).close();
    }
    tensor.close();
    other.close();
    meta.close();
    generator.close();
  }

  /** Returns the state that no case may change. */
  String state() {
    Introspect.reap();
    StringBuilder text = new StringBuilder();
    for (Op op : Introspect.operators()) {
      text.append(Introspect.dump(op)).append(Introspect.table(op));
    }
    Introspect.danglingOperators().forEach(op -> text.append(Introspect.dump(op)));
    return text.append(DispatchKeySet.included())
        .append(DispatchKeySet.excluded())
        .append(Introspect.liveHandles())
        .append(" Java ")
        .append(Introspect.referencedObjects())
        .append(" uses ")
        .append(List.of(tensor.useCount(), other.useCount(), meta.useCount()))
        .toString();
  }

  // ---- Reading arguments ------------------------------------------------------------------------

  Library library(String name) {
    if (name.equals("NULL") || name.startsWith("closed")) {
      throw new Unsayable("Java's own exceptions say this: see BadInputTest");
    }
    Library library = libraries.get(name);
    if (library == null) {
      throw new AssertionError("the case itself is wrong: no library " + name);
    }
    return library;
  }

  static String text(String text) {
    return text.equals("NULL") ? null : text;
  }

  static DispatchKey key(String text) {
    if (text.equals("none")) {
      return DispatchKey.NONE;
    }
    return Character.isDigit(text.charAt(0))
        ? new DispatchKey(Integer.parseInt(text))
        : DispatchKey.of(text);
  }

  static long[] dims(String text) {
    if (text.startsWith("@ones ")) {
      long[] ones = new long[Integer.parseInt(text.substring(6))];
      Arrays.fill(ones, 1);
      return ones;
    }
    if (text.startsWith("@")) {
      throw new Unsayable("arrays have an address and a length");
    }
    return text.equals("none") ? new long[0] : longs(text);
  }

  private static long[] longs(String text) {
    return Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
  }

  static Device device(String text) {
    if (text.equals("none")) {
      return Device.CPU;
    }
    String[] parts = text.split(":");
    Device device = new Device(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    if (!device.toString().endsWith(":" + parts[1]) && !parts[1].startsWith("-")) {
      throw new Unsayable("the CPU and Meta have no index");
    }
    return device;
  }

  static DType dtype(String number) {
    try {
      DType dtype = DType.ofNumber(Long.parseLong(number));
      if (dtype != null) {
        return dtype;
      }
    } catch (TenonException e) {
      // no constant has this number
    }
    throw new Unsayable("dtypes are an enum");
  }

  private Object value(String token) {
    String rest = token.substring(1);
    return switch (token.charAt(0)) {
      case 'n' -> null;
      case 'i' -> Long.parseLong(rest);
      case 'f' -> Double.parseDouble(rest);
      case 'b' -> rest.equals("1");
      case 's' -> rest;
      case 'I' -> longs(rest.substring(1));
      case 'F' -> Arrays.stream(rest.substring(1).split(",")).mapToDouble(Double::new).toArray();
      case 'L' ->
          Arrays.stream(rest.substring(1).split(","))
              .map(part -> part.equals("T") ? tensor : null)
              .toArray(Tensor[]::new);
      case 'G' -> {
        if (token.equals("G0")) {
          throw new Unsayable("no NULL handles");
        }
        yield generator;
      }
      case 'T' ->
          switch (token) {
            case "T" -> tensor;
            case "T2" -> other;
            case "TM" -> meta;
            case "TU" -> Tensor.undefined();
            default -> throw new Unsayable("no NULL handles");
          };
      default -> throw new Unsayable("no foreign objects or tags by number");
    };
  }

  Object[] values(String text) {
    return Arrays.stream(text.trim().split(" +"))
        .filter(token -> !token.isEmpty())
        .map(this::value)
        .toArray();
  }

  // ---- Schemas, libraries, keys, plugins --------------------------------------------------------

  private void addRegistryCalls() {
    calls.put("schema_parse", one -> Schema.parse(schema(one.arg(0))).close());
    calls.put(
        "schema_compatible",
        one -> {
          try (Schema newer = Schema.parse(one.arg(0));
              Schema older = Schema.parse(one.arg(1))) {
            newer.checkCompatible(older, one.arg(2).equals("1"));
          }
        });
    calls.put(
        "library_new",
        one -> {
          if (Character.isDigit(one.arg(0).charAt(0))) {
            throw new Unsayable("kinds are an enum");
          }
          Library.Kind kind = Library.Kind.valueOf(one.arg(0));
          Library.open(text(one.arg(1)), kind, key(one.arg(2))).close();
        });
    calls.put("define", one -> library(one.arg(0)).define(text(one.arg(1))));
    calls.put(
        "define_options",
        one -> {
          if (!one.arg(0).equals("tag")) {
            throw new Unsayable("tags are the only option");
          }
          library("FRAGMENT").define("opted() -> ()", text(one.arg(1)));
        });
    calls.put("impl", this::impl);
    calls.put(
        "fallback",
        one -> {
          Library library = library(one.arg(0));
          if (!one.arg(2).equals("ok")) {
            throw new Unsayable("the struct is Java's own");
          }
          library.fallback(key(one.arg(1)), (op, keys, args) -> args[0]);
        });
    calls.put("op_find", one -> Operators.find(text(one.arg(0))));
    calls.put("key_parse", one -> DispatchKey.of(keyName(one.arg(0))));
    calls.put("key_for_device", one -> DispatchKey.of(deviceName(one.arg(0))));
    calls.put("keyset_from_key", one -> DispatchKeySet.of(key(one.arg(0))));
    calls.put("backend_register", one -> DispatchKey.registerBackend(text(one.arg(0))));
    calls.put(
        "functionality_register",
        one -> {
          long flags = Long.parseLong(one.arg(2));
          ThreadDefault threadDefault =
              switch ((int) (flags & ~3)) {
                case 0 -> ThreadDefault.NONE;
                case 4 -> ThreadDefault.INCLUDED;
                case 8 -> ThreadDefault.EXCLUDED;
                default -> throw new Unsayable("flags are truth values and an enum");
              };
          boolean above = (flags & 1) != 0;
          boolean perBackend = (flags & 2) != 0;
          DispatchKey.register(
              text(one.arg(0)), text(one.arg(1)), above, perBackend, threadDefault);
        });
    calls.put("plugin_load", one -> Plugin.load(plugin(one.arg(0))));
  }

  private static String schema(String text) {
    if (text.startsWith("@nested ")) {
      return "f(" + "(".repeat(Integer.parseInt(text.substring(8))) + "int x) -> ()";
    }
    return text(text);
  }

  private void impl(Case one) {
    Library library = library(one.arg(0));
    Library.Policy policy =
        switch (one.arg(3)) {
          case "ok" -> Library.Policy.LAYER;
          case "policy=1" -> Library.Policy.ERROR;
          default -> throw new Unsayable("the struct is Java's own");
        };
    library.impl(text(one.arg(1)), key(one.arg(2)), args -> args[0], policy);
  }

  // A name that starts with a small letter is a device's.
  private static String keyName(String name) {
    if (!name.isEmpty() && Character.isLowerCase(name.charAt(0))) {
      throw new Unsayable("small letters name devices");
    }
    return text(name);
  }

  private static String deviceName(String name) {
    if (name.isEmpty()) {
      throw new Unsayable("a text without letters names no device");
    }
    return name;
  }

  private static String plugin(String name) {
    return switch (name) {
      case "@cases" -> BadInputCasesTest.file().toString();
      case "@without_query", "@other_abi", "@failing" ->
          Support.nativeFolder().resolve("libcapi_plugin_" + name.substring(1) + ".so").toString();
      default -> text(name);
    };
  }

  // ---- Calls of operators; that of a case lives only while the case runs ------------------------

  interface OpCall {
    void make(Op op);
  }

  static void withCalled(String schema, Kernel kernel, OpCall call) {
    try (Library library = Library.open("bad", Library.Kind.FRAGMENT)) {
      Op op = library.define(schema);
      library.impl("called", "CPU", kernel);
      call.make(op);
    }
  }

  private void addOperatorCalls() {
    Call call =
        one -> {
          if (!one.arg(2).equals("1")) {
            throw new Unsayable("the place for results is Java's own");
          }
          Object[] given = values(one.arg(1));
          withCalled(one.arg(0), args -> args[0], op -> op.callAll(given));
        };
    calls.put("call", call);
    calls.put("plain_call", call);
    calls.put(
        "keys",
        one -> {
          Object[] given = values(one.arg(1));
          withCalled(one.arg(0), args -> args[0], op -> op.computeKeys(given));
        });
    calls.put(
        "results",
        one -> {
          if (one.arg(1).equals("borrowed")) {
            throw new Unsayable("what a kernel returns is owned");
          }
          Object[] given = values(one.arg(1));
          Object result = given.length == 1 ? given[0] : given;
          withCalled(one.arg(0), args -> result, op -> op.callAll(tensor));
        });
    calls.put(
        "failing",
        one -> {
          if (!one.arg(0).startsWith("stack ")) {
            throw new Unsayable("a kernel fails by an exception");
          }
          ErrorCode code = ErrorCode.valueOf(one.arg(0).substring(6));
          withCalled(
              "called(Tensor x) -> Tensor",
              args -> {
                throw new TenonException(code, "from the stack");
              },
              op -> op.callAll(tensor));
        });
    calls.put("call_key", one -> taken.callKey(key(one.arg(0)), tensor));
    calls.put(
        "redispatch",
        one -> {
          if (one.arg(0).equals("written")) {
            throw new Unsayable("the results are Java's own");
          }
          taken.redispatch(DispatchKeySet.of(key(one.arg(0))), tensor);
        });
    calls.put(
        "slot",
        one -> {
          if (one.arg(0).contains("=")) {
            throw new Unsayable("the struct is Java's own");
          }
          Introspect.slot(taken, key(one.arg(0)));
        });
  }

  // ---- Tensors ----------------------------------------------------------------------------------

  private void addTensorCalls() {
    calls.put("dtype_parse", one -> DType.of(text(one.arg(0))));
    calls.put("dtype_promote", one -> DType.promote(dtype(one.arg(0)), dtype(one.arg(1))));
    calls.put("device_parse", one -> Device.of(text(one.arg(0))));
    calls.put(
        "tensor_new",
        one -> {
          if (!one.arg(3).equals("none")) {
            throw new Unsayable("rows only");
          }
          Tensor.empty(dtype(one.arg(0)), device(one.arg(1)), dims(one.arg(2))).close();
        });
    calls.put(
        "tensor_wrap",
        one -> {
          if (one.arg(0).equals("NULL") || !one.arg(4).equals("none")) {
            throw new Unsayable("buffers have an address, and rows only");
          }
          if (!one.arg(2).equals("none")) {
            throw new Unsayable("buffers are the CPU's");
          }
          ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
          Tensor.wrap(buffer, dtype(one.arg(1)), dims(one.arg(3))).close();
        });
    calls.put(
        "tensor_data",
        one -> (one.arg(0).equals("meta") ? meta : Tensor.undefined()).dataAddress());
    calls.put(
        "tensor_number",
        one -> {
          Tensor.number(value(one.arg(0))).close();
        });
  }
}
