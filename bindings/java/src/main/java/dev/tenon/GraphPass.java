// SPDX-License-Identifier: Apache-2.0
// Passes over graphs.
package dev.tenon;

/** A pass over a {@link Graph}: see {@link Graph#rewrite}. */
@FunctionalInterface
public interface GraphPass {
  /** Looks at a call, which stays as it is unless the pass says otherwise. */
  void look(GraphCall call) throws Exception;
}
