"""What runs behind the screen: preparation, debugger, log store, queue fold, checks.

``session`` owns them while the panes are up, ``prepare`` gets there. Each part has one owner thread, posts
messages of ``ui.messages`` and is joined when the session closes.
"""
