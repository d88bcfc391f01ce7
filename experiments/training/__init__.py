"""Modules that the scripts of experiments/ share: the kernels of training, settings and files, evaluation, levers."""
