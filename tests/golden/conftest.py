"""Commands run in a folder of their own."""

from plait_fixture import plait

__all__ = ["plait"]
