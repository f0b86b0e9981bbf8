// SPDX-License-Identifier: Apache-2.0
// Passes over graphs.
package dev.tenon;

/** A pass over a {@link Graph}: see {@link Graph#rewrite}. */
@FunctionalInterface
public interface GraphPass {
  /** Receives a call, which is kept unchanged unless the pass replaces or removes it. */
  void look(GraphCall call) throws Exception;
}
