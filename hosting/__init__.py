"""The parts of a server for many people: accounts, sign-in, links, the gate before the app, and its operation."""
