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
from schedtui.core.filter_fields import OWN_KEYS, FieldIs
from schedtui.core.filter_text import compare, is_wrapped_oddly, safe_pieces
from schedtui.core.log_headers import UNKNOWN_TIME
from schedtui.core.log_search import SearchPattern, is_insensitive, positions
from schedtui.core.log_sites import UNKNOWN_LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from schedtui.core.filter_proof import Proof
    from schedtui.core.log_chunk import Chunk
    from schedtui.core.log_sites import SiteTable

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+")
_IN_NAME = np.zeros(256, np.bool_)
# Without the dot: it ends sentences, and stands in front of a plugin in a logger's name.
_IN_NAME[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")] = True

_LETTERS = np.zeros(256, np.bool_)
_LETTERS[list(b"IWEF")] = True
_TAB = 0x09

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
            [v != UNKNOWN_LEVEL and compare(int(v), node.operator, node.level) for v in levels], np.bool_
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
            block = self._block or b""
            text = np.frombuffer(block, np.uint8)
            self._bare = self._nothing()
            # The last record may be shorter than what tells its shape.
            inside = self._starts[self._starts + 2 < len(text)]
            one, two = text[inside], text[inside + 1]
            bare = _LETTERS[one] & (two >= 0x30) & (two <= 0x39)
            if not bare.all():
                bare |= (one == 0x7B) & (two == 0x22) & (text[inside + 2] == 0x74)
            self._bare[: len(inside)] = bare
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
        return self._pair(node.facet, node._pieces, node.proof, whole=plain)

    def field(self, node: FieldIs) -> Verdict:
        """A field: ``key="value"`` is proof, the key's and the value's bytes a reason to parse."""
        pieces = node._pieces
        if node.key not in OWN_KEYS and node.key.isascii():
            pieces = (*pieces, *safe_pieces(node.key))
        return self._pair(node.key, pieces, node.proof)

    def _pair(self, key: str, pieces: Sequence[bytes], proof: Proof | None, *, whole: bool = False) -> Verdict:
        if self._block is None:
            return Verdict(self._nothing(), np.ones(self._count, np.bool_))
        sure, possible = self._nothing(), np.ones(self._count, np.bool_)
        possible[len(self._starts) :] = False
        others = sorted(set(pieces), key=len, reverse=True)
        lead = proof.lead if proof is not None else others[0] if others else b""
        if lead in others:
            others.remove(lead)
            places = self._places(lead, whole=whole)
            records = np.searchsorted(self._starts, places, side="right") - 1
            if key in ("pod", "node"):
                places, records = self._outside_blocks(places, records)
            possible[:] = False
            possible[records] = True
            if proof is not None:
                sure = self._proven(proof, places, records)
        odd = self._nothing() if self._is_bare().all() else self._oddly_wrapped()
        possible &= ~sure
        self._keep_holding(possible, others, whole=whole)
        return Verdict(sure, (possible | odd) & ~sure)

    def _places(self, piece: bytes, *, whole: bool) -> NDArray[np.int64]:
        """Where a part of a name stands; whole: with nothing of a name on either side (node-2, not node-21)."""
        block = self._block or b""
        places = positions(block, piece, insensitive=False)
        if not whole or not len(places):
            return places
        text = np.frombuffer(block, np.uint8)
        behind = places + len(piece)
        inside = behind < len(text)
        behind[~inside] = 0
        return places[~(_IN_NAME[text[behind]] & inside) & ~(_IN_NAME[text[places - 1]] & (places > 0))]

    def _keep_holding(self, possible: NDArray[np.bool_], pieces: Sequence[bytes], *, whole: bool) -> None:
        """Take away the records in which one of the parts does not stand."""
        for piece in pieces:
            few = np.flatnonzero(possible)
            if len(few) > FEW:
                found = self._nothing()
                found[np.searchsorted(self._starts, self._places(piece, whole=whole), side="right") - 1] = True
                possible &= found
                continue
            for position in few.tolist():
                possible[position] = piece in self._raw(position)

    def _outside_blocks(
        self, places: NDArray[np.int64], records: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Names of pods and nodes are values of one line: lines of a ``key=<`` block are no reason to parse."""
        several = self._chunk.line_counts[self._range] > 1
        doubtful = np.flatnonzero(several[records] & self._is_bare()[records])
        if not len(doubtful):
            return places, records
        block = self._block or b""
        keep = np.ones(len(places), np.bool_)
        opens: dict[int, bool] = {}
        for place, at, record in zip(
            doubtful.tolist(), places[doubtful].tolist(), records[doubtful].tolist(), strict=True
        ):
            if block[block.rfind(b"\n", 0, at) + 1] != _TAB:
                continue
            if record not in opens:
                end = block.find(b"\n", int(self._starts[record]))
                opens[record] = block.startswith(b"=<", max(end - 2, 0))
            keep[place] = not opens[record]
        return places[keep], records[keep]

    def _proven(self, proof: Proof, places: NDArray[np.int64], records: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Records of one plain line in which one of the places proves the pair."""
        block = self._block or b""
        proven = self._nothing()
        starts = self._starts[records].tolist()
        for place, record, start in zip(places.tolist(), records.tolist(), starts, strict=True):
            if not proven[record] and proof.holds(block, start, place):
                proven[record] = True
        return proven & self._is_structured(proven)

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
    FieldIs: Evaluation.field,
}
"""What decides each kind of condition; each takes conditions of its own kind only."""
