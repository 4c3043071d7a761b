"""YAML that people wrote, read so that one kind of error comes of whatever it holds.

Owns the loader. PyYAML's own lets Python's errors through: a month 13, a number of 5000 digits, a tag that its
value does not bear, brackets without end. It makes plain values only and knows no format: what they should be is
the caller's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from yaml.constructor import ConstructorError

if TYPE_CHECKING:
    from yaml.nodes import Node


class PlainLoader(yaml.SafeLoader):
    """Makes plain values, and tells the line of one that cannot be made."""

    def construct_object(self, node: Node, deep: bool = False) -> Any:  # noqa: ANN401  # whatever the file holds
        """Make the value of a node."""
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError) as error:
            kind = node.tag.rpartition(":")[2]
            raise ConstructorError(None, None, f"this is no {kind} ({error})", node.start_mark) from error


def yaml_documents(text: str, loader: type[PlainLoader] = PlainLoader) -> list[Any]:
    """Every document in ``text``.

    Raises:
        yaml.YAMLError: It is no YAML, holds a value that is none, or is nested too deep.
    """
    try:
        return list(yaml.load_all(text, loader))
    except RecursionError as error:
        raise yaml.YAMLError("the brackets or blocks are nested too deep") from error


def yaml_document(text: str, loader: type[PlainLoader] = PlainLoader) -> Any:  # noqa: ANN401  # see above
    """The one document in ``text``; None when there is none.

    Raises:
        yaml.YAMLError: See ``yaml_documents``, or there are several.
    """
    documents = yaml_documents(text, loader)
    if len(documents) > 1:
        raise yaml.YAMLError("it holds several documents; one is expected")
    return documents[0] if documents else None
