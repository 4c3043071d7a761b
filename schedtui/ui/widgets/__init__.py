"""Panes and their parts; each shows values and posts wishes."""
