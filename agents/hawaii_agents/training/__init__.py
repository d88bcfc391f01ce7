"""Training by self-play, and measuring policies by training against them: the commands ``hawaii train``,
``expert-iteration``, ``imitate``, ``best-response`` and ``league``. They need the extra ``train``.
"""
