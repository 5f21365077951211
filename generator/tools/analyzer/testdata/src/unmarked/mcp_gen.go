package unmarked
