"""One file format a module: read it, write it, and say line by line what is wrong with it."""
