# SPDX-License-Identifier: Apache-2.0
"""Links against the symbols of an older glibc, so that release libraries run on old systems."""

from __future__ import annotations

import pathlib
import shutil

import environment
import ui

OLDEST = "2.28"
PROGRAM = "int main(void) { return 0; }\n"


def stubs(processor: str) -> pathlib.Path:
    """Returns a folder with stub libraries of that glibc, sufficient for linking.

    Zig has the symbol list of each version and writes such libraries when it links a program.
    """
    folder = ui.BUILD / f"glibc-{OLDEST}-{processor}"
    if (folder / "libc.so").exists():
        return folder
    interpreter = environment.python("dist")
    work = ui.BUILD / "zig"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "program.c").write_text(PROGRAM)
    command = [interpreter, "-m", "ziglang", "cc", "-target", f"{processor}-linux-gnu.{OLDEST}"]
    command += ["program.c", "-o", "program", "-lm", "-ldl", "-lpthread", "-v"]
    env = {"ZIG_GLOBAL_CACHE_DIR": str(work), "ZIG_LOCAL_CACHE_DIR": str(work)}
    ui.run(f"make symbols of glibc {OLDEST}, {processor}", command, env=env, cwd=work)
    linked = next(work.rglob("libc.so.6")).parent
    new = folder.with_name(f"{folder.name}-new")
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(linked, new)
    shutil.copy(next(work.rglob("libc_nonshared.a")), new)
    for library in ("libm.so.6", "libdl.so.2", "libpthread.so.0"):
        (new / library.rpartition(".")[0]).symlink_to(library)
    (new / "libc.so").write_text("GROUP(libc.so.6 libc_nonshared.a AS_NEEDED(libld.so.2))\n")
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    return folder
