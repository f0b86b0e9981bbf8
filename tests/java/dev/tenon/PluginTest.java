// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginTest {
  @TempDir Path folder;

  @Test
  void load_tellsWhatItIs() {
    Plugin plugin = Support.plugin();
    assertEquals("tenon_javatest", plugin.name());
    assertEquals("1.0", plugin.version());
    assertTrue(plugin.path().endsWith("libtenon_javatest.so"));
    assertTrue(plugin.isLoaded());
    assertTrue(Operators.exists("javatest::echo"));
    assertEquals("tenon_javatest", Plugin.load("tenon_javatest").name());
  }

  @Test
  void unload_removesItsOperators_loadBringsThemBack() {
    Plugin plugin = Support.plugin();
    plugin.unload(Duration.ofSeconds(10));
    assertFalse(plugin.isLoaded());
    assertFalse(Operators.exists("javatest::echo"));
    Support.plugin();
    assertTrue(Operators.exists("javatest::echo"));
  }

  @Test
  void missing_namesTheFile() {
    Support.fails(
        ErrorCode.NOT_FOUND, () -> Plugin.load("/nowhere/libnothing.so"), "/nowhere/libnothing.so");
    Support.fails(ErrorCode.NOT_FOUND, () -> Plugin.load("no_such_plugin"), "no_such_plugin");
  }

  @Test
  void notAPlugin_isRefused() throws IOException {
    Path file = folder.resolve("libtext.so");
    Files.writeString(file, "this is no library");
    Support.fails(ErrorCode.SYSTEM, () -> Plugin.load(file.toString()), "libtext.so");
  }

  @Test
  void otherAbi_isRefusedBeforeItsCodeRuns() {
    String path = Support.nativeFolder().resolve("libtenon_javatest_abi.so").toString();
    Support.fails(ErrorCode.ABI, () -> Plugin.load(path), "99");
  }
}
