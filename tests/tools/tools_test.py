# SPDX-License-Identifier: Apache-2.0
"""Every check of tests/tools accepts a good fixture, and fails on each kind of bad one."""

from __future__ import annotations

import contextlib
import io
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import abi
import behaviour
import cheader
import contracts
import exports
import glossary
import headers
import layers
import layouts
import pairs
import sizes

GOOD_HEADER = """/* SPDX-License-Identifier: Apache-2.0 */
/* A header for the checks' own tests. */
#ifndef TENON_THING_H
#define TENON_THING_H
#include <stdint.h>
#if defined(__cplusplus)
extern "C" {
#endif
#define TENON_API __attribute__((visibility("default")))
#define TENON_ABI_MAJOR 0
#define TENON_THING_RED 1u /* the first */
typedef int32_t tenon_status;
typedef struct tenon_thing tenon_thing;
typedef int32_t (*tenon_thing_fn)(void* ctx, int32_t n);
typedef struct tenon_thing_info {
  uint32_t struct_size;
  int32_t (*call)(void* ctx);
  uint64_t reserved[2];
} tenon_thing_info;

/// Makes a thing; see "a // string".
///
/// Errors:    none.
/// Ownership: new reference in `out_thing`.
/// Threads:   any thread.
/// Since:     0.1
TENON_API tenon_status tenon_thing_new(const char* name, void (*deleter)(void* ctx),
                                       tenon_thing** out_thing);
#if defined(__cplusplus)
}
#endif
#endif
"""


def quietly(function, *arguments) -> tuple:
    """Runs a main() and returns its result and its output."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        status = function(*arguments)
    return status, text.getvalue()


class Fixture(unittest.TestCase):
    """A temporary folder for files."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, name: str, text: str) -> pathlib.Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def header(self, text: str = GOOD_HEADER) -> pathlib.Path:
        self.write("include/tenon/thing.h", text)
        return self.root / "include"


class HeaderParserTest(Fixture):
    def test_reads_functions_structs_constants_and_typedefs(self):
        parsed = cheader.parse(self.header() / "tenon/thing.h")
        function = parsed.functions[0]
        self.assertEqual(
            function.signature,
            "tenon_status tenon_thing_new(const char* name, "
            "void (*)(void* ctx) deleter, tenon_thing** out_thing)",
        )
        self.assertEqual(function.since, "0.1")
        self.assertTrue(function.comment.startswith("Makes a thing"))
        self.assertEqual(parsed.structs[0].fields, ("struct_size", "call", "reserved"))
        self.assertIn(("TENON_THING_RED", "1u"), parsed.constants)
        self.assertIn("tenon_thing_fn", [name for name, _ in parsed.typedefs])

    def test_counts_every_function_of_the_real_headers(self):
        for path in cheader.headers():
            lines = path.read_text().splitlines()
            marked = sum(line.startswith(("TENON_API ", "TENON_CALL_API ")) for line in lines)
            self.assertEqual(len(cheader.parse(path).functions), marked, path.name)


class AbiTest(Fixture):
    def describe(self, text: str = GOOD_HEADER) -> dict:
        return abi.describe(self.header(text))

    def test_describes_layout_and_values(self):
        found = self.describe()
        self.assertEqual(found["structs"]["tenon_thing_info"]["size"], 32)
        self.assertEqual(found["structs"]["tenon_thing_info"]["fields"]["call"], "offset 8 size 8")
        self.assertEqual(found["constants"]["TENON_THING_RED"], 1)

    def test_same_headers_differ_in_nothing(self):
        self.assertFalse(any(abi.compare(self.describe(), self.describe()).values()))

    def test_new_function_is_added(self):
        more = GOOD_HEADER.replace(
            "#endif\n#endif",
            "#endif\n/// Ends.\n/// Since: 0.1\nTENON_API void tenon_thing_end(void);\n#endif",
        )
        self.assertEqual(
            abi.compare(self.describe(), self.describe(more))["added"], ["function tenon_thing_end"]
        )

    def test_moved_field_changed_constant_and_parameter_are_changed(self):
        for old, new in (
            ("uint32_t struct_size;", "uint64_t struct_size;"),
            ("TENON_THING_RED 1u", "TENON_THING_RED 2u"),
            ("const char* name", "char* name"),
        ):
            verdict = abi.compare(self.describe(), self.describe(GOOD_HEADER.replace(old, new)))
            self.assertEqual(len(verdict["changed"]), 1, (old, verdict))

    def test_lost_constant_is_removed(self):
        less = GOOD_HEADER.replace("#define TENON_THING_RED 1u /* the first */\n", "")
        self.assertEqual(
            abi.compare(self.describe(), self.describe(less))["removed"],
            ["constant TENON_THING_RED"],
        )

    def test_struct_with_a_size_may_grow_at_its_end_only(self):
        field = "uint64_t reserved[2];"
        grown = GOOD_HEADER.replace(field, f"{field} uint64_t more;")
        self.assertEqual(
            abi.compare(self.describe(), self.describe(grown)),
            {
                "added": [
                    "field tenon_thing_info.more: offset 32 size 8",
                    "struct tenon_thing_info: struct of 32 bytes -> struct of 40 bytes",
                ],
                "changed": [],
                "removed": [],
            },
        )
        inside = GOOD_HEADER.replace(field, f"uint64_t more; {field}")
        self.assertEqual(
            abi.compare(self.describe(), self.describe(inside))["changed"],
            ["field tenon_thing_info.reserved: offset 16 size 16 -> offset 24 size 16"],
        )

    def test_reserved_words_may_give_way_to_fields(self):
        field = "uint64_t reserved[2];"
        used = GOOD_HEADER.replace(field, "uint64_t more; uint64_t reserved[1];")
        self.assertEqual(
            abi.compare(self.describe(), self.describe(used)),
            {
                "added": [
                    "field tenon_thing_info.reserved: offset 16 size 16 -> offset 24 size 8",
                    "field tenon_thing_info.more: offset 16 size 8",
                ],
                "changed": [],
                "removed": [],
            },
        )
        less = GOOD_HEADER.replace(field, "uint64_t reserved[1]; uint64_t more;")
        self.assertEqual(
            abi.compare(self.describe(), self.describe(less))["changed"],
            ["field tenon_thing_info.reserved: offset 16 size 16 -> offset 16 size 8"],
        )

    def test_reserved_word_may_become_a_field_of_its_size(self):
        field = "uint64_t reserved[2];"
        old = self.describe(GOOD_HEADER.replace(field, "uint64_t reserved0; uint64_t last;"))
        new = self.describe(GOOD_HEADER.replace(field, "uint64_t more; uint64_t last;"))
        self.assertEqual(
            abi.compare(old, new),
            {
                "added": [
                    "field tenon_thing_info.reserved0: offset 16 size 8 -> more",
                    "field tenon_thing_info.more: offset 16 size 8",
                ],
                "changed": [],
                "removed": [],
            },
        )
        less = self.describe(GOOD_HEADER.replace(field, "uint32_t more; uint64_t last;"))
        self.assertIn("reserved0", abi.compare(old, less)["removed"][0])

    def test_struct_without_a_size_may_not_grow(self):
        plain = GOOD_HEADER.replace("uint32_t struct_size;", "uint32_t first;")
        grown = plain.replace("uint64_t reserved[2];", "uint64_t reserved[2]; uint64_t more;")
        self.assertEqual(
            abi.compare(self.describe(plain), self.describe(grown))["changed"],
            ["struct tenon_thing_info: struct of 32 bytes -> struct of 40 bytes"],
        )

    def test_each_break_of_the_real_headers_is_told(self):
        for header, old, new, told in (
            (
                "value.h",
                "uint16_t tag;   /* TENON_TAG_* */\n  uint16_t flags;",
                "uint16_t flags;   /* TENON_TAG_* */\n  uint16_t tag;",
                "changed: field tenon_value.tag: offset 0 size 2 -> offset 2 size 2",
            ),
            (
                "status.h",
                "#define TENON_ERROR_TYPE 2",
                "#define TENON_ERROR_TYPE 3",
                "changed: constant TENON_ERROR_TYPE: 2 -> 3",
            ),
            (
                "tensor.h",
                "TENON_API int64_t tenon_tensor_numel(const tenon_tensor* tensor);",
                "",
                "removed: function tenon_tensor_numel",
            ),
            (
                "kernel.h",
                "typedef tenon_status (*tenon_kernel_fn)(void* ctx, const tenon_op* op,",
                "typedef tenon_status (*tenon_kernel_fn)(void* ctx, tenon_op* op,",
                "changed: typedef tenon_kernel_fn: tenon_status (*tenon_kernel_fn)"
                "(void* ctx, const tenon_op* op",
            ),
            (
                "kernel.h",
                "  uint64_t reserved[1]; /* zero */\n} tenon_kernel;",
                "  uint64_t reserved[1];\n  void* more;\n} tenon_kernel;",
                "added: field tenon_kernel.more: offset 112 size 8",
            ),
        ):
            include = self.root / "scratch"
            shutil.copytree(cheader.INCLUDE, include, dirs_exist_ok=True)
            path = include / "tenon" / header
            self.assertIn(old, path.read_text(), header)
            path.write_text(path.read_text().replace(old, new))
            status, text = quietly(abi.main, ["--include", str(include)])
            self.assertEqual(status, 1)
            self.assertIn(told, text)
            lines = [line for line in text.splitlines() if line.startswith("abi: ")]
            # Prints only the break, the counts and the instructions.
            self.assertLessEqual(len(lines), 4, text)

    def test_break_of_a_stable_major_is_refused_even_with_update(self):
        stable = GOOD_HEADER.replace("TENON_ABI_MAJOR 0", "TENON_ABI_MAJOR 1")
        committed = self.root / "abi.json"
        arguments = ["--include", str(self.header(stable)), "--committed", str(committed)]
        self.assertEqual(quietly(abi.main, [*arguments, "--update"])[0], 0)
        self.assertEqual(quietly(abi.main, arguments)[0], 0)
        self.header(stable.replace("const char* name", "char* name"))
        status, text = quietly(abi.main, [*arguments, "--update"])
        self.assertEqual(status, 1)
        self.assertIn("TENON_ABI_MAJOR", text)

    def test_difference_to_the_committed_one_fails(self):
        committed = self.root / "abi.json"
        arguments = ["--include", str(self.header()), "--committed", str(committed)]
        self.assertEqual(quietly(abi.main, arguments)[0], 1)

    def test_headers_that_do_not_compile_fail(self):
        with self.assertRaises(abi.AbiError):
            self.describe(GOOD_HEADER.replace("#include <stdint.h>", ""))


class LayoutsTest(Fixture):
    def written(self, change=lambda description: None) -> tuple:
        """Status and output of --check after the description was changed."""
        description = json.loads(layouts.DESCRIPTION.read_text())
        changed = self.write("changed.json", json.dumps(description))
        arguments = ["--root", str(self.root), "--description", str(changed)]
        self.assertEqual(quietly(layouts.main, arguments)[0], 0)
        change(description)
        changed.write_text(json.dumps(description))
        return quietly(layouts.main, [*arguments, "--check"])

    def test_fresh_ones_pass(self):
        self.assertEqual(self.written()[0], 0)

    def test_stale_ones_are_named(self):
        def move(description):
            description["structs"]["tenon_value"]["fields"]["flags"] = "offset 4 size 2"

        status, text = self.written(move)
        self.assertEqual(status, 1)
        self.assertIn("tests/abi/layout.h", text)
        self.assertIn("tests/rust/layout_test.rs", text)

    def test_compiler_names_what_lies_elsewhere(self):
        description = json.loads(layouts.DESCRIPTION.read_text())
        description["structs"]["tenon_value"]["fields"]["flags"] = "offset 4 size 2"
        description["constants"]["TENON_TAG_INT"] += 1
        self.write("layout.h", layouts.c_asserts(description))
        source = self.write(
            "layout.c", '#include <stddef.h>\n#include <tenon/tenon.h>\n#include "layout.h"\n'
        )
        done = subprocess.run(
            ["cc", "-std=c11", "-fsyntax-only", f"-I{cheader.INCLUDE}", str(source)],
            capture_output=True,
            text=True,
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("error:"), 2, done.stderr)
        self.assertIn("offsetof(tenon_value, flags) == 4", done.stderr)
        self.assertIn("TENON_TAG_INT", done.stderr)


class HeadersTest(Fixture):
    def complaint(self, text: str, language: str, standard: str) -> str:
        compiler = "gcc" if language == "c" else "g++"
        includes = [f"-I{self.header(text)}"]
        job = (compiler, language, standard, "tenon/thing.h")
        return headers.compile_alone(job, includes, self.root)

    def test_good_header_compiles(self):
        self.assertEqual(self.complaint(GOOD_HEADER, "c", "c99"), "")
        self.assertEqual(self.complaint(GOOD_HEADER, "c++", "c++11"), "")

    def test_missing_include_old_prototype_and_guard_fail(self):
        self.assertTrue(self.complaint(GOOD_HEADER.replace("#include <stdint.h>", ""), "c", "c99"))
        loose = GOOD_HEADER.replace("void (*deleter)(void* ctx)", "void (*deleter)()")
        self.assertIn("strict-prototypes", self.complaint(loose, "c", "c99"))
        twice = GOOD_HEADER.replace("#ifndef TENON_THING_H", "#if 1")
        self.assertTrue(self.complaint(twice, "c", "c99"))

    def test_foreign_include_is_named(self):
        found = headers.foreign_includes(
            self.header(
                GOOD_HEADER.replace(
                    "#include <stdint.h>", "#include <stdint.h>\n#include <stdbool.h>"
                )
            )
        )
        self.assertEqual(len(found), 1)
        self.assertIn("stdbool.h", found[0])


class ContractsTest(Fixture):
    def complaints(self, text: str) -> list:
        function = cheader.parse(self.header(text) / "tenon/thing.h").functions[0]
        return contracts.complaints(function)

    def test_good_contract_passes(self):
        self.assertEqual(self.complaints(GOOD_HEADER), [])

    def test_each_missing_word_is_a_complaint(self):
        for word in ("Errors:", "Ownership:", "Threads:", "Since:"):
            text = "\n".join(line for line in GOOD_HEADER.splitlines() if word not in line)
            self.assertEqual(len(self.complaints(text + "\n")), 1, word)

    def test_other_thread_words_and_out_in_front_are_complaints(self):
        self.assertTrue(self.complaints(GOOD_HEADER.replace("any thread", "all threads")))
        self.assertTrue(
            self.complaints(GOOD_HEADER.replace("(const char* name, ", "(const char** out_name, "))
        )

    def test_missing_comment_is_a_complaint(self):
        text = "\n".join(line for line in GOOD_HEADER.splitlines() if not line.startswith("///"))
        self.assertTrue(self.complaints(text + "\n"))


class ExportsTest(Fixture):
    MAP = "TENON_0 { global: tenon_*; local: *; };"
    SOURCE = (
        '#include "tenon/thing.h"\nint32_t tenon_thing_new(const char* n, void (*d)(void*), '
        "tenon_thing** o) { (void)n; (void)d; *o = 0; return 0; }\n"
    )

    def build(self, source: str, version_map: str = MAP, *flags: str) -> pathlib.Path:
        include = self.header()
        self.write("lib.c", source)
        self.write("lib.map", version_map)
        library = self.root / "libtenon.so"
        subprocess.run(
            [
                "cc",
                "-shared",
                "-fPIC",
                f"-I{include}",
                str(self.root / "lib.c"),
                "-o",
                str(library),
                f"-Wl,--version-script={self.root}/lib.map",
                "-Wl,-soname,libtenon.so.0",
                *flags,
            ],
            check=True,
            capture_output=True,
        )
        return library

    def complaints(self, *arguments, **options) -> list:
        return exports.check_library(self.build(*arguments), self.root / "include", **options)

    def test_good_library_passes(self):
        self.assertEqual(self.complaints(self.SOURCE), [])

    def test_stray_export_and_undeclared_export_fail(self):
        stray = self.complaints(
            self.SOURCE + "int helper(void) { return 1; }\n", "TENON_0 { global: *; };"
        )
        self.assertTrue(any("helper" in text for text in stray))
        more = self.complaints(self.SOURCE + "int tenon_secret(void) { return 1; }\n")
        self.assertTrue(any("tenon_secret" in text for text in more))

    def test_missing_function_and_wrong_version_fail(self):
        self.assertTrue(
            any(
                "not exported" in text
                for text in self.complaints("int tenon_x(void) { return 0; }\n")
            )
        )
        self.assertTrue(
            any(
                "must have version" in text
                for text in self.complaints(self.SOURCE, "OTHER { global: tenon_*; local: *; };")
            )
        )

    def test_static_variable_made_at_first_use_fails(self):
        found = self.complaints(
            self.SOURCE + "int __cxa_guard_acquire(long long* guard);\n"
            "__attribute__((used)) static int use(long long* guard) "
            "{ return __cxa_guard_acquire(guard); }\n"
        )
        self.assertEqual(len(found), 1, found)
        self.assertIn("no static variable that is made at its first use", found[0])

    def test_other_needed_library_fails(self):
        # libz may be missing here, so the test links libresolv, which always exists.
        found = self.complaints(self.SOURCE, self.MAP, "-Wl,--no-as-needed", "-lresolv")
        self.assertTrue(any("libresolv" in text for text in found))

    def test_thread_locals_and_size_are_limited(self):
        found = self.complaints(
            self.SOURCE + "static __thread char a[64];\nchar* tenon_a(void) { return a; }\n"
        )
        self.assertTrue(any("thread-locals" in text for text in found))
        found = self.complaints(self.SOURCE, limits=exports.Limits(stripped=100))
        self.assertTrue(any("stripped size" in text for text in found))

    def test_thread_local_of_another_library_fails(self):
        found = self.complaints(
            self.SOURCE + "extern __thread void* _ZSt15__once_callable"
            ' __attribute__((tls_model("initial-exec")));\n'
            "void* tenon_y(void) { return _ZSt15__once_callable; }\n",
            self.MAP,
            "-lstdc++",
        )
        self.assertTrue(any("got _ZSt15__once_callable" in text for text in found))

    def test_shipped_library_for_newer_systems_fails(self):
        self.assertEqual(exports.check_shipped(self.build(self.SOURCE)), [])
        # Only the symbol's version matters here, not its function.
        newer = self.SOURCE + "int pthread_cond_clockwait(void);\n"
        newer += "int tenon_w(void) { return pthread_cond_clockwait(); }\n"
        flags = ("-Wl,--no-as-needed", "-lstdc++")
        found = exports.check_shipped(self.build(newer, self.MAP, *flags))
        self.assertTrue(any("must not need libstdc++" in text for text in found), found)
        self.assertTrue(any("glibc 2.28 at most, got 2.3" in text for text in found), found)

    def test_plugin_with_more_than_its_query_fails(self):
        library = self.build(
            "void tenon_plugin_query(void) {}\nvoid other(void) {}\n", "P { global: *; };"
        )
        self.assertTrue(any("other" in text for text in exports.check_plugin(library)))


class BehaviourTest(Fixture):
    """Over a tree in which one C++ file has all items but the first, which is in Python."""

    FIRST = '@same(1, "what")\ndef test_item_001_it(peer):\n    pass\n'

    def setUp(self):
        super().setUp()
        rest = (
            f"// item {n}, better: what | how\n// goes on.\nTEST(A, Item{n:03}_It) {{}}\n"
            for n in behaviour.NUMBERS[1:]
        )
        self.write("tests/behaviour/more_test.cpp", "\n".join(rest))

    def complaints(self, python: str) -> list:
        self.write("tests/behaviour/test_a.py", python)
        return behaviour.collect(self.root)[2]

    def test_good_tree_passes_and_its_page_is_compared(self):
        self.assertEqual(self.complaints(self.FIRST), [])
        (self.root / "docs").mkdir()
        arguments = ["--root", str(self.root)]
        self.assertEqual(quietly(behaviour.main, arguments)[0], 1)  # no page yet
        self.assertEqual(quietly(behaviour.main, [*arguments, "--update"])[0], 0)
        self.assertEqual(quietly(behaviour.main, arguments)[0], 0)
        text = (self.root / "docs" / "behaviour.md").read_text()
        self.assertIn("| 1 | what | same |  | run |", text)
        self.assertIn("| 2 | what | better | how goes on |  |", text)
        self.write("docs/behaviour.md", text + "more")
        self.assertEqual(quietly(behaviour.main, arguments)[0], 1)

    def test_item_without_verdict_and_verdict_without_number_fail(self):
        bare = self.complaints("def test_item_001_it(peer):\n    pass\n")
        self.assertTrue(any("one number and one verdict" in text for text in bare))
        self.assertIn("item 1 has no verdict", bare)
        unnumbered = self.complaints('@same(1, "what")\ndef test_it():\n    pass\n')
        self.assertTrue(any("one number and one verdict" in text for text in unnumbered))

    def test_other_number_missing_reason_and_second_verdict_fail(self):
        other = self.complaints(self.FIRST.replace("same(1", "same(3"))
        self.assertTrue(any("verdict must be" in text for text in other))
        lame = self.complaints(self.FIRST.replace("same", "better"))
        self.assertTrue(any("verdict must be" in text for text in lame))
        twice = self.complaints(self.FIRST + self.FIRST)
        self.assertTrue(any("item 1 has a verdict in" in text for text in twice))
        self.write("tests/core/b_test.cpp", "// item 9, worse: what\nTEST(A, Item009_It) {}\n")
        self.write("tests/core/c_test.cpp", "// item 8, same: what\nTEST(A, Item009_It) {}\n")
        wrong = self.complaints(self.FIRST)
        self.assertTrue(any("b_test.cpp" in text and "verdict must be" in text for text in wrong))
        self.assertTrue(any("must carry number 8" in text for text in wrong))
        nowhere = self.complaints(
            self.FIRST + '@same(999, "it")\ndef test_item_999_it():\n    pass'
        )
        self.assertTrue(any("must be in a section, got 999" in text for text in nowhere))


class GlossaryTest(Fixture):
    PAGE = "| word | meaning | identifiers |\n|---|---|---|\n| slot | A place. | `tenon_slot` |\n"

    def complaints(self, code: str, page: str = PAGE, exceptions: dict | None = None) -> list:
        self.write("core/base/a.h", code)
        texts = glossary.sources(self.root)
        found = glossary.check_words(page, texts)
        return found + glossary.check_replaced(texts, exceptions or {})

    def test_good_tree_passes(self):
        self.assertEqual(self.complaints("struct tenon_slot; // always on this path\n"), [])

    def test_word_without_code_twice_or_without_identifier_fails(self):
        self.assertIn("tenon_slot must be in", self.complaints("int x;\n")[0])
        code = "struct tenon_slot;\n"
        twice = self.PAGE + "| slot | Another. | `tenon_slot` |\n"
        self.assertIn("must have one row", self.complaints(code, twice)[0])
        bare = self.PAGE + "| entry | Something. | none |\n"
        self.assertIn("entry must name", self.complaints(code, bare)[0])
        self.assertTrue(self.complaints(code, "no table\n"))

    def test_each_replaced_word_is_found_in_comments_and_identifiers(self):
        for code in (
            "// the next epoch",
            "int epoch_of(int);",
            "// The careful way of a call",
            "int call_careful();",
            "// an unusual call",
            "// the common path",
            "kPlaceListener,",
            "tenon_trace_begin();",
            "// recorded in a trace",
            "tenon_symbol* symint;",
            "struct OperatorEntry;",
            "KeyWords key_words();",
            "// the thread's key words",
            "Edge flow_to(Tensor&);",
            "class Situation;",
            "settle_dead(tensor);",
            "mark_several_views();",
            "has_lost_teams(); // see lost_team.h",
            "class LateOperator;",
            "struct NotingKernel {",
            "tnp_class_asks_slow(object);",
            "class Turn {",
            "enum class Ends { kGrad };",
            "struct Place {",
        ):
            with self.subTest(code=code):
                self.assertTrue(self.complaints(f"struct tenon_slot; {code}\n"))
        self.write("core/dispatch/call_unusual.cpp", "")
        self.assertIn("its name", self.complaints("struct tenon_slot;\n")[0])

    def test_usual_is_replaced_in_dispatch_only(self):
        self.assertEqual(self.complaints("struct tenon_slot; // the usual aliases\n"), [])
        self.write("core/dispatch/b.h", "// the usual key set\n")
        self.assertEqual(len(self.complaints("struct tenon_slot;\n")), 1)

    def test_everyday_names_are_replaced_in_kernels_and_native_bindings_too(self):
        for name in ("kernels/cpu/a.cpp", "bindings/python/native/a.c", "capi/src/a.cpp"):
            self.write(name, "struct Turn {\n")
        self.write("tests/core/a_test.cpp", "struct Turn {\n")
        self.assertEqual(len(self.complaints("struct tenon_slot;\n")), 3)

    def test_exception_holds_until_it_is_over(self):
        excepted = {"core/base/a.h": ("careful",)}
        good = "struct tenon_slot; int careful;\n"
        self.assertEqual(self.complaints(good, exceptions=excepted), [])
        over = self.complaints("struct tenon_slot;\n", exceptions=excepted)
        self.assertEqual(len(over), 1)
        self.assertIn("no longer says careful", over[0])


class LayersTest(Fixture):
    def what(self) -> list:
        return [violation.what for violation in layers.check(self.root)]

    def test_good_tree_passes(self):
        self.write("core/base/error.h", "#include <string>\n")
        self.write("core/dispatch/kernel.cpp", '#include "value/stack.h"\n#include "tenon/op.h"\n')
        self.write("capi/include/tenon/op.h", "")
        self.write("kernels/cpu/plain/add.cpp", '#include "kernels/ops/plain/add.h"\n')
        self.write("kernels/ops/plain/add.h", '#include "tenon/op.h"\n')
        self.assertEqual(self.what(), [])

    def test_arrow_against_the_drawing_fails(self):
        for folder, target in (
            ("base", "tensor/tensor.h"),
            ("schema", "value/value.h"),
            ("tensor", "schema/type.h"),
            ("dispatch", "plugin/plugin.h"),
            ("plugin", "introspect/dump.h"),
            ("value", "capi/src/guard.h"),
            ("dispatch", "tenon/tenon.hpp"),
            ("base", "../base/error.h"),
        ):
            with self.subTest(folder=folder, target=target):
                path = self.write(f"core/{folder}/x.cpp", f'#include "{target}"\n')
                self.assertEqual(len(self.what()), 1)
                path.unlink()

    def test_fake_sees_symbol_and_the_connector_sees_all(self):
        self.write("core/fake/x.cpp", '#include "symbol/expression.h"\n')
        self.write("core/init.cpp", '#include "override/overrides.h"\n')
        self.assertEqual(self.what(), [])
        self.write("core/symbol/x.cpp", '#include "fake/tensor.h"\n')
        self.assertEqual(len(self.what()), 1)

    def test_symbol_of_a_higher_layer_fails(self):
        def symbols(**needs) -> list:
            objects = {
                "base.o": ("base", ({"raise", "inline"}, set(needs.get("base", ())))),
                "dispatch.o": ("dispatch", ({"call", "inline"}, set(needs.get("dispatch", ())))),
                "override.o": ("override", ({"ask", "inline"}, set(needs.get("override", ())))),
                "init.cpp.o": ("init.cpp", ({"connect"}, {"ask", "call"})),
                "capi.o": ("capi", ({"tenon_op_call"}, {"call", "ask", "malloc"})),
            }
            return [violation.what for violation in layers.check_symbols(objects)]

        self.assertEqual(symbols(dispatch=("raise", "malloc"), override=("call", "raise")), [])
        self.assertEqual(symbols(base=("inline",)), [])
        self.assertEqual(symbols(dispatch=("ask",)), ["dispatch must not need ask, of override"])
        self.assertEqual(
            symbols(base=("tenon_op_call",)), ["base must not need tenon_op_call, of capi"]
        )
        self.assertEqual(
            symbols(override=("connect",)), ["override must not need connect, of init.cpp"]
        )

    def test_objects_belong_to_a_layer(self):
        folder = pathlib.Path("build/core/CMakeFiles/tenon_core.dir")
        for name, layer in (
            ("Unity/unity_graph_cxx.cxx.o", "graph"),
            ("tensor/mersenne_twister.cpp.o", "tensor"),
            ("init.cpp.o", "init.cpp"),
        ):
            self.assertEqual(layers.layer_of(folder / name, folder), layer)

    def test_unknown_layer_fails(self):
        self.write("core/misc/x.cpp", "")
        self.assertEqual(len(self.what()), 1)

    def test_outsider_that_looks_inside_fails(self):
        self.write("core/base/error.h", "")
        self.write("capi/src/guard.h", "")
        self.write("capi/include/tenon/op.h", "")
        for folder, target in (
            ("kernels/cpu", "base/error.h"),
            ("bindings/java", "guard.h"),
            ("examples", "../core/base/error.h"),
            ("kernels/ops", "tenon/no.h"),
            ("tests/capi", "base/error.h"),
            ("kernels/cpu", "kernels/cuda/a.h"),
            ("kernels/ops/plain", "kernels/cpu/plain/a.h"),
        ):
            with self.subTest(folder=folder, target=target):
                path = self.write(f"{folder}/x.cpp", f'#include "{target}"\n')
                self.assertEqual(len(self.what()), 1)
                path.unlink()

    def test_outsider_that_links_inside_fails(self):
        self.write(
            "kernels/CMakeLists.txt", "target_link_libraries(tenon_cpu PRIVATE tenon_core)\n"
        )
        self.assertEqual(len(self.what()), 1)


class PairsTest(Fixture):
    def test_good_tree_passes(self):
        self.write("capi/include/tenon/op.h", "TENON_API void tenon_x(void);\n")
        self.write("capi/src/op.cpp", "")
        self.write("capi/src/CMakeLists.txt", "target_sources(t PRIVATE op.cpp)\n")
        self.assertEqual(pairs.check(self.root), [])

    def test_header_without_source_and_source_in_no_list_fail(self):
        self.write("capi/include/tenon/op.h", "TENON_API void tenon_x(void);\n")
        self.assertEqual(len(pairs.check(self.root)), 1)
        self.write("capi/src/op.cpp", "")
        self.assertIn("must be listed", pairs.check(self.root)[0])

    def test_kernel_without_operator_or_test_fails(self):
        self.write("kernels/CMakeLists.txt", "cpu/plain/add.cpp\n")
        self.write("kernels/cpu/plain/add.cpp", 'aten.impl("add", &add);\n')
        found = pairs.check(self.root)
        self.assertEqual(len(found), 2)
        self.assertIn("kernels/ops/plain/add.h", found[0])
        self.assertIn("tests/kernels/plain/add_test.cpp", found[1])

    def test_source_that_only_another_of_its_name_is_listed_for_fails(self):
        self.write("kernels/CMakeLists.txt", "ops/plain/add.cpp\n")
        self.write("kernels/ops/plain/add.cpp", "")
        self.write("kernels/cpu/plain/add.cpp", "")
        self.assertEqual(
            pairs.check_listed(self.root),
            ["kernels/cpu/plain/add.cpp must be listed in a CMakeLists.txt"],
        )

    def test_source_beside_a_listed_header_is_listed_in_each_part_at_its_path_only(self):
        self.write("kernels/ops/ops.list", "aten plain/add kAdd Add cpu\n")
        for path in ("ops/plain/add.cpp", "cpu/plain/add.cpp"):
            self.write(f"kernels/{path}", "")
        self.assertEqual(pairs.check_listed(self.root), [])
        self.write("kernels/cpu/other/add.cpp", "")
        self.assertEqual(
            pairs.check_listed(self.root),
            ["kernels/cpu/other/add.cpp must be listed in a CMakeLists.txt"],
        )

    def test_operator_is_tested_by_a_test_or_a_golden_file_of_its_family(self):
        self.write("kernels/ops/ops.list", "aten plain/add kAdd - cpu\n")
        self.write("kernels/ops/plain/add.h", "inline constexpr Facts kAdd{\n")
        self.assertEqual(
            pairs.check_facts(self.root),
            [
                "kernels/ops/plain/add.h must have tests/kernels/plain/add_test.cpp or "
                "tests/kernels/golden/plain/add.txt"
            ],
        )
        for path in ("plain/add_test.cpp", "golden/plain/add.txt"):
            written = self.write(f"tests/kernels/{path}", "")
            self.assertEqual(pairs.check_facts(self.root), [])
            written.unlink()
        self.write("tests/kernels/add_test.cpp", "")
        self.assertEqual(len(pairs.check_facts(self.root)), 1)


class SizesTest(Fixture):
    HEAD = "// SPDX-License-Identifier: Apache-2.0\n// One sentence.\n"

    def complaints(self, text: str, name: str = "core/base/x.cpp") -> list:
        return sizes.check_file(self.write(name, text), name)

    def test_good_file_passes(self):
        self.assertEqual(self.complaints(self.HEAD + "int x;\n"), [])

    def test_long_line_long_file_no_licence_and_no_newline_fail(self):
        self.assertEqual(len(self.complaints(self.HEAD + "x" * 101 + "\n")), 1)
        self.assertEqual(len(self.complaints(self.HEAD + "int x;\n" * 600)), 1)
        self.assertEqual(len(self.complaints("int x;\n")), 1)
        self.assertEqual(len(self.complaints(self.HEAD + "int x;")), 1)

    def test_tests_may_be_longer_and_generated_files_are_free(self):
        self.assertEqual(self.complaints(self.HEAD + "int x;\n" * 700, "tests/x.cpp"), [])
        self.assertEqual(self.complaints("// Generated by swig.\n" + "int x;\n" * 5000), [])

    def test_stated_reason_allows_a_long_file(self):
        text = self.HEAD + "// Long file: one table.\n" + "int x;\n" * 600
        self.assertEqual(self.complaints(text), [])


if __name__ == "__main__":
    unittest.main()
