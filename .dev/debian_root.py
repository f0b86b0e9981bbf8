# SPDX-License-Identifier: Apache-2.0
"""Minimal Debian systems in folders, made by debootstrap and entered by chroot; needs root."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess

import ui

MIRROR = "http://deb.debian.org/debian"
FOLDER = ui.ROOT / "build" / "roots"
# The sources of packages that a release has beside its own; newer Rust is among the updates.
SOURCES = {
    "bullseye": ("bullseye",),
    "bookworm": ("bookworm", "bookworm-updates", "bookworm-security"),
    "trixie": ("trixie", "trixie-updates", "trixie-security"),
    "sid": ("sid",),
}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


def base(system: str) -> pathlib.Path:
    """Returns a system as debootstrap creates it, with package lists; created once."""
    folder = FOLDER / f"base-{system}"
    if folder.exists():
        return folder
    fresh = FOLDER / f"new-{system}"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    command = ["debootstrap", "--variant=minbase", "--include=ca-certificates"]
    with open(FOLDER / f"{system}.log", "w") as log:
        subprocess.run([*command, system, fresh, MIRROR], check=True, stdout=log, stderr=log)
    lines = [f"deb {_mirror(suite)} {suite} main\n" for suite in SOURCES[system]]
    (fresh / "etc/apt/sources.list").write_text("".join(lines))
    # A mirror that is updated less often than daily is good enough here.
    (fresh / "etc/apt/apt.conf.d/90stale").write_text('Acquire::Check-Valid-Until "false";\n')
    shutil.copy("/etc/resolv.conf", fresh / "etc/resolv.conf")
    _add_certificates(fresh)
    run(fresh, "apt-get -q update")
    fresh.rename(folder)
    return folder


def _mirror(suite: str) -> str:
    return f"{MIRROR}-security" if suite.endswith("-security") else MIRROR


def _add_certificates(root: pathlib.Path) -> None:
    """Adds the certificates that this machine trusts and Debian does not, such as a proxy's."""
    own, known = (
        set(re.findall(r"-----BEGIN CERT.*?-----END CERTIFICATE-----", path.read_text(), re.S))
        for path in (pathlib.Path(CERTIFICATES), root / CERTIFICATES[1:])
    )
    folder = root / "usr/local/share/ca-certificates"
    folder.mkdir(parents=True, exist_ok=True)
    for number, certificate in enumerate(sorted(own - known)):
        (folder / f"host-{number}.crt").write_text(certificate + "\n")
    run(root, "update-ca-certificates")


def copy(system: str, name: str) -> pathlib.Path:
    """Returns a fresh copy of a system, which the caller may change and has to remove."""
    root = FOLDER / f"{system}-{name}"
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", base(system), root], check=True)
    return root


def command(root: pathlib.Path, line: str, folder: str = "/root") -> list:
    """Returns the command that runs a shell line in a root, in its PID and mount namespaces."""
    inside = 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    typed = ["sh", "-c", f"cd {folder} && {line}"]
    apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    return [*apart, "sh", "-c", inside, str(root), *typed]


def environment(**more: str) -> dict:
    """Returns all environment variables of a command in a root."""
    fixed = {"HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **fixed, **more}


def run(root: pathlib.Path, line: str) -> str:
    """Runs a shell command in a root and returns its output; raises if the command fails."""
    done = subprocess.run(command(root, line), capture_output=True, text=True, env=environment())
    if done.returncode != 0:
        raise ui.Failure(f"{line}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def refusal() -> str:
    """Returns why no root can be created here, or "" if it can."""
    if os.geteuid() != 0:
        return "must be run as root, for chroot"
    return "" if shutil.which("debootstrap") else "needs debootstrap"
