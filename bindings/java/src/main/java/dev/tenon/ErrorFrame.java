// SPDX-License-Identifier: Apache-2.0
// One place that an error passed through.
package dev.tenon;

import java.io.Serializable;
import java.util.Arrays;

/**
 * One place that an error passed through.
 *
 * @param language such as "C++" or "Java"
 * @param function the function's name, "" if unknown
 * @param file the source file, "" if unknown
 * @param line the line, 0 if unknown
 */
public record ErrorFrame(String language, String function, String file, int line)
    implements Serializable {

  private static final String[] LANGUAGES = {"", "C", "C++", "Python", "Java", "Rust"};

  static String language(int number) {
    return number >= 0 && number < LANGUAGES.length ? LANGUAGES[number] : "language " + number;
  }

  int languageNumber() {
    return Math.max(Arrays.asList(LANGUAGES).indexOf(language), 0);
  }

  @Override
  public String toString() {
    return language + " " + function + " (" + file + ":" + line + ")";
  }
}
