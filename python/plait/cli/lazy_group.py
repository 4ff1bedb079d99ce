"""Groups of commands that are imported when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from plait.cli.groups import GroupedCommand

__all__ = ["LazyGroup", "VerbWithSubcommands", "goes_on"]


class LazyGroup(click.Group):
    """A group that imports a subcommand only when it is used, so that ``--help`` is quick.

    Parameters
    ----------
    modules
        For each subcommand, in the order of a user's work, the module that holds a click command named ``command``.
    """

    def __init__(self, *args: Any, modules: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of a user's work."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name."""
        module = self.modules.get(cmd_name)
        if module is None:
            return None
        command: click.Command = importlib.import_module(module).command
        return command


class VerbWithSubcommands(GroupedCommand, LazyGroup):
    """A verb that does something by itself, with options of its own, and has subcommands as well.

    Its callback runs before a subcommand, too, and asks `goes_on` whether that is so.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, invoke_without_command=True, subcommand_metavar="[COMMAND [ARGS]...]", **options)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group, then the subcommands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


def goes_on(context: click.Context) -> bool:
    """Return whether a subcommand of a `VerbWithSubcommands` follows, so that there is nothing for the verb to do.

    Raises
    ------
    click.UsageError
        Options stand before the name of the subcommand, which they would not reach.
    """
    if context.invoked_subcommand is None:
        return False
    for parameter in context.command.params:
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{parameter.opts[0]} is an option of '{context.command_path}' alone; those of "
                f"'{context.invoked_subcommand}' stand after its name",
                context,
            )
    return True
