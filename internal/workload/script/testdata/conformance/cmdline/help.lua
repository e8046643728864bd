-- run: help
sysbench.cmdline.options = {
   zeta = {"last by name", "z"}, alpha = {"boolean", false}, num = {"number", 1.5}, int = {"int", 3, sysbench.cmdline.ARG_INT},
   size = {"size", "1M", sysbench.cmdline.ARG_SIZE}, list = {"a list", {"a", "b"}}, empty = {"empty text", ""}, none = {"no default"},
   ["dash-opt"] = {"with dash", 2}, under_score = {"with underscore", 10/3},
}
