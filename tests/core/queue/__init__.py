"""Tests of the queue model, its check, stories and reports."""
