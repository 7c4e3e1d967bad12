"""Page of a run: results, the investigation behind them, and their assessment."""
