// SPDX-License-Identifier: Apache-2.0
// Finding and loading libtenon_java.so.
package dev.tenon.internal;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads the native library once. Internal.
 *
 * <p>It is searched in: the property {@code tenon.library.path} and the variable {@code
 * TENON_LIB_DIR} (folders or files, separated as in a class path), the folders beside the jar
 * ({@code .}, {@code lib}, {@code ../../lib} of a build tree), a jar with the platform's natives on
 * the class path, and finally {@code java.library.path}.
 *
 * <p>Java 24 and newer warn of each call that loads native code. A user of the library permits that
 * with {@code --enable-native-access}; in this class loading is intended.
 */
@SuppressWarnings("restricted")
public final class Loader {
  private static final String NAME = System.mapLibraryName("tenon_java");

  private Loader() {}

  static {
    loadOnce();
  }

  /** Loads the library by initialising this class; later calls do nothing. */
  public static void load() {}

  private static void loadOnce() {
    List<Path> candidates = new ArrayList<>();
    addPath(candidates, System.getProperty("tenon.library.path"));
    addPath(candidates, System.getenv("TENON_LIB_DIR"));
    Path home = home();
    if (home != null) {
      for (String folder : new String[] {".", "lib", "../../lib"}) {
        candidates.add(home.resolve(folder).resolve(NAME).normalize());
      }
    }
    for (Path candidate : candidates) {
      if (Files.isRegularFile(candidate)) {
        System.load(candidate.toAbsolutePath().toString());
        return;
      }
    }
    List<String> refusals = new ArrayList<>();
    if (loadFromJar(refusals)) {
      return;
    }
    try {
      System.loadLibrary("tenon_java");
    } catch (UnsatisfiedLinkError e) {
      UnsatisfiedLinkError error =
          new UnsatisfiedLinkError(
              "Tenon: "
                  + NAME
                  + " must be in one of "
                  + candidates
                  + ", in a jar of natives for "
                  + JarNatives.platform()
                  + " on the class path, or on java.library.path; -Dtenon.library.path=FOLDER names"
                  + " its folder ("
                  + e.getMessage()
                  + ")"
                  + (refusals.isEmpty() ? "" : "; the jar's natives: " + refusals));
      error.initCause(e);
      throw error;
    }
  }

  // A cache may be read-only or mounted without execute permission. Then the next one is tried.
  private static boolean loadFromJar(List<String> refusals) {
    try {
      JarNatives natives = JarNatives.find();
      if (natives == null) {
        return false;
      }
      for (Path cache : JarNatives.caches()) {
        try {
          System.load(natives.unpackInto(cache).resolve(NAME).toString());
          return true;
        } catch (IOException | UnsatisfiedLinkError e) {
          refusals.add(cache + ": " + e);
        }
      }
      System.load(natives.unpackForThisProcess().resolve(NAME).toString());
      return true;
    } catch (IOException | UnsatisfiedLinkError e) {
      refusals.add(
          System.getProperty("java.io.tmpdir")
              + ": "
              + e
              + "; -Dtenon.cache.path=FOLDER names a folder to unpack into");
      return false;
    }
  }

  private static void addPath(List<Path> candidates, String path) {
    if (path == null) {
      return;
    }
    for (String entry : path.split(File.pathSeparator)) {
      if (!entry.isEmpty()) {
        Path p = Path.of(entry);
        candidates.add(Files.isDirectory(p) ? p.resolve(NAME) : p);
      }
    }
  }

  private static Path home() {
    CodeSource source = Loader.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return null;
    }
    try {
      Path path = Path.of(source.getLocation().toURI());
      return Files.isDirectory(path) ? path : path.getParent();
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null; // not a file, so it has no neighbours
    }
  }
}
