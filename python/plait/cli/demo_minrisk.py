"""``plait demo minrisk``: minimum-risk training of a small translation system, beside minimum error rate training."""

import click

from plait.cli.groups import GroupedCommand

EXAMPLES = """
plait demo minrisk
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Train a translation system for less risk.")
def command() -> None:
    """Train."""
