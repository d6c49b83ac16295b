"""What the page Adjudicate is made of."""
