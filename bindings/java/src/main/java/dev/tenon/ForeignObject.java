// SPDX-License-Identifier: Apache-2.0
// Objects of other languages in values.
package dev.tenon;

import dev.tenon.internal.Addresses;
import dev.tenon.internal.Memory;
import dev.tenon.internal.Native;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.TenonNativeConstants;
import dev.tenon.internal.Text;
import java.lang.ref.Reference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An object of another language, passed through Java. It can be passed on, and called if it is a
 * function, but not inspected.
 *
 * <p>Java objects are returned as themselves.
 */
public final class ForeignObject extends NativeHandle implements Callback {
  // C identifies types by their address, and they are never freed; there is one per name.
  private static final Map<String, Long> TYPES = new ConcurrentHashMap<>();

  private final String typeName;
  private final String language;
  private final boolean function;
  private final boolean overrides;

  private ForeignObject(long address, String typeName, String language, boolean function) {
    super(address);
    long type = TenonNative.tenon_object_get_type(address);
    this.overrides = Memory.getLong(type + Structs.OBJECT_TYPE_OVERRIDE) != 0;
    this.typeName = typeName;
    this.language = language;
    this.function = function;
  }

  /** Returns the Java object in a native object, or a handle of a foreign object. */
  static Object read(CallFrame frame, long object, boolean function) {
    // Objects that wrap a Java callback belong to the Java runtime but hold no reference to a Java
    // object.
    long type = TenonNative.tenon_object_get_type(object);
    if (Memory.getLong(type + Structs.OBJECT_TYPE_RELEASE) == Addresses.DROP_REFERENCE) {
      return References.at(TenonNative.tenon_object_self(object));
    }
    return own(frame, TenonNative.tenon_object_retain(object), function);
  }

  /** Takes over a reference, for the open scope or the cleaner. */
  static ForeignObject own(CallFrame frame, long object, boolean function) {
    long type = TenonNative.tenon_object_get_type(object);
    return frame.adopt(
        new ForeignObject(
            object,
            Text.read(Memory.getLong(type + Structs.OBJECT_TYPE_NAME)),
            ErrorFrame.language(Memory.getInt(type + Structs.OBJECT_TYPE_LANGUAGE)),
            function));
  }

  @Override
  ForeignObject unownedCopy() {
    ForeignObject copy =
        new ForeignObject(
            TenonNative.tenon_object_retain(beginUse()), typeName, language, function);
    endUse();
    return copy;
  }

  /** Makes a native object around a Java object; the caller owns the reference. */
  static long wrap(CallFrame frame, Object object, String className) {
    long type = typeOf(object.getClass(), className);
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      long self = References.add(object);
      int status = TenonNative.tenon_object_new(type, self, out);
      if (status != 0) {
        Native.dropReference(self);
        throw Errors.raise(status);
      }
      return Memory.getLong(out);
    } finally {
      frame.reset(mark);
    }
  }

  /** Returns the type record of a class. It has the name that a schema's class type requests, or
   * otherwise the class's own name, and the handlers of the class's interfaces.
   */
  static long typeOf(Class<?> type, String className) {
    long call = Callback.class.isAssignableFrom(type) ? Addresses.CALL_FUNCTION : 0;
    boolean handles =
        Overriding.class.isAssignableFrom(type) || Dispatching.class.isAssignableFrom(type);
    if (!handles) {
      // There is no limit to the number of lambda classes, so one type serves all functions.
      String own = call != 0 ? Callback.class.getName() : type.getName();
      String known = className != null ? className : own;
      String key = call != 0 ? known + "()" : known;
      return TYPES.computeIfAbsent(key, ignored -> newType(known, 0, 0, 0, call));
    }
    String name = className != null ? className : type.getName();
    // One record per class: handlers of derived classes run first.
    String key = name + "/" + System.identityHashCode(type) + type.getName();
    Long known = TYPES.get(key);
    if (known != null) {
      return known;
    }
    Class<?> parent = type.getSuperclass();
    boolean hasBase =
        parent != null
            && (Overriding.class.isAssignableFrom(parent)
                || Dispatching.class.isAssignableFrom(parent));
    long base = hasBase ? typeOf(parent, null) : 0;
    long override = Overriding.class.isAssignableFrom(type) ? Addresses.CALL_OVERRIDE : 0;
    long dispatch = Dispatching.class.isAssignableFrom(type) ? Addresses.CALL_DISPATCH : 0;
    return TYPES.computeIfAbsent(key, ignored -> newType(name, base, override, dispatch, call));
  }

  private static long newType(
      String name, long base, long override, long dispatch, long call) {
    byte[] text = Text.encode(name);
    long memory = Memory.allocate(Structs.OBJECT_TYPE_SIZE + text.length);
    long nameAddress = memory + Structs.OBJECT_TYPE_SIZE;
    Memory.copyIn(text, 0, nameAddress, text.length);
    Memory.putInt(memory, Structs.OBJECT_TYPE_SIZE);
    Memory.putInt(memory + Structs.OBJECT_TYPE_LANGUAGE, TenonNativeConstants.TENON_LANGUAGE_JAVA);
    Memory.putLong(memory + Structs.OBJECT_TYPE_NAME, nameAddress);
    Memory.putLong(memory + Structs.OBJECT_TYPE_BASE, base);
    Memory.putLong(memory + Structs.OBJECT_TYPE_RELEASE, Addresses.DROP_REFERENCE);
    Memory.putLong(memory + Structs.OBJECT_TYPE_OVERRIDE, override);
    Memory.putLong(memory + Structs.OBJECT_TYPE_DISPATCH, dispatch);
    Memory.putLong(memory + Structs.OBJECT_TYPE_CALL, call);
    return memory;
  }

  /**
   * Calls a function with one result.
   *
   * @throws TenonException TYPE if this is no function, or the function's error
   */
  @Override
  public Object call(Object... args) {
    return callAll(1, args)[0];
  }

  /** Calls a function with {@code results} results. */
  public Object[] callAll(int results, Object... args) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    int objects = frame.objectCount();
    try {
      long values = CallBlock.open(frame, args.length, results);
      for (int i = 0; i < args.length; i++) {
        Values.putAny(frame, values + (long) i * Structs.VALUE_SIZE, args[i]);
      }
      Errors.check(TenonNative.tenon_object_call(address(), CallBlock.block(values)));
      return Op.takeResults(frame, values + (long) args.length * Structs.VALUE_SIZE, results);
    } finally {
      Reference.reachabilityFence(args);
      frame.releaseObjects(objects);
      frame.reset(mark);
    }
  }

  /** Removes this object from its scope, so that it lives until it is closed. */
  public ForeignObject escape() {
    leaveScope();
    return this;
  }

  /** Returns true if its type overrides operators. */
  public boolean overrides() {
    return overrides;
  }

  /** Returns the name of the object's type in its own language. */
  public String typeName() {
    return typeName;
  }

  /** Returns the language, such as "Python". */
  public String language() {
    return language;
  }

  /** Returns true if it was passed as a function. */
  public boolean isFunction() {
    return function;
  }

  @Override
  int type() {
    return OBJECT;
  }

  @Override
  String title() {
    return language + " object " + typeName;
  }

  @Override
  public String toString() {
    return title();
  }
}
