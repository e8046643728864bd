#!/usr/bin/env sysbench
-- run:
-- the first line is for the shell
print(debug.getinfo(1, "l").currentline)
error("in line 5")
