# SPDX-License-Identifier: Apache-2.0
"""Writes a release's bill of materials (CycloneDX 1.6): the contents of each file in dist/.

A separate program, because it needs cyclonedx-python-lib; see parser() for its arguments.
"""

from __future__ import annotations

import argparse
import datetime
import pathlib
import re
import subprocess
import uuid

import artefacts
import linked
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

APACHE = LicenseExpression("Apache-2.0")
JAVADOC = "-javadoc.jar"
# Libraries loaded at run time if installed, and dependencies that only a feature adds.
OPTIONAL = (
    ("oneDNN", "generic", "Apache-2.0", "matrix products, loaded by libtenon_cpu"),
    ("OpenBLAS", "generic", "BSD-3-Clause", "matrix products and LAPACK, loaded by libtenon_cpu"),
    ("numpy", "pypi", "BSD-3-Clause", "arrays as arguments, in Python"),
    ("ndarray", "cargo", "MIT OR Apache-2.0", "arrays, feature of the crate tenon"),
)


def parser() -> argparse.ArgumentParser:
    one = argparse.ArgumentParser(description=__doc__)
    one.add_argument("dist", type=pathlib.Path)
    one.add_argument("out", type=pathlib.Path)
    one.add_argument("--version", required=True)
    one.add_argument("--seconds", required=True, type=int, help="since 1970, of the last change")
    one.add_argument("--glibc", required=True, help="version whose stubs were linked against")
    one.add_argument("--linked", type=pathlib.Path, nargs="+", help="folders of libraries, maps")
    return one


class Release:
    """The document while it is written: components by name, and which one contains which."""

    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.bom = Bom()
        self.root = Component(
            name="tenon",
            version=arguments.version,
            type=ComponentType.LIBRARY,
            bom_ref="tenon",
            licenses=[APACHE],
            purl=PackageURL("generic", None, "tenon", arguments.version),
        )
        self.bom.metadata.component = self.root
        self.others = _others(arguments.glibc)
        self.linked = {
            artefacts.sha256(path.read_bytes()): (path.name, names)
            for path, names in linked.libraries(arguments.linked).items()
        }

    def write(self) -> str:
        for path in sorted(self.arguments.dist.rglob("*")):
            if path.is_file() and path != self.arguments.out:
                self._artefact(path)
        self._optional()
        time = datetime.datetime.fromtimestamp(self.arguments.seconds, datetime.timezone.utc)
        self.bom.metadata.timestamp = time
        # Derive the serial number from the content, so that two builds of one revision are equal.
        refs = "".join(sorted(str(one.bom_ref.value) for one in self.bom.components))
        self.bom.serial_number = uuid.uuid5(uuid.NAMESPACE_OID, f"{time}{refs}")
        return JsonV1Dot6(self.bom).output_as_string(indent=2) + "\n"

    def _artefact(self, path: pathlib.Path) -> None:
        name = str(path.relative_to(self.arguments.dist))
        content = path.read_bytes()
        one = self._add(name, artefacts.sha256(content), ComponentType.FILE)
        self.bom.register_dependency(self.root, [one])
        parts = [self._library(*library) for library in artefacts.libraries(path)]
        if name.endswith(JAVADOC):
            parts += self._doclet(dict(artefacts.members(path)))
        if name.endswith((".gz", ".crate")) and "-linux-" not in name:
            parts += [self._other("cephes")] if _has_kernels(path) else []
        self.bom.register_dependency(one, parts)

    def _library(self, name: str, content: bytes) -> Component:
        digest = artefacts.sha256(content)
        if digest not in self.linked:
            raise ValueError(f"sbom: {name} must be a library that was linked here, got {digest}")
        # Archives contain the same library under several names.
        name, others = self.linked[digest]
        one = self._add(name, digest, ComponentType.LIBRARY)
        parts = others | ({"cephes"} if "_cpu" in name else set())
        self.bom.register_dependency(one, [self._other(part) for part in sorted(parts)])
        return one

    def _doclet(self, content: dict[str, bytes]) -> list[Component]:
        """Returns jQuery and jQuery UI as bundled by the JDK, with versions read from the files."""
        query = next(name for name in content if re.search(r"jquery-[\d.]+min\.js$", name))
        version = re.search(r"jquery-([\d.]+)\.min", query)[1]
        interface = re.search(r"UI v?([\d.]+)", content["legal/jqueryUI.md"].decode())[1]
        return [
            self._component("jquery", version, "npm", "MIT"),
            self._component("jquery-ui", interface, "npm", "MIT"),
        ]

    def _optional(self) -> None:
        for name, kind, terms, purpose in OPTIONAL:
            one = self._component(name, None, kind, terms)
            one.scope, one.description = ComponentScope.EXCLUDED, f"not included: {purpose}"

    def _add(self, name: str, digest: str, kind: ComponentType) -> Component:
        """Adds one of our files; equal bytes in several places are one component."""
        return self._once(
            Component(
                name=name,
                version=self.arguments.version,
                type=kind,
                bom_ref=f"{name}@{digest[:16]}",
                licenses=[APACHE],
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
            )
        )

    def _other(self, name: str) -> Component:
        return self._once(self.others[name])

    def _component(self, name: str, version: str | None, kind: str, terms: str) -> Component:
        return self._once(_third_party(name, version, kind, LicenseExpression(terms)))

    def _once(self, one: Component) -> Component:
        for known in self.bom.components:
            if known.bom_ref.value == one.bom_ref.value:
                return known
        self.bom.components.add(one)
        return one


def _has_kernels(path: pathlib.Path) -> bool:
    return any(
        name.endswith("/kernels/common/maths/float_maths.h") for name, _ in artefacts.members(path)
    )


def _third_party(name, version, kind, terms, **more) -> Component:
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{name}@{version}" if version else name,
        licenses=[terms],
        purl=PackageURL(kind, None, name.lower(), version),
        **more,
    )


def _others(glibc: str) -> dict[str, Component]:
    """Returns the third-party code in a library; capi/THIRD_PARTY_LICENSES.txt has the licences."""
    said = subprocess.check_output(["c++", "-dumpfullversion"], text=True).strip()
    gcc = LicenseExpression("GPL-3.0-or-later WITH GCC-exception-3.1")
    startup = [Property(name="tenon:part", value="libc_nonshared.a, crti.o, crtn.o alone")]
    free = DisjunctiveLicense(name="Cephes: may be used freely, without support or guarantee")
    linking = DisjunctiveLicense(name="LGPL-2.1-or-later with permission to link and distribute")
    return {
        "libstdc++": _third_party("libstdc++", said, "generic", gcc),
        "libgcc": _third_party("libgcc", said, "generic", gcc),
        "glibc": _third_party("glibc", glibc, "generic", linking, properties=startup),
        "cephes": _third_party("cephes", None, "generic", free, description="constants of logf"),
    }


def main() -> None:
    arguments = parser().parse_args()
    arguments.out.write_text(Release(arguments).write())


if __name__ == "__main__":
    main()
