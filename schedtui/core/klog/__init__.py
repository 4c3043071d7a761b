"""Scheduler logs of any release and shape, read into ``core.record.Record`` values.

Owns everything between bytes and records: wrappers, headers, years, messages, fields, and which lines belong
together. Refuses to read files (``sources.inputs``), to keep records (``core.log_index``) and to know what a
message means for the queue (``core.events``). Never raises on any bytes.
"""

from __future__ import annotations

from schedtui.core.klog.assembly import RecordReader, parse_record, read_records, split_records
from schedtui.core.klog.clock import Clock, clock_for, first_year, parse_iso_time
from schedtui.core.klog.fields import parse_pairs
from schedtui.core.klog.header import FULL_HEADER, Header, parse_header
from schedtui.core.klog.lines import LineClass, classify, lost_lines, starts_record
from schedtui.core.klog.wrappers import Peeled, peel

__all__ = [
    "FULL_HEADER",
    "Clock",
    "Header",
    "LineClass",
    "Peeled",
    "RecordReader",
    "classify",
    "clock_for",
    "first_year",
    "lost_lines",
    "parse_header",
    "parse_iso_time",
    "parse_pairs",
    "parse_record",
    "peel",
    "read_records",
    "split_records",
    "starts_record",
]
