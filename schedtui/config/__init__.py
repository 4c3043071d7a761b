"""What schedtui keeps on disk: the user's configuration, state of its own, and the logs of earlier runs.

Owns directories (``directories``), the configuration file (``settings``), private writes (``files``), what is
remembered per checkout (``state``) and kept run logs (``run_logs``). It starts nothing, asks no tool and knows no
screen; what the settings mean is the business of whoever reads them.
"""
