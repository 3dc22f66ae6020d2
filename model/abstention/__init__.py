"""Did the generator decline to answer? Rules on the wording of the answer give A."""
