"""Benchmarks: figures to compare, never tests that can fail by a slow machine."""
