// SPDX-License-Identifier: Apache-2.0
// A plugin in Java, which a host loads with one call: from_java::cube.
import dev.tenon.Library;

public final class FromJava {
  private static Library library;

  private FromJava() {}

  public static void load() {
    library = Library.open("from_java", Library.Kind.DEF);
    library.define("cube(int x) -> int");
    library.impl("cube", "CPU", args -> (Long) args[0] * (Long) args[0] * (Long) args[0]);
  }

  public static void unload() {
    library.close();
  }
}
