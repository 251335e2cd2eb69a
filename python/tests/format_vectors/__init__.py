# SPDX-License-Identifier: Apache-2.0
"""The vectors of every format and option, ``vectors/formats_*.json``: how they are made and read.

A file is a list of cases. `record` computes a case from its inputs, and the inputs of a case are
part of it: so a test computes every case again and compares. New cases are written by
``PYTHONPATH=python/tests python -m format_vectors FOLDER``, never over a file that exists.
"""
