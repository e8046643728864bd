-- run: run
require("no.such.module")
