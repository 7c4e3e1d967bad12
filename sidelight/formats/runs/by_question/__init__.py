"""Runs that answer to the questions of a topic, one by one."""
