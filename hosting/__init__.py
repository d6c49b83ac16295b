"""What a server of many people needs: accounts, sign-in, links, the gate before the app, and its operation."""
