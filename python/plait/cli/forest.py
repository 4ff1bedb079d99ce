"""``plait forest``: packed forests and lattices in files, one subcommand for each thing to do with them."""

from __future__ import annotations

import importlib

import click

# subcommand -> module; the module holds a click command named `command`.
COMMANDS = {
    "info": "plait.cli.forest_info",
    "convert": "plait.cli.forest_convert",
    "kbest": "plait.cli.forest_kbest",
    "expect": "plait.cli.forest_expect",
    "prune": "plait.cli.forest_prune",
    "draw": "plait.cli.forest_draw",
}


class LazyForestGroup(click.Group):
    """A group that imports a subcommand only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the subcommands in the order of a user's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand of this name."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = importlib.import_module(module).command
        return command


@click.group(cls=LazyForestGroup, short_help="Packed forests and lattices: sizes, formats, k best, expectations.")
def command() -> None:
    """Look at packed forests and lattices, convert them, and compute with them.

    Files of cdec, Moses, lazy, Joshua, Travatar, Egret, HTK and OpenFst, lattices in PLF, n-best lists, and plait's
    own; compressed or not. The start of a file tells its format; --format names it where it does not.

    \b
    Examples:
      plait forest info forest.json.gz
      plait forest convert forest.json.gz forest.plait
      plait forest expect forest.json.gz --weights weights.txt --json
    """
