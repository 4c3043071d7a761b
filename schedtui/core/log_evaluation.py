"""A filter decided from columns and bytes for many records at once; only what is left in doubt is parsed.

Owns the three-valued evaluation of ``core.filter_nodes``: each condition says of each record yes, no, or "parse
it". It gets columns and blocks handed in, and reads and parses nothing itself. What a condition means is
``filter_nodes``'; a condition it does not know is left to the parsed record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from schedtui.core import filter_nodes as nodes
from schedtui.core.filter_text import is_wrapped_oddly, safe_pieces
from schedtui.core.log_headers import UNKNOWN_TIME
from schedtui.core.log_search import SearchPattern, is_insensitive, positions
from schedtui.core.log_sites import UNKNOWN_LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from schedtui.core.log_index import Chunk
    from schedtui.core.log_sites import SiteTable

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+")
_IN_NAME = np.zeros(256, np.bool_)
_IN_NAME[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")] = True

FEW = 200
"""Records of a block that are looked at one by one rather than all at once."""

_ANCHORS = re.compile(r"(?<!\\)(?:\\\\)*(?:[\^$]|\\[AzZ])")
_INFO = ord("I")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of some records: ``sure`` ones pass, ``open`` ones are to be parsed, the others do not."""

    sure: NDArray[np.bool_]
    open: NDArray[np.bool_]

    def opposite(self) -> Verdict:
        """The verdict on the opposite condition."""
        return Verdict(~(self.sure | self.open), self.open)


class Evaluation:
    """One filter over records of one chunk; first from columns alone, then with their text."""

    def __init__(
        self,
        chunk: Chunk,
        sites: SiteTable,
        first: int,
        stop: int,
        block: bytes | None = None,
        starts: NDArray[np.int64] | None = None,
    ) -> None:
        """Prepare.

        Args:
            chunk: The records' columns.
            sites: The log's call sites and their levels.
            first: The first record's index.
            stop: One past the last record's index.
            block: The records' bytes; None to decide from columns what can be decided so.
            starts: Where each record starts in ``block``.
        """
        self._chunk = chunk
        self._sites = sites
        self._range = slice(first, stop)
        self._count = stop - first
        self._block = block
        self._starts = np.zeros(0, np.int64) if starts is None else starts
        self._bare: NDArray[np.bool_] | None = None

    def verdict(self, node: nodes.Node) -> Verdict:
        """Decide a condition."""
        if isinstance(node, nodes.All):
            return self._all([self.verdict(part) for part in node.parts])
        if isinstance(node, nodes.Any):
            return self._any([self.verdict(part) for part in node.parts])
        if isinstance(node, nodes.Not):
            return self.verdict(node.inner).opposite()
        decide = _DECIDERS.get(type(node))
        return self._open_where_possible(node) if decide is None else decide(self, node)

    def _nothing(self) -> NDArray[np.bool_]:
        return np.zeros(self._count, np.bool_)

    def _all(self, parts: list[Verdict]) -> Verdict:
        sure = np.ones(self._count, np.bool_)
        possible = np.ones(self._count, np.bool_)
        for part in parts:
            sure &= part.sure
            possible &= part.sure | part.open
        return Verdict(sure, possible & ~sure)

    def _any(self, parts: list[Verdict]) -> Verdict:
        sure = self._nothing()
        undecided = self._nothing()
        for part in parts:
            sure |= part.sure
            undecided |= part.open
        return Verdict(sure, undecided & ~sure)

    # --- columns

    def severity(self, node: nodes.SeverityIs) -> Verdict:
        """From the severity column."""
        wanted = [ord(letter) for letter in node.letters]
        return Verdict(np.isin(self._chunk.severity[self._range], wanted), self._nothing())

    def level(self, node: nodes.LevelIs) -> Verdict:
        """From the call sites' levels; records of unknown level never fulfil it."""
        levels = self._sites.levels()
        fitting = np.array(
            [v != UNKNOWN_LEVEL and nodes._compare(int(v), node.operator, node.level) for v in levels], np.bool_
        )
        severity = self._chunk.severity[self._range]
        return Verdict(fitting[self._chunk.site[self._range]] & (severity == _INFO), self._nothing())

    def file(self, node: nodes.FileIs) -> Verdict:
        """From the call sites; a directory in the name needs the record."""
        base = nodes.FileIs(node.file.rpartition("/")[2], node.line)
        fitting = np.zeros(len(self._sites.sites), np.bool_)
        for number, site in enumerate(list(self._sites.sites)):
            if number < len(fitting) and site.file and (base.line is None or base.line == site.src_line):
                fitting[number] = base._whole(site.file) or base._whole(site.file.removesuffix(".go"))
        found = fitting[self._chunk.site[self._range]]
        if "/" in node.file:
            return Verdict(self._nothing(), found)
        return Verdict(found, self._nothing())

    def time(self, node: nodes.TimeIs) -> Verdict:
        """From the time column."""
        times = self._chunk.times()[self._range]
        known = times != UNKNOWN_TIME
        if node.time_of_day:
            times = times % nodes.DAY_US
        sure = times <= node.at_us if node.word == "before" else times >= node.at_us
        return Verdict(sure & known, self._nothing())

    # --- bytes

    def _open_where_possible(self, node: nodes.Node) -> Verdict:
        if self._block is None:
            return Verdict(self._nothing(), np.ones(self._count, np.bool_))
        return Verdict(self._nothing(), self._each(node.may_match))

    def _each(self, decide: Callable[[bytes], bool]) -> NDArray[np.bool_]:
        found = self._nothing()
        for position in range(len(self._starts)):
            found[position] = decide(self._raw(position))
        return found

    def _raw(self, position: int) -> bytes:
        block = self._block or b""
        end = int(self._starts[position + 1]) if position + 1 < len(self._starts) else len(block)
        return block[int(self._starts[position]) : end]

    def _is_bare(self) -> NDArray[np.bool_]:
        """Records whose text stands in the file as it is: a klog header or a JSON object at their first byte."""
        if self._bare is None:
            text = np.frombuffer((self._block or b"") + b"\0\0\0\0", np.uint8)
            where = np.zeros(self._count, np.int64)
            where[: len(self._starts)] = self._starts
            one, two, three = text[where], text[where + 1], text[where + 2]
            header = np.isin(one, list(b"IWEF")) & (two >= 0x30) & (two <= 0x39)
            self._bare = header | ((one == 0x7B) & (two == 0x22) & (three == 0x74))
        return self._bare

    def _holding(self, needle: bytes, *, insensitive: bool = False) -> NDArray[np.bool_]:
        return self._flags(SearchPattern("", needle, insensitive, None))

    def _flags(self, pattern: SearchPattern) -> NDArray[np.bool_]:
        found = self._nothing()
        found[: len(self._starts)] = pattern.flags(self._block or b"", self._starts)
        return found

    def text(self, node: nodes.Text) -> Verdict:
        """A word: its bytes decide where no wrapper stands in front; odd wrappers leave it open."""
        if self._block is None:
            return Verdict(self._nothing(), np.ones(self._count, np.bool_))
        insensitive = is_insensitive(node.text)
        if "\ufffd" in node.text or "\n" in node.text or (insensitive and not node.text.isascii()):
            return self._open_where_possible(node)
        needle = node.text.encode("utf-8", "replace")
        found = self._holding(needle.lower() if insensitive else needle, insensitive=insensitive)
        return self._doubted(found)

    def _doubted(self, found: NDArray[np.bool_]) -> Verdict:
        bare = self._is_bare()
        if bare.all():
            return Verdict(found, self._nothing())
        return Verdict(found & bare, ~bare & (found | self._oddly_wrapped()))

    def _oddly_wrapped(self) -> NDArray[np.bool_]:
        odd = self._nothing()
        for position in np.flatnonzero(~self._is_bare()[: len(self._starts)]).tolist():
            odd[position] = is_wrapped_oddly(self._raw(position))
        return odd

    def pattern(self, node: nodes.Pattern) -> Verdict:
        """A regular expression over the block; one with anchors record by record."""
        if self._block is None:
            return Verdict(self._nothing(), np.ones(self._count, np.bool_))
        expression = node.compiled
        if _ANCHORS.search(node.pattern):
            found = self._each(lambda raw: expression.search(raw.removesuffix(b"\n")) is not None)
        else:
            found = self._flags(SearchPattern("", None, False, expression))
        return self._doubted(found)

    def name(self, node: nodes.NameIs) -> Verdict:
        """A pod, node or plugin: the pair as klog writes it is proof, the name's parts a reason to parse."""
        plain = _PLAIN_NAME.fullmatch(node.name) is not None
        return self._pair(node.facet, node.name, node._pieces, exact=plain and self._names(node), whole=plain)

    @staticmethod
    def _names(node: nodes.NameIs) -> bool:
        return node.facet != "pod" or "/" in node.name

    def field(self, node: nodes.FieldIs) -> Verdict:
        """A field: ``key="value"`` is proof, the key's and the value's bytes a reason to parse."""
        pieces = node._pieces
        own = node.key in nodes._OWN_KEYS
        if not own and node.key.isascii():
            pieces = (*pieces, *safe_pieces(node.key))
        return self._pair(node.key, node.value, pieces, exact=node.operator == "=" and not own)

    def _pair(self, key: str, value: str, pieces: Sequence[bytes], *, exact: bool, whole: bool = False) -> Verdict:
        if self._block is None:
            return Verdict(self._nothing(), np.ones(self._count, np.bool_))
        possible = self._holding_all(sorted(set(pieces), key=len, reverse=True), whole=whole)
        if key in ("pod", "node"):
            self._leave_blocks_out(possible, pieces)
        odd = self._nothing() if self._is_bare().all() else self._oddly_wrapped()
        sure = self._nothing()
        if exact and value and value.isascii() and value.isprintable() and not set(value) & set('"\\<>&'):
            pair = self._holding(f' {key}="{value}"'.encode())
            sure = pair & self._is_structured(pair)
        return Verdict(sure, (possible | odd) & ~sure)

    def _holding_whole(self, piece: bytes) -> NDArray[np.bool_]:
        """Records in which a part of a name stands with nothing of a name on either side: node-2, not node-21."""
        block = self._block or b""
        text = np.frombuffer(block + b"\n", np.uint8)
        places = positions(block, piece, insensitive=False)
        places = places[~_IN_NAME[text[places + len(piece)]] & ~_IN_NAME[text[places - 1]]]
        found = self._nothing()
        found[np.searchsorted(self._starts, places, side="right") - 1] = True
        return found

    def _holding_all(self, pieces: Sequence[bytes], *, whole: bool) -> NDArray[np.bool_]:
        possible = np.ones(self._count, np.bool_)
        possible[len(self._starts) :] = False
        for piece in pieces:
            few = np.flatnonzero(possible)
            if len(few) > FEW:
                possible &= self._holding_whole(piece) if whole else self._holding(piece)
                continue
            for position in few.tolist():
                possible[position] = piece in self._raw(position)
        return possible

    def _leave_blocks_out(self, possible: NDArray[np.bool_], pieces: Sequence[bytes]) -> None:
        """Names of pods and nodes are values of one line: lines of a ``key=<`` block are no reason to parse."""
        several = self._chunk.line_counts[self._range] > 1
        for position in np.flatnonzero(possible & several & self._is_bare()).tolist():
            head, *rest = self._raw(position).split(b"\n")
            if head.endswith(b"=<"):
                outside = b"\n".join((head, *(line for line in rest if not line.startswith(b"\t"))))
                possible[position] = all(piece in outside for piece in pieces)

    def _is_structured(self, candidates: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of some records, those of one line whose message stands in quotes: their pairs are no part of a text."""
        block = self._block or b""
        found = self._nothing()
        one_line = self._chunk.line_counts[self._range] == 1
        for position in np.flatnonzero(candidates & one_line & self._is_bare()).tolist():
            start = int(self._starts[position])
            end = block.find(b"]", start, start + 160)
            found[position] = end > 0 and block.startswith(b'] "', end)
        return found


_DECIDERS: dict[type, Callable[[Evaluation, Any], Verdict]] = {
    nodes.SeverityIs: Evaluation.severity,
    nodes.LevelIs: Evaluation.level,
    nodes.FileIs: Evaluation.file,
    nodes.TimeIs: Evaluation.time,
    nodes.Text: Evaluation.text,
    nodes.Pattern: Evaluation.pattern,
    nodes.NameIs: Evaluation.name,
    nodes.FieldIs: Evaluation.field,
}
"""What decides each kind of condition; each takes conditions of its own kind only."""
