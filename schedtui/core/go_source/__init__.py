"""Go source as values: functions with their lines, log calls, and the V levels that flow into them.

Bytes in, frozen values out. No file is opened here and nothing is cached: ``toolchain`` does both.
"""
