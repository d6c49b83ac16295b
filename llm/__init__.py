"""Language models: clients, the record of their calls, prompts, and a judge of pairs."""
