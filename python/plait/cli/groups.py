"""Options in groups, so that ``--help`` reads by task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class GroupedOption(click.Option):
    """An option that knows the heading it stands under."""

    def __init__(self, *args: Any, group: str = "Other", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help lists options under their headings, in the order of first use, and then its examples."""

    def __init__(self, *args: Any, examples: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            # Arguments are explained in the text above.
            record = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(parameter, "group", "Other"), []).append(record)
        for heading, records in sorted(groups.items(), key=lambda group: group[0] == "Other"):
            with formatter.section(heading):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are."""
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip("\n").splitlines():
                    formatter.write(f"  {line}\n")


def option(group: str, *declarations: str, **attributes: Any) -> Callable[[F], F]:
    """Declare an option under a heading; shows its default unless told otherwise."""
    attributes.setdefault("show_default", True)
    return click.option(*declarations, cls=GroupedOption, group=group, **attributes)


def together(*declarations: Callable[[F], F]) -> Callable[[F], F]:
    """Make one decorator of several options, listed in this order."""

    def declare(function: F) -> F:
        # Click lists options in the opposite order of their declaration.
        for declaration in reversed(declarations):
            function = declaration(function)
        return function

    return declare
