# SPDX-License-Identifier: Apache-2.0
"""Candidates of apt packages, and the newest of several alternatives."""

from __future__ import annotations

import re
import subprocess

NONINTERACTIVE = {"DEBIAN_FRONTEND": "noninteractive"}


def version_numbers(text: str) -> tuple:
    """Returns the numbers of a Debian version's upstream part: (19, 1, 7) for 1:19.1.7-3+b1."""
    upstream = re.sub(r"^\d+:", "", text)
    match = re.match(r"\d+(\.\d+)*", upstream)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def candidates(packages: list) -> dict:
    """Returns packages that apt can install, each with the numbers of its version.

    Early access and other previews, whose upstream version has a `~`, are left out.
    """
    if not packages:
        return {}
    done = subprocess.run(["apt-cache", "policy", *packages], capture_output=True, text=True)
    found = re.findall(r"^(\S+):\n.*\n\s+Candidate: (\S+)", done.stdout, re.M)
    return {
        name: version_numbers(version)
        for name, version in found
        if version != "(none)" and "~" not in version.rpartition("-")[0]
    }


def names_like(pattern: str) -> list:
    """Returns the numbers N for which apt has a package `pattern` with {} replaced by N.

    For example, ["17", "21"] for "openjdk-{}-jdk-headless".
    """
    prefix, _, suffix = pattern.partition("{}")
    done = subprocess.run(["apt-cache", "pkgnames", prefix], capture_output=True, text=True)
    form = re.compile(re.escape(prefix) + r"(\d+(?:\.\d+)*)" + re.escape(suffix))
    return [match.group(1) for name in done.stdout.split() if (match := form.fullmatch(name))]


def newest(alternatives: tuple, oldest_from: tuple = ()) -> tuple:
    """Returns the group whose first package has the newest version, and that version.

    With `oldest_from`, returns the oldest version from that one on instead. Groups are as in
    `Need.apt`. If apt can install none of them, returns the first group unchanged, with an empty
    version.
    """
    groups = []
    for group in alternatives:
        if "{}" in group[0]:
            numbers = names_like(group[0])
            groups += [tuple(name.replace("{}", one) for name in group) for one in numbers]
        else:
            groups.append(group)
    if len(groups) == 1 and "{}" not in alternatives[0][0]:
        return groups[0], candidates([groups[0][0]]).get(groups[0][0], ())
    known = candidates([group[0] for group in groups])
    offered = [(known[group[0]], group) for group in groups if group[0] in known]
    if not offered:
        return alternatives[0], ()
    enough = [one for one in offered if one[0] >= oldest_from]
    version, group = min(enough) if oldest_from and enough else max(offered)
    return group, version
