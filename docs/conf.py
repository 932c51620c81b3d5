"""How Sphinx builds the site: the pages of this folder, the reference from the docstrings, the notebook, executed.

The command stands in the README. What an ordinary configuration cannot do is done by the functions at the end.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numba
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

import mancala_ai
from mancala_ai.cli import COMMANDS, load_command
from mancala_ai.plugins import entry_points

numba.config.DISABLE_JIT = True  # kernels, imported from here on, are documented as the functions that they are

ROOT = Path(__file__).parents[1]

project, author = "mancala-ai", "The mancala-ai developers"
release = mancala_ai.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "myst_nb"]
exclude_patterns = ["_build"]
html_theme, html_title = "furo", "mancala-ai"

# Pages and notebooks.
myst_heading_anchors = 3
nb_execution_mode, nb_execution_timeout = "force", 300  # seconds a cell; the first one of a game compiles it
nb_execution_show_tb = nb_merge_streams = True  # a cell that fails is a warning, and so (-W) an error

# The reference. Types of other projects are not checked: that would need their inventories, from the network.
nitpicky = True
default_role = "py:obj"  # `Name` in a docstring is a reference
nitpick_ignore = [  # Python's own, fields, and a word to be typed
    ("py:obj", name)
    for name in ("multiprocessing", "time.perf_counter", "seconds", "plies", "Ruleset.mirrored", "help")
]
nitpick_ignore_regex = [
    ("py:(?!obj).*", r"(?!(mancala_ai|engines|experiments|benchmarks)\b).*"),
    ("py:.*", r".*\.(_\w+|T)"),  # private bases and type variables, which signatures name
]
autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
autosummary_generate = False
highlight_language = "text"  # of blocks in docstrings, sessions apart
add_module_names = False  # the headings name the modules
napoleon_use_ivar = True
napoleon_custom_sections = [("Class attributes of each board size", "params_style")]
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"


def setup(app: Sphinx) -> None:
    """Registers what follows."""
    app.add_directive("command-lines", CommandLines)
    app.connect("autodoc-process-docstring", prepare_docstring, priority=400)  # before Napoleon's
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("doctree-read", link_sources, priority=400)  # before links to files become downloads
    app.connect("missing-reference", find_by_last_name)


class CommandLines(SphinxDirective):
    """The directive ``command-lines``: the ``--help`` of every command and sub-command, a section each."""

    def run(self) -> list[nodes.Node]:
        """Returns the sections."""
        commands = {name: load_command(entry) for name, entry in entry_points(COMMANDS).items()}
        return [self._section(name, command) for name, command in commands.items()]

    def _section(self, name: str, command: Any) -> nodes.section:
        context = command.make_context(f"mancala-ai {name}", [], resilient_parsing=True, terminal_width=80)
        section = nodes.section("", nodes.title(text=name), ids=[nodes.make_id(name)])
        section += nodes.literal_block(text=command.get_help(context), language="text")
        section += [self._section(f"{name} {sub}", each) for sub, each in getattr(command, "commands", {}).items()]
        return section


def prepare_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Shows indented blocks as they stand: they are tables and formulas. Reads docstrings of properties as text."""
    for i in range(len(lines) - 1, 1, -1):
        if lines[i].startswith("    ") and not lines[i - 1] and not lines[i - 2].startswith(" "):
            lines[i:i] = [] if lines[i].lstrip().startswith(">>>") else ["::", ""]
    if what in ("attribute", "data", "property"):  # Napoleon would take all before the first colon for a type
        lines[:] = ["..", "", *GoogleDocstring(list(lines), app.config).lines()]


def skip_fields(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leaves out the fields of named tuples, whose only text is Python's own: the signature has them."""
    return True if str(getattr(obj, "__doc__", "")).startswith("Alias for field number") else None


def link_sources(app: Sphinx, doctree: nodes.document) -> None:
    """Makes links to our modules links to their reference, and those to other files outside this folder mere words."""
    links = itertools.chain(doctree.findall(addnodes.pending_xref), doctree.findall(addnodes.download_reference))
    for link in [link for link in links if link["reftype"] == "myst" and not link["refdomain"]]:
        path = ROOT / link["reftarget"].replace("../", "")
        if path.suffix == ".py" or (path / "__init__.py").is_file():
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            reference = addnodes.pending_xref("", *link.children, refdomain="py", reftype="mod", reftarget=module)
            reference["refdoc"] = link["refdoc"]
            link.replace_self(reference)
        elif path.exists():
            link.replace_self(link.children)


def find_by_last_name(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Finds names that are written as they are imported, such as ``State`` or ``mancala_ai.State``."""
    if node.get("refdomain") != "py":
        return None
    ending = "." + node["reftarget"].removeprefix("mancala_ai.")
    objects = env.domains.python_domain.objects
    found = [name for name, entry in objects.items() if name.endswith(ending) and not entry.aliased]
    if len(found) != 1:
        return None
    entry = objects[found[0]]
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, found[0])
