"""Whole screens and what lies over them."""
