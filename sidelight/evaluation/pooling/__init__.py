"""Questions of several groups put together, for which documents are to be found."""
