// SPDX-License-Identifier: Apache-2.0
// Java's offsets, sizes and constants equal those of capi/abi/tenon.abi.json.
package dev.tenon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tenon.internal.Structs;
import dev.tenon.internal.TenonNative;
import dev.tenon.internal.TenonNativeConstants;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The description is the only source; Java's handwritten and SWIG-generated values must agree. */
class AbiLayoutTest {
  private static final Pattern STRUCT = Pattern.compile("\"tenon_(\\w+)\": \\{");
  private static final Pattern SIZE = Pattern.compile("\"size\": (\\d+)");
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\": \"offset (\\d+) size \\d+\"");
  private static final Pattern CONSTANT = Pattern.compile("\"(TENON_\\w+)\": (-?\\d+|\".*\")");

  /** Offsets of structs that only Java and its native library share, without C declarations. */
  private static final Set<String> OWN =
      Set.of(
          "BLOCK_FRAME",
          "UPCALL_KEYS",
          "UPCALL_STACK",
          "UPCALL_SUBJECT",
          "REF_ID",
          "LANE_COUNT",
          "LANE_RESULTS",
          "LANE_VALUES");

  private static List<String> description() throws IOException {
    return Files.readAllLines(
        Path.of(System.getProperty("tenon.source.dir"), "capi", "abi", "tenon.abi.json"));
  }

  /** Sizes as TENSOR_INFO_SIZE and offsets as TENSOR_INFO_NDIM. */
  private static Map<String, Integer> layouts() throws IOException {
    Map<String, Integer> found = new HashMap<>();
    String struct = "";
    for (String line : description()) {
      Matcher match = STRUCT.matcher(line);
      if (match.find()) {
        struct = match.group(1).toUpperCase(Locale.ROOT) + "_";
      } else if ((match = SIZE.matcher(line)).find()) {
        found.put(struct + "SIZE", Integer.parseInt(match.group(1)));
      } else if ((match = FIELD.matcher(line)).find()) {
        String name = struct + match.group(1).toUpperCase(Locale.ROOT);
        found.put(name, Integer.parseInt(match.group(2)));
      }
    }
    return found;
  }

  private static List<Field> constants(Class<?> type) {
    List<Field> found = new ArrayList<>();
    for (Field field : type.getFields()) {
      if (Modifier.isStatic(field.getModifiers())) {
        found.add(field);
      }
    }
    return found;
  }

  @Test
  void structs_lieAsTheDescriptionSays() throws Exception {
    Map<String, Integer> layouts = layouts();
    int compared = 0;
    for (Field field : constants(Structs.class)) {
      if (!OWN.contains(field.getName())) {
        assertEquals(layouts.get(field.getName()), field.getInt(null), field.getName());
        compared++;
      }
    }
    assertTrue(compared >= 60, compared + " compared");
  }

  @Test
  void constants_haveTheDescribedValues() throws Exception {
    Map<String, Object> ours = new HashMap<>();
    for (Field field : constants(TenonNativeConstants.class)) {
      ours.put(field.getName(), field.get(null));
    }
    Set<String> missing = new TreeSet<>();
    int compared = 0;
    for (String line : description()) {
      Matcher match = CONSTANT.matcher(line);
      if (!match.find()) {
        continue;
      }
      Object own = ours.get(match.group(1));
      if (own == null) {
        missing.add(match.group(1));
      } else if (own instanceof String text) {
        assertEquals(match.group(2), '"' + text + '"', match.group(1));
      } else { // 32 bits, unsigned in C
        long value = Long.parseLong(match.group(2));
        assertEquals((int) value, ((Number) own).intValue(), match.group(1));
      }
      compared++;
    }
    assertEquals(Set.of(), missing);
    assertTrue(compared >= 225, compared + " compared");
  }

  @Test
  void library_hasTheDescribedMajor() throws Exception {
    String major = "\"abi_major\": " + (TenonNative.tenon_abi_version() >>> 16);
    assertTrue(description().stream().anyMatch(line -> line.contains(major)), major);
  }
}
