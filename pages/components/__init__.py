"""The parts of pages: pure functions from tables and texts to HTML and charts, and the stores."""
