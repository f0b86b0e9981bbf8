// SPDX-License-Identifier: Apache-2.0
// Call profiles of a thread.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Records the dispatches of the thread that made it, with times and nesting, until it is closed on
 * that thread.
 *
 * <pre>{@code
 * Profile profile = Introspect.profile();
 * try (profile) {
 *   add.call(a, b);
 * }
 * System.out.println(profile);
 * }</pre>
 */
public final class Profile implements AutoCloseable {
  /**
   * A dispatch.
   *
   * @param depth number of the profile's events that it ran inside
   * @param parent index of the innermost of those, -1 without one
   * @param redispatch whether it was a redispatch from inside a kernel
   * @param key the key whose kernel ran
   * @param keys the dispatch's key set
   * @param language the kernel's language
   * @param op full name of the operator
   * @param kernel the kernel's name, "" if unknown
   * @param file where the kernel was registered, "" if unknown
   * @param line the line in the file
   * @param begin start time, relative to the beginning of the profile
   * @param duration duration; null if it was still running when the profile ended
   * @param failed whether the kernel returned an error
   */
  public record Event(
      int depth,
      int parent,
      boolean redispatch,
      DispatchKey key,
      DispatchKeySet keys,
      String language,
      String op,
      String kernel,
      String file,
      int line,
      Duration begin,
      Duration duration,
      boolean failed) {
    @Override
    public String toString() {
      return "  ".repeat(depth)
          + (redispatch ? "redispatch " : "call ")
          + op
          + " ["
          + key
          + "]"
          + (language.isEmpty() ? "" : " " + language)
          + (kernel.isEmpty() ? "" : " " + kernel)
          + (failed ? " failed" : "")
          + (duration == null
              ? ""
              : String.format(Locale.ROOT, " %.1f us", duration.toNanos() / 1000.0));
    }

    static Event read(long span) {
      long begin = Memory.getLong(span + Structs.PROFILE_SPAN_BEGIN_NS);
      long end = Memory.getLong(span + Structs.PROFILE_SPAN_END_NS);
      return new Event(
          Memory.getInt(span + Structs.PROFILE_SPAN_DEPTH),
          (int) Memory.getLong(span + Structs.PROFILE_SPAN_PARENT),
          Memory.getInt(span + Structs.PROFILE_SPAN_REDISPATCH) != 0,
          new DispatchKey(Memory.getInt(span + Structs.PROFILE_SPAN_KEY)),
          new DispatchKeySet(Memory.getLong(span + Structs.PROFILE_SPAN_KEYS)),
          ErrorFrame.language(Memory.getInt(span + Structs.PROFILE_SPAN_LANGUAGE)),
          TenonNative.tenon_op_name(Memory.getLong(span + Structs.PROFILE_SPAN_OP)),
          Text.read(Memory.getLong(span + Structs.PROFILE_SPAN_KERNEL)),
          Text.read(Memory.getLong(span + Structs.PROFILE_SPAN_FILE)),
          Memory.getInt(span + Structs.PROFILE_SPAN_LINE),
          Duration.ofNanos(begin),
          end < 0 ? null : Duration.ofNanos(end - begin),
          Memory.getInt(span + Structs.PROFILE_SPAN_STATUS) != 0);
    }
  }

  private final Thread thread = Thread.currentThread();
  private long profile;
  private List<Event> events;
  private long dropped;

  private Profile(long profile) {
    this.profile = profile;
  }

  static Profile start(long maxEvents) {
    CallFrame frame = CallFrame.get();
    if (!frame.direct) {
      throw new IllegalStateException(
          "Profile: thread must be a platform thread, got a virtual one");
    }
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_profile_begin(maxEvents, out));
      return new Profile(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /** Stops recording. Closing again does nothing. */
  @Override
  public void close() {
    if (profile == 0) {
      return;
    }
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException(
          "Profile: must be closed by the thread that made it, "
              + thread.getName()
              + ", got "
              + Thread.currentThread().getName());
    }
    long ended = profile;
    profile = 0;
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      Errors.check(TenonNative.tenon_profile_end(ended));
      long counts = frame.allocate(16);
      Errors.check(TenonNative.tenon_profile_span_count(ended, counts, counts + 8));
      int count = (int) Memory.getLong(counts);
      List<Event> all = new ArrayList<>(count);
      long span = frame.allocate(Structs.PROFILE_SPAN_SIZE);
      Memory.zero(span, Structs.PROFILE_SPAN_SIZE);
      Memory.putInt(span, Structs.PROFILE_SPAN_SIZE);
      for (int i = 0; i < count; i++) {
        Errors.check(TenonNative.tenon_profile_get_span(ended, i, span));
        all.add(Event.read(span));
      }
      dropped = Memory.getLong(counts + 8);
      events = List.copyOf(all);
    } finally {
      TenonNative.tenon_profile_release(ended);
      frame.reset(mark);
    }
  }

  /** Returns the dispatches in order. The profile must be closed. */
  public List<Event> events() {
    if (events == null) {
      throw new IllegalStateException("Profile: must be closed before it is read, got an open one");
    }
    return events;
  }

  /** Returns the number of dispatches that were not kept. The profile must be closed. */
  public long dropped() {
    events();
    return dropped;
  }

  /** Returns one indented line per dispatch. */
  @Override
  public String toString() {
    if (events == null) {
      return "Profile (open)";
    }
    return String.join("\n", events.stream().map(Event::toString).toList());
  }
}
