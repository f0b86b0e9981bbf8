// SPDX-License-Identifier: Apache-2.0
// Entry from C to Java code that is no kernel.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.TENON_OK;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;

/** The entry of overrides, modes, functions, warnings and all callbacks of autograd. */
final class Handlers {
  // Kinds in runtime.h, besides the kinds of modes.
  private static final int FUNCTION_CALL = 2;
  private static final int WARNING = 3;
  private static final int BACKWARD = 4;
  private static final int HOOK = 5;
  private static final int DONE = 6;
  private static final int FORWARD = 7;
  private static final int FUNCTION_BACKWARD = 8;
  private static final int SETUP = 9;
  private static final int JVP = 10;
  private static final int PACK = 11;
  private static final int UNPACK = 12;
  private static final int CREATED = 13;
  private static final int VMAP_RULE = 14;
  private static final int GRAPH_PASS = 15;

  private static final int LOGGER = -1; // used in place of an object's number

  private Handlers() {}

  /** Runs the handler of object {@code id} on the call at {@code upcall}; returns a status. */
  static int handle(int kind, int id, long upcall) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    int outer = frame.openRegion();
    int guards = frame.guards;
    long stack = Memory.getLong(upcall + Structs.UPCALL_STACK);
    long subject = Memory.getLong(upcall + Structs.UPCALL_SUBJECT);
    frame.upcalls++;
    try {
      Object self = id == LOGGER ? null : References.get(id);
      switch (kind) {
        case FUNCTION_CALL -> callFunction(frame, (Callback) self, stack, guards);
        case WARNING -> tellWarning(frame, (Warning.Handler) self, stack, guards);
        case BACKWARD -> BackwardCall.run(frame, (BackwardFunction) self, subject, guards);
        case FUNCTION_BACKWARD -> {
          BackwardFunction backward = ((AutogradFunction) self)::backward;
          BackwardCall.run(frame, backward, subject, guards);
        }
        case FORWARD -> {
          AutogradFunction function = (AutogradFunction) self;
          FunctionContext.forward(frame, function, subject, stack, guards);
        }
        case SETUP -> FunctionContext.setup(frame, (Formula) self, subject, guards);
        case JVP -> JvpCall.run(frame, self, subject, guards);
        case PACK -> ((SavedTensorsHooks.Hooks) self).pack(frame, subject, guards);
        case UNPACK -> ((SavedTensorsHooks.Hooks) self).unpack(frame, subject, guards);
        case CREATED -> NodeCreationHook.run(frame, (NodeCreationHook.Hook) self, subject, guards);
        case VMAP_RULE -> VmapCall.run(frame, (VmapRule) self, upcall, guards);
        case GRAPH_PASS -> GraphCall.run(frame, (GraphPass) self, subject, guards);
        case HOOK -> Hook.run(frame, (Hook.Body) References.held(self), subject, guards);
        case DONE -> {
          ((Runnable) self).run();
          frame.checkGuards(guards, "Autograd.whenDone");
        }
        default -> {
          return Overrides.handle(frame, kind, self, upcall, guards);
        }
      }
      return TENON_OK;
    } catch (Throwable t) {
      frame.restoreGuards(guards);
      return Errors.store(t, stack, frame.upcalls);
    } finally {
      frame.upcalls--;
      frame.reset(mark); // first: handles that the region closes are not in use any more
      frame.closeRegion(outer);
    }
  }

  static Object[] arguments(CallFrame frame, long stack) {
    int count = Memory.getInt(stack + Structs.STACK_NARGS);
    return Values.readAll(frame, Memory.getLong(stack), count, Values.BORROW);
  }

  private static void callFunction(CallFrame frame, Callback function, long stack, int guards)
      throws Exception {
    Object result = function.call(arguments(frame, stack));
    frame.checkGuards(guards, "function");
    Bridge.writeResults(frame, "function", stack, result, null);
  }

  // Without a handler warnings are logged.
  private static void tellWarning(
      CallFrame frame, Warning.Handler handler, long stack, int guards) throws Exception {
    Object[] texts = arguments(frame, stack);
    Warning warning = new Warning((String) texts[0], (String) texts[1], (String) texts[2]);
    if (handler == null) {
      warning.log();
    } else {
      handler.handle(warning);
    }
    frame.checkGuards(guards, "warning handler");
  }
}
