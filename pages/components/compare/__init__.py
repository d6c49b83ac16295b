"""Two sources of preferences side by side: which they are, what they say of metrics, and the pairs where they part."""
