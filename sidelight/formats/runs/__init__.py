"""Files that a run is submitted as."""
