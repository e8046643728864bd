-- run: run
require("broken")
