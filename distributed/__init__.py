"""Work on many documents: shards of files, in this process or on a cluster of Ray."""
