// SPDX-License-Identifier: Apache-2.0
// Wrong calls about generators of random numbers, as Java has them.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tenon.BadInputCasesTest.Case;
import dev.tenon.BadInputCasesTest.Unsayable;
import java.util.Arrays;
import java.util.Map;

/** Cases of generators. */
final class BadGenerators {
  private BadGenerators() {}

  static void add(Map<String, BadCalls.Call> calls) {
    calls.put(
        "generator_make",
        one -> {
          Device device = BadCalls.device(one.arg(1));
          Generator made =
              one.arg(0).equals("new")
                  ? Generator.on(device, 1)
                  : Generator.getDefault(device);
          made.close();
        });
    calls.put("generator_set_state", BadGenerators::setState);
  }

  // Returns a CPU generator that has drawn one number.
  private static Generator good() {
    Generator generator = Generator.onCpu(42);
    generator.random(new int[1]);
    return generator;
  }

  private static double[] samples(Generator generator) {
    double[] samples = new double[3];
    generator.normal(samples);
    return samples;
  }

  // After refusing a state, a generator must continue its sequence unchanged.
  private static void setState(Case one) {
    try (Generator generator = good();
        Generator fresh = good()) {
      byte[] state = generator.state();
      String text = one.arg(0);
      if (text.startsWith("@size ")) {
        int size = Integer.parseInt(text.substring(6));
        if (size < 0) {
          throw new Unsayable("arrays have a length");
        }
        state = Arrays.copyOf(state, size);
      } else if (text.startsWith("@bytes ")) {
        Arrays.fill(state, (byte) Integer.parseInt(text.substring(7)));
      } else if (text.startsWith("@null ")) {
        throw new Unsayable("null is Java's own exception");
      } else {
        String[] numbers = text.replaceAll("[a-z=]", "").split(" ");
        state[Integer.parseInt(numbers[0])] = (byte) Integer.parseInt(numbers[1]);
      }
      try {
        generator.setState(state);
      } finally {
        assertArrayEquals(samples(fresh), samples(generator));
      }
    }
  }
}
