"""The group of all commands: a command's module is imported when it runs, and each error is one line."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NamedTuple

import click

from relevance.data.one_line import in_one_line, message


class Command(NamedTuple):
    """A command that is not imported yet."""

    place: str
    """The command's module and its name there, such as `relevance.cli.report:report`."""
    help: str
    """Its description in the list of all commands."""


class Program(click.Group):
    """The command `relevance`: each error is one line, and there is no traceback if it cannot write its output.

    `sections` are its commands by name, under the headings of the help.
    """

    def __init__(self, *arguments: Any, sections: Mapping[str, Mapping[str, Command]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sections = sections
        self.places = {name: command.place for section in sections.values() for name, command in section.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name not in self.places:
            return None
        module, name = self.places[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        for heading, section in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(9), command.help) for name, command in section.items()])

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command and exit."""
        try:
            return super().main(*arguments, **options)
        except OSError as error:  # commands handle errors of reading, so this one is of writing
            with suppress(OSError):
                click.echo(in_one_line(f"Error: the output cannot be written: {error.strerror}"), err=True)
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise Python tries again at exit
            sys.exit(1)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the options of `relevance` itself."""
        with errors_in_one_line():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Parse the options of the named command, and run it."""
        with errors_in_one_line():
            return super().invoke(ctx)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Fold error messages into one line, because names in them may be long and contain anything."""
    try:
        yield
    except click.ClickException as error:
        error.message = message(error.message)  # type: ignore[misc]  # final, but the same exception is raised again
        raise
