# SPDX-License-Identifier: Apache-2.0
"""Configures Sphinx, which builds the site; `./dev docs` runs it with docs/ as the source
folder."""

from __future__ import annotations

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "Tenon"
author = "the Tenon authors"
copyright = "the Tenon authors"
version = release = os.environ["TENON_DOCS_VERSION"]

extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "breathe",
    "header_pages",
    "repository_files",
]
root_doc = "index"
exclude_patterns = ["site/**"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

breathe_projects = {"tenon": os.environ["TENON_DOXYGEN_XML"]}
breathe_default_project = "tenon"
breathe_domain_by_extension = {"h": "c"}
# Macros before declarations that expand to attributes of the C compiler.
c_id_attributes = ["TENON_API", "TENON_INLINE"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
default_role = "code"
autodoc_default_options = {"members": True, "show-inheritance": True}

html_theme = "furo"
html_title = f"Tenon {release}"
html_static_path = ["static"]
html_css_files = ["tenon.css"]
html_show_sphinx = False
html_copy_source = False
# The output of rustdoc and javadoc is next to the pages.
html_extra_path = [os.environ["TENON_DOCS_EXTRA"]]
# A struct and its typedef have the same name.
suppress_warnings = ["config.cache", "duplicate_declaration.c"]
