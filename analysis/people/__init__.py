"""What people (and language models as judges) say: reliability, rankings of systems, marks of keywords."""
