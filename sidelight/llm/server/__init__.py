"""A model server: asked over HTTP, looked at, or started and ended here."""
