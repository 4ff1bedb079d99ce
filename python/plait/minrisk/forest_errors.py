"""Errors that say which of many forests they are about."""

from __future__ import annotations

from plait.errors import ConfigError, CycleError, DataError, ResourceError

__all__ = ["ForestErrors"]


class ForestErrors:
    """Puts the number of a forest, from 0, before what an error says."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, CycleError):
            message = f"forest {self._number}: {error}"
            raise CycleError(cycle=list(error.cycle), problem=error.problem, message=message) from None
        if isinstance(error, ConfigError):
            raise ConfigError(f"forest {self._number}: {error}") from None
        if isinstance(error, DataError):
            raise DataError(f"forest {self._number}: {error}") from None
        if isinstance(error, ResourceError):
            raise ResourceError(f"forest {self._number}: {error}") from None
