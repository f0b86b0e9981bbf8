// SPDX-License-Identifier: Apache-2.0
// The call trace of a thread.
package dev.tenon;

import dev.tenon.internal.Native;
import dev.tenon.internal.Text;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the dispatches of the thread that made it, until it is closed on that thread.
 *
 * <pre>{@code
 * Trace trace = Introspect.trace();
 * try (trace) {
 *   add.call(a, b);
 * }
 * System.out.println(trace);
 * }</pre>
 */
public final class Trace implements AutoCloseable {
  /**
   * One dispatch.
   *
   * @param depth dispatches around it on this thread
   * @param redispatch whether a kernel passed it on
   * @param key the key whose kernel ran
   * @param language the kernel's
   * @param kernel the kernel's name, "" if unknown
   */
  public record Event(
      int depth,
      boolean redispatch,
      DispatchKey key,
      DispatchKeySet keys,
      String language,
      String op,
      String kernel) {
    @Override
    public String toString() {
      return "  ".repeat(depth)
          + (redispatch ? "redispatch " : "call ")
          + op
          + " ["
          + key
          + "]"
          + (language.isEmpty() ? "" : " " + language)
          + (kernel.isEmpty() ? "" : " " + kernel);
    }
  }

  private final Thread thread = Thread.currentThread();
  private long recorder;
  private List<Event> events;

  private Trace(long recorder) {
    this.recorder = recorder;
  }

  static Trace start() {
    long recorder = Native.traceStart();
    if (recorder == 0) {
      throw Errors.raise();
    }
    return new Trace(recorder);
  }

  /** Stops recording. Closing again does nothing. */
  @Override
  public void close() {
    if (recorder == 0) {
      return;
    }
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException(
          "Trace: must be closed by the thread that made it, "
              + thread.getName()
              + ", got "
              + Thread.currentThread().getName());
    }
    byte[] lines = Native.traceStop(recorder);
    recorder = 0;
    if (lines == null) {
      throw new TenonException(ErrorCode.OUT_OF_MEMORY, "trace: out of memory while recording");
    }
    List<Event> all = new ArrayList<>();
    Text.decode(lines).lines().forEach(line -> all.add(parse(line)));
    events = List.copyOf(all);
  }

  private static Event parse(String line) {
    String[] f = line.split("\t", -1);
    return new Event(
        Integer.parseInt(f[0]),
        f[1].equals("1"),
        new DispatchKey(Integer.parseInt(f[2])),
        new DispatchKeySet(Long.parseLong(f[3])),
        ErrorFrame.language(Integer.parseInt(f[4])),
        f[5],
        f[6]);
  }

  /** Returns the dispatches in order; the trace must be closed. */
  public List<Event> events() {
    if (events == null) {
      throw new IllegalStateException("Trace: must be closed before it is read, got an open one");
    }
    return events;
  }

  /** Writes one nested line a dispatch. */
  @Override
  public String toString() {
    if (events == null) {
      return "Trace (open)";
    }
    return String.join("\n", events.stream().map(Event::toString).toList());
  }
}
