"""``plait completion``: the words that a shell offers when Tab is pressed."""

from __future__ import annotations

import click
from click import shell_completion
from click.shell_completion import CompletionItem, ShellComplete

from plait.cli.groups import GroupedCommand

__all__ = ["SHELLS", "VARIABLE", "command", "register"]

# What click looks for in the environment when a shell asks for completions of `plait`.
VARIABLE = "_PLAIT_COMPLETE"

EXAMPLES = """
plait completion bash >> ~/.bashrc
plait completion zsh >> ~/.zshrc
plait completion fish > ~/.config/fish/completions/plait.fish
"""


class _OrFiles(ShellComplete):
    """Offers files where click knows nothing: most values of ours are names of files, and click takes them for text."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return what can stand where the cursor is."""
        found = super().get_completions(args, incomplete)
        return found or [CompletionItem(incomplete, type="file")]


class _Bash(_OrFiles, shell_completion.BashComplete):
    pass


class _Zsh(_OrFiles, shell_completion.ZshComplete):
    pass


class _Fish(_OrFiles, shell_completion.FishComplete):
    pass


SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def register() -> None:
    """Make click answer shells by these classes."""
    for name, shell in SHELLS.items():
        shell_completion.add_completion_class(shell, name)


@click.command(
    cls=GroupedCommand, has_config=False, examples=EXAMPLES, short_help="Make a shell complete verbs, options, files."
)
@click.argument("shell", type=click.Choice([*SHELLS]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Write the lines that make SHELL complete plait's verbs, options and their values."""
    click.echo(SHELLS[shell](context.find_root().command, {}, "plait", VARIABLE).source(), nl=False)
