// SPDX-License-Identifier: Apache-2.0
// Plugins: shared libraries of operators and kernels.
package dev.tenon;

import dev.tenon.internal.Memory;
import dev.tenon.internal.TenonNative;
import java.time.Duration;

/** A loaded plugin, written in any language. It is never invalid; its code stays mapped. */
public final class Plugin {
  private final long address;

  private Plugin(long address) {
    this.address = address;
  }

  /**
   * Loads a plugin from a file. A plain name is found as lib{@code <name>}.so beside libtenon or on
   * the variable {@code TENON_PLUGIN_PATH}. If the plugin is already loaded, it is returned.
   *
   * @throws TenonException NOT_FOUND if there is no such file, SYSTEM if the loader refuses it, ABI
   *     if it was built for another ABI
   */
  public static Plugin load(String pathOrName) {
    CallFrame frame = CallFrame.get();
    long mark = frame.mark();
    try {
      long out = frame.allocate(8);
      Errors.check(TenonNative.tenon_plugin_load(pathOrName, out));
      return new Plugin(Memory.getLong(out));
    } finally {
      frame.reset(mark);
    }
  }

  /**
   * Closes its libraries and waits for their kernels.
   *
   * @throws TenonException BUSY if kernels still run after the time-out, NOT_SUPPORTED if it cannot
   *     be unloaded
   */
  public void unload(Duration timeout) {
    long limit = Tenon.nanoseconds("Plugin.unload", timeout);
    Errors.check(TenonNative.tenon_plugin_unload(address, limit));
    References.drain();
  }

  /** Returns its name. */
  public String name() {
    return TenonNative.tenon_plugin_name(address);
  }

  /** Returns its version. */
  public String version() {
    return TenonNative.tenon_plugin_version(address);
  }

  /** Returns the path of the file that the plugin was loaded from. */
  public String path() {
    return TenonNative.tenon_plugin_path(address);
  }

  /** Returns true if it is loaded now. */
  public boolean isLoaded() {
    return TenonNative.tenon_plugin_is_loaded(address) != 0;
  }

  @Override
  public String toString() {
    return name() + " " + version();
  }
}
