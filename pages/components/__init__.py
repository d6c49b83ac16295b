"""What pages are made of: pure functions from tables and texts to HTML and charts, and the stores."""
