"""Driving Delve: breakpoints, session, replies, and the thread that owns them."""
