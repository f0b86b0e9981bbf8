// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Anomaly mode: detection of NaN, and errors that show where a node was created. */
class AnomalyModeTest {
  @BeforeAll
  static void loadOperators() {
    AutogradTest.loadOperators();
  }

  @Test
  void nan_failsInsideOnly() throws Throwable {
    Support.leavesNothing(
        () -> {
          try (Scope scope = Scope.open()) {
            Tensor x = Tensor.of(new float[] {0}).requiresGrad(true);
            try (AnomalyMode mode = AnomalyMode.enter(true)) {
              TenonException e =
                  Support.fails(
                      ErrorCode.STATE, () -> x.div(x).mul(1).backward(), "DivBackward0", "nan");
              Support.contains(e.notes().toString(), "was created by this call");
              try (AnomalyMode quiet = AnomalyMode.enter(false)) {
                x.div(x).backward();
              }
              Support.fails(ErrorCode.STATE, () -> x.div(x).backward(), "nan");
            }
            x.div(x).backward();
          }
        });
  }
}
