"""From settings to objects: the only factory, in one module per kind of object."""
