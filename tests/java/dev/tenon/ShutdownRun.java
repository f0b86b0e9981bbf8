// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import java.nio.ByteBuffer;

/** Ends the machine while a thread of C is calling a Java kernel. */
final class ShutdownRun {
  private ShutdownRun() {}

  public static void main(String[] arguments) throws InterruptedException {
    Support.plugin();
    Library library = Support.library();
    library.define("k(Tensor x) -> Tensor");
    library.impl("k", "CPU", args -> args[0]);
    Tensor x = Tensor.wrap(ByteBuffer.allocateDirect(16), DType.FLOAT32);
    Operators.find("javatest::call_until_exit").call(library.namespace() + "::k", x);
    x.close();
    Thread.sleep(50);
  }
}
