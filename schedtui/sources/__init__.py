"""Where log bytes come from: files, rotation, standard input."""
