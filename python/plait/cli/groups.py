"""Options in groups, so that ``--help`` reads by task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from plait.io.streams import display_name

F = TypeVar("F", bound=Callable[..., Any])


_NUMBERS = ((click.types.IntParamType, "N"), (click.types.FloatParamType, "X"))


class GroupedOption(click.Option):
    """An option that knows the heading it stands under."""

    def __init__(self, *args: Any, group: str = "Other", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group
        if self.metavar is None and not self.is_flag:
            # Short names of numbers, for which click has INTEGER RANGE and the like.
            self.metavar = next((name for kind, name in _NUMBERS if isinstance(self.type, kind)), None)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return what was given, and where; keep it as it was given."""
        value, source = super().consume_value(ctx, opts)
        ctx.meta.setdefault(_GIVEN, {})[self.name] = value
        return value, source


class GroupedCommand(click.Command):
    """A command whose help lists options under their headings, in the order of first use, and then its examples.

    Parameters
    ----------
    examples
        Lines for the end of the help.
    has_config
        Whether options can come from a file: ``--config`` and ``--print-config``. Commands in place of other programs
        have the options of those.
    """

    def __init__(self, *args: Any, examples: str = "", has_config: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples
        if has_config:
            self.params.extend([_CONFIG, _PRINT_CONFIG])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; a value out of a file that does not fit names the file."""
        try:
            with self._nothing_required("--print-config" in args and _PRINT_CONFIG in self.params):
                return super().parse_args(ctx, args)
        except click.BadParameter as problem:
            name = problem.param.name if problem.param else None
            if name is None or ctx.get_parameter_source(name) is not ParameterSource.DEFAULT_MAP:
                raise
            message = f"{problem.format_message()} (in {ctx.meta[_PLACE]})"
            raise click.UsageError(message, ctx) from None

    @contextmanager
    def _nothing_required(self, is_so: bool) -> Iterator[None]:
        """Let options and arguments be absent for as long as this lasts, if that is so."""
        required = [parameter for parameter in self.params if parameter.required] if is_so else []
        for parameter in required:
            parameter.required = False
        try:
            yield
        finally:
            for parameter in required:
                parameter.required = True

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, or write the values of its options."""
        if not ctx.meta.get(_IS_PRINTING):
            return super().invoke(ctx)
        from plait.cli.configuration import as_toml

        values = {name: _shown(ctx, option) for name, option in settable(self).items()}
        click.echo(as_toml(_verb(ctx), values), nl=False)
        return None

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


_PLACE, _IS_PRINTING, _GIVEN = "plait.config.place", "plait.config.is_printing", "plait.config.given"


def _shown(context: click.Context, option: click.Option) -> Any:
    """Return the value of an option for a file: as it is used, where a file can say that, or as it was given."""
    value = context.params.get(str(option.name))
    is_list = option.multiple or option.nargs != 1
    if value is None or isinstance(value, bool | int | float | str) or (is_list and isinstance(value, list | tuple)):
        return value
    given = context.meta.get(_GIVEN, {}).get(option.name)
    return given if isinstance(given, bool | int | float | str) else None


def settable(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command that a file can set, by their long names."""
    options = [option for option in command.params if isinstance(option, click.Option) and option.expose_value]
    named = {_long_name(option): option for option in options}
    return {name: option for name, option in named.items() if name}


def _long_name(option: click.Option) -> str:
    return next((name[2:] for name in option.opts if name.startswith("--")), "")


def _verb(context: click.Context) -> list[str]:
    """Return the words of the command behind ``plait``."""
    words: list[str] = []
    place: click.Context | None = context
    while place is not None and place.parent is not None:
        words.insert(0, str(place.info_name))
        place = place.parent
    return words


def _read(context: click.Context, parameter: click.Parameter, path: str | None) -> None:
    if path is None or context.resilient_parsing:
        return
    from plait.cli.configuration import read_table, refuse_strangers

    verb = _verb(context)
    place = f"{display_name(path)}, [{'.'.join(verb)}]"
    context.meta[_PLACE] = place
    context.default_map = refuse_strangers(read_table(path, verb), settable(context.command), place)


def _print(context: click.Context, parameter: click.Parameter, is_wanted: bool) -> None:
    context.meta[_IS_PRINTING] = is_wanted


_CONFIG = GroupedOption(
    ["--config"],
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_read,
    help="Read options from the verb's table of a TOML file; the command line goes before it.",
)
_PRINT_CONFIG = GroupedOption(
    ["--print-config"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print,
    help="Write the options as such a file, and do nothing else.",
)
