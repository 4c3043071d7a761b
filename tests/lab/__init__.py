"""Tests of the lab: its data, its builds, and real labs."""
