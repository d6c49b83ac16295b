"""Work on many documents at once: shards of files, in this process or on a cluster of Ray."""
