"""Topics to a run: the runner, one run on disk, the log of its calls, and files for upload."""
