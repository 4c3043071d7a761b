"""What schedtui knows, as pure values and folds: no I/O, no threads, no terminal."""
