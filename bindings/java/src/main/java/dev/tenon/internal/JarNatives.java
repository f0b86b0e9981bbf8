// SPDX-License-Identifier: Apache-2.0
// Native libraries in a jar, which are unpacked to a folder from which they can be loaded.
package dev.tenon.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The natives of a jar for this platform. Internal.
 *
 * <p>The jar's index names each file with its SHA-256. The files are unpacked to a folder of the
 * user's cache that is named by the index, so that versions do not collide and later processes find
 * them. A process that finds no such folder unpacks them into its own temporary folder.
 */
final class JarNatives {
  private static final String INDEX = "index";

  private final String platform = platform();
  private final Map<String, String> files = new LinkedHashMap<>(); // name to SHA-256
  private final String key; // hash of the whole index

  private JarNatives(byte[] index) {
    for (String line : new String(index, StandardCharsets.UTF_8).split("\n")) {
      String[] words = line.strip().split(" +", 2);
      if (words.length == 2) {
        files.put(words[1], words[0]);
      }
    }
    key = sha256(index).substring(0, 16);
  }

  /** Returns the natives on the class path, or null if there are none. */
  static JarNatives find() throws IOException {
    try (InputStream in = open(platform(), INDEX)) {
      return in == null ? null : new JarNatives(in.readAllBytes());
    }
  }

  /** Returns the platform's name in resources and classifiers, such as linux-x86_64. */
  static String platform() {
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).split(" ")[0];
    return system + "-" + (arch.equals("amd64") ? "x86_64" : arch);
  }

  /** Returns folders in which files may be kept, in order of preference. */
  static List<Path> caches() {
    List<Path> folders = new ArrayList<>();
    String own = System.getProperty("tenon.cache.path");
    if (own != null) {
      folders.add(Path.of(own));
      return folders;
    }
    String cache = System.getenv("XDG_CACHE_HOME");
    String home = System.getProperty("user.home");
    if (cache != null && Path.of(cache).isAbsolute()) {
      folders.add(Path.of(cache));
    } else if (home != null && Path.of(home).isAbsolute()) {
      folders.add(Path.of(home, ".cache"));
    }
    return folders;
  }

  /** Unpacks into a cache, unless an earlier process has done so, and returns the folder. */
  Path unpackInto(Path cache) throws IOException {
    Path parent = cache.resolve("tenon");
    Path folder = parent.resolve(platform + "-" + key);
    if (isWhole(folder)) {
      return folder;
    }
    Files.createDirectories(parent);
    Path fresh = privateFolder(parent);
    try {
      unpack(fresh);
      try {
        Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileAlreadyExistsException e) {
        replace(fresh, folder);
      } catch (IOException e) { // lost the race with another process, or a file is in the way
        if (!isWhole(folder)) {
          replace(fresh, folder);
        }
      }
    } finally {
      delete(fresh);
    }
    return folder;
  }

  /** Unpacks into a temporary folder that is deleted when this process ends. */
  Path unpackForThisProcess() throws IOException {
    Path folder = Files.createTempDirectory("tenon"); // accessible to this user only
    unpack(folder);
    folder.toFile().deleteOnExit(); // before its files are registered, because the order of
                                    // deletion is reversed
    for (String name : files.keySet()) {
      folder.resolve(name).toFile().deleteOnExit();
    }
    return folder;
  }

  private static Path privateFolder(Path parent) throws IOException {
    return Files.createTempDirectory(
        parent,
        ".new",
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  // The cached files are corrupt: remove them.
  private void replace(Path fresh, Path folder) throws IOException {
    if (isWhole(folder)) {
      return;
    }
    Path old = privateFolder(folder.getParent());
    Files.move(folder, old.resolve("old"), StandardCopyOption.ATOMIC_MOVE);
    delete(old);
    Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  private boolean isWhole(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
          || !sha256(Files.readAllBytes(path)).equals(file.getValue())) {
        return false;
      }
    }
    return true;
  }

  private void unpack(Path folder) throws IOException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      try (InputStream in = open(platform, file.getKey())) {
        byte[] bytes = in == null ? new byte[0] : in.readAllBytes();
        if (!sha256(bytes).equals(file.getValue())) {
          throw new IOException(
              file.getKey() + " must have the SHA-256 " + file.getValue() + " that its index says");
        }
        Files.write(folder.resolve(file.getKey()), bytes);
      }
    }
  }

  private static InputStream open(String platform, String name) {
    ClassLoader loader = JarNatives.class.getClassLoader();
    String path = "dev/tenon/native/" + platform + "/" + name;
    return loader == null
        ? ClassLoader.getSystemResourceAsStream(path)
        : loader.getResourceAsStream(path);
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JVM has SHA-256", e);
    }
  }
}
