"""Processes beside this one, for what is slow or needs models: all are started, heard, cancelled and ended alike.

Each is a fresh interpreter (`child`), niced, without the server's secrets. It ends with the process that started it, by
whatever means that ends. A `worker` carries out calls, says how far it is, and returns a result or what was raised; it
is cancelled by being ended. `mapping` shares a list of items among several of them, `pool` the calls of all sessions of
a server. `runs` are written down in the database: their progress, cancelling and end stand there, where every server
and session sees them.
"""
