"""The forms of the filter language and what each does: the table that every help shows.

Owns the words only; it imports nothing, so that ``--help`` is quick. The grammar is ``filter_syntax``'.
"""

from __future__ import annotations

FILTER_HELP: tuple[tuple[str, str], ...] = (
    ("word", "records with this text (capitals matter only where you type some)"),
    ('"two words"', "this text, blanks included"),
    ("/reg.x/", "a regular expression (RE2); /x/i ignores case, /x/c does not"),
    ("pod:ns/name", "about this pod; pod:name in any namespace; * for anything: pod:web-*"),
    ("node:name plugin:Name", "naming this node, this plugin (under any key, in any release)"),
    ("severity>=W", "warnings and worse; severity:E, sev<W"),
    ("v<=4", "verbosity level, where it is known; v:? where it is not"),
    ("file:schedule_one.go", "logged by this file; schedule_one.go:302 by this line"),
    ("key:text key=value", "a field that holds the text, that is exactly the value; key:* that is there"),
    ("attempts>3", "a field compared as a number: > >= < <="),
    ("after:10:32:05", "from this time on; before:…; 2026-11-30T10:32 with a date"),
    ("-5m", "the last five minutes of the log; also 30s, 2h, 1d, 1h30m"),
    ("a b", "both; a | b one of them; !a not; (a | b) c in groups"),
)
"""Each form of the language and what it does, for the help."""
