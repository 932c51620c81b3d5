"""The command ``mancala-ai``: a door to the commands that installed packages bring.

A command is a function with Typer's annotations, named in the entry-point group ``mancala_ai.commands``. Its module is
imported when the command is called, and not before: for the list of commands the summaries are read from the sources.
The first line of the function's docstring is that summary; what follows ``Examples:`` in it is printed as it stands.

A `MancalaError` or `OSError` that a command raises becomes one line on stderr and exit code 2; Ctrl-C ends with code
130. Everything else is a bug, and shown as one.
"""

from __future__ import annotations

import ast
import concurrent.futures
import contextlib
import errno
import functools
import importlib.metadata
import importlib.util
import inspect
import io
import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

import mancala_ai
from mancala_ai import plugins
from mancala_ai.errors import MancalaError

COMMANDS = "mancala_ai.commands"
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130  # exit codes
PATIENCE = 2.0  # seconds of silence until a status line appears
_PLAIN: dict[str, Any] = {"rich_markup_mode": None, "add_completion": False, "pretty_exceptions_enable": False}
T = TypeVar("T")


class _Door(TyperGroup):
    """A group that lists commands without importing them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._entries = plugins.entry_points(COMMANDS)
        for name, entry in self._entries.items():
            self.add_command(TyperCommand(name, help=_summary(entry)))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Replaces the listed command by the real one, now that it is called."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, name and load_command(self._entries[name]), rest

    def invoke(self, ctx: Any) -> Any:
        """Turns what a command raises into a line and an exit code."""
        try:
            return super().invoke(ctx)
        except MancalaError as error:
            typer.echo(f"mancala-ai: {error}", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # Typer ends quietly when nobody reads any more
                raise
            message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
            typer.echo(f"mancala-ai: {message}", err=True)
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(cls=_Door, no_args_is_help=True, **_PLAIN)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line, and exits.

    Args:
        arguments: what follows the command's name; by default what the process was called with.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # boards have lines that not every terminal's encoding knows
    app(arguments, prog_name="mancala-ai")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mancala-ai {mancala_ai.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Five traditional mancala games: exact rules, fast kernels, engines, tournaments."""


def _summary(entry: importlib.metadata.EntryPoint) -> str:
    """Returns the first line of a command's docstring, without importing its module; empty if that is not possible."""
    package, *inner = entry.module.split(".")
    spec = importlib.util.find_spec(package)  # of a top-level package, which this does not import
    folders = [*(spec.submodule_search_locations or ())] if spec else []
    sources = [Path(folder, *inner).with_suffix(".py") for folder in folders if inner]
    if spec and spec.origin and not inner:
        sources = [Path(spec.origin)]
    for source in filter(Path.is_file, sources):
        with contextlib.suppress(SyntaxError, OSError):  # a broken plug-in must not break the list of commands
            for node in ast.parse(source.read_bytes()).body:
                if isinstance(node, ast.FunctionDef) and node.name == entry.attr:
                    return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""


def with_subcommands(*functions: Callable[..., Any]) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Makes a command a group of sub-commands, each named after its function; its own docstring is its help."""

    def mark(group: Callable[[], None]) -> Callable[[], None]:
        setattr(group, _SUBCOMMANDS, functions)
        return group

    return mark


_SUBCOMMANDS = "mancala_ai_subcommands"


def load_command(entry: importlib.metadata.EntryPoint) -> Any:
    """Returns the command, or group of sub-commands, that an entry point of ``mancala_ai.commands`` names."""
    function = plugins.load(entry)
    subcommands = getattr(function, _SUBCOMMANDS, None)
    app = typer.Typer(no_args_is_help=subcommands is not None, **_PLAIN)
    if subcommands is None:
        _add_command(app, entry.name, function)
    else:
        app.callback(help=inspect.getdoc(function))(function)
        for subcommand in subcommands:
            _add_command(app, subcommand.__name__, subcommand)
    return typer.main.get_command(app)


def _add_command(app: typer.Typer, name: str, function: Callable[..., Any]) -> None:
    @functools.wraps(function)
    def prepared(**arguments: Any) -> Any:
        prepare()
        return function(**arguments)

    # Typer fills paragraphs unless they begin with this mark.
    text = (inspect.getdoc(function) or "").replace("\n\nExamples:\n", "\n\n\b\nExamples:\n")
    app.command(name, help=text)(prepared)


@functools.cache
def prepare() -> None:
    """Makes the first compilation of kernels announce itself on stderr. The door calls it before every command."""
    from mancala_ai.cache import COMPILING, announce_compilation

    announce_compilation(lambda: typer.echo(COMPILING, err=True))


def check_new_file(path: Path, force: bool) -> None:
    """Raises MancalaError if a command must not, or cannot, write a new file: one is there, or its directory is not."""
    if path.exists() and not force:
        raise MancalaError(f"{path}: exists already: expected a new file, or --force")
    if not path.parent.is_dir():
        raise MancalaError(f"{path}: expected a directory {path.parent} that exists")


def write_new_file(path: Path, text: str, force: bool) -> None:
    """Writes a file that a command was asked for.

    Raises:
        MancalaError: one is there already, or it cannot be written.
    """
    check_new_file(path, force)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise MancalaError(f"{path}: cannot be written: {error.strerror}") from None


def interruptibly(work: Callable[[], T], doing: str) -> T:
    """Returns ``work()``, run in a thread, so that Ctrl-C is heard at once although compiled code does not listen.

    After an interrupt the thread is left to itself; it ends with the process.

    Args:
        work: what to do.
        doing: a few words for the status line (on stderr, if that is a terminal) when it takes longer.
    """
    future: concurrent.futures.Future[T] = concurrent.futures.Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    from rich.console import Console

    threading.Thread(target=run, daemon=True).start()
    with contextlib.ExitStack() as stack:
        show_status_at = time.monotonic() + PATIENCE
        while not concurrent.futures.wait([future], timeout=0.1).done:
            if time.monotonic() > show_status_at:
                show_status_at = math.inf
                stack.enter_context(Console(stderr=True).status(doing))
    return future.result()
