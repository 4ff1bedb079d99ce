"""XML of strangers, read by the standard library's expat: nothing is fetched, no entity of a file's own is expanded."""

from __future__ import annotations

from xml.parsers import expat

from plait.errors import TextError

__all__ = ["GuardedXml"]


class GuardedXml:
    """A reader of elements and their text; a subclass says what they mean in `_start`, `_end` and `_characters`.

    Parameters
    ----------
    name
        The file, for messages.
    remedy
        What to do about a file that is not well-formed.
    """

    def __init__(self, name: str, remedy: str) -> None:
        self._name, self._remedy = name, remedy
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._entity_declaration
        self._parser.SkippedEntityHandler = self._unknown_entity

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        raise NotImplementedError

    def _end(self, tag: str) -> None:
        raise NotImplementedError

    def _characters(self, text: str) -> None:
        raise NotImplementedError

    def _parse(self, block: bytes, is_last: bool) -> None:
        """Read the next bytes.

        Raises
        ------
        plait.errors.TextError
            They are not well-formed XML, declare entities or an encoding that cannot be read, or name an entity that is
            not defined.
        """
        try:
            self._parser.Parse(block, is_last)
        except expat.ExpatError as problem:
            raise TextError(
                line=problem.lineno,
                column=problem.offset + 1,
                problem=f"the file is not well-formed XML; {self._remedy}",
                found=expat.ErrorString(problem.code),
                path=self._name,
            ) from None
        except TextError:  # of a handler; it is a ValueError, too
            raise
        except (LookupError, ValueError) as problem:
            # expat asks Python for the encoding that a file declares; Python may not know it, or only a codec of bytes.
            raise TextError(
                line=1,
                column=1,
                problem="the encoding that the XML declares cannot be read; convert the file to UTF-8",
                found=str(problem),
                path=self._name,
            ) from None

    def _refuse(self, problem: str, found: str) -> TextError:
        return TextError(
            line=self._parser.CurrentLineNumber,
            column=self._parser.CurrentColumnNumber + 1,
            problem=problem,
            found=found,
            path=self._name,
        )

    def _doctype(self, name: str, system: str | None, public: str | None, has_internal_subset: bool) -> None:
        if has_internal_subset:
            raise self._refuse(
                "declarations inside DOCTYPE are not read, for they can make a small file huge; remove them",
                f"<!DOCTYPE {name} [...",
            )

    def _entity_declaration(self, name: str, *_: object) -> None:
        # Not reached while DOCTYPE is refused first; here so that no entity is ever expanded.
        raise self._refuse("entities of a file's own are not expanded; remove them", f"<!ENTITY {name}")

    def _unknown_entity(self, name: str, is_parameter_entity: bool) -> None:
        if not is_parameter_entity:
            raise self._refuse("the entity is not defined; write the character itself", f"&{name};")
