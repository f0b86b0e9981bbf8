// SPDX-License-Identifier: Apache-2.0
// A place in source code that an error passed through.
package dev.tenon;

import static dev.tenon.internal.TenonNativeConstants.TENON_LANGUAGE_NONE;

import dev.tenon.internal.TenonNative;
import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A place in source code that an error passed through.
 *
 * @param language such as "C++" or "Java"
 * @param function the function's name, "" if unknown
 * @param file the source file, "" if unknown
 * @param line the line, 0 if unknown
 */
public record ErrorFrame(String language, String function, String file, int line)
    implements Serializable {

  // Languages never change their numbers; those registered at run time are added later.
  private static final Map<Integer, String> LANGUAGES = new ConcurrentHashMap<>();

  static String language(int number) {
    String known = LANGUAGES.get(number);
    if (known == null) {
      known = TenonNative.tenon_language_name(number);
      if (known == null) {
        return "language " + number;
      }
      LANGUAGES.put(number, known);
    }
    return known;
  }

  int languageNumber() {
    for (int number = 0; ; number++) {
      String name = TenonNative.tenon_language_name(number);
      if (name == null) {
        return TENON_LANGUAGE_NONE;
      }
      if (name.equals(language)) {
        return number;
      }
    }
  }

  @Override
  public String toString() {
    return language + " " + function + " (" + file + ":" + line + ")";
  }
}
