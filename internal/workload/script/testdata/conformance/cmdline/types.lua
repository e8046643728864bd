-- run: run --events=1 --time=0 --verbosity=0
-- run: run --events=1 --time=0 --verbosity=0 --b=off --bo --i=5 --s=3K --d=2.5 --st=text=x --l=a,,b --dash-opt=7 --under-score=8
-- run: run --events=1 --time=0 --verbosity=0 --b --i= --s= --d= --st= --l= --n=7.9 --dash_opt=x
-- run: run --events=1 --time=0 --verbosity=0 --n=abc --s=3q --l=one
sysbench.cmdline.options = {
   b = {"boolean", true},
   bo = {"boolean by type", nil, sysbench.cmdline.ARG_BOOL},
   i = {"int", 3, sysbench.cmdline.ARG_INT},
   i0 = {"int without default", nil, sysbench.cmdline.ARG_INT},
   s = {"size", 1024, sysbench.cmdline.ARG_SIZE},
   d = {"double", 1.5, sysbench.cmdline.ARG_DOUBLE},
   d0 = {"double without default", nil, sysbench.cmdline.ARG_DOUBLE},
   st = {"string", "abc"},
   st0 = {"string without default"},
   l = {"list", {"x", "y"}},
   l0 = {"list without default", nil, sysbench.cmdline.ARG_LIST},
   n = {"number", 10},
   ["dash-opt"] = {"dash", 1},
   under_score = {"underscore", 2},
}
function event()
   for _, k in ipairs{"b", "bo", "i", "i0", "s", "d", "d0", "st", "st0", "l", "l0", "n", "dash_opt", "under_score"} do
      local v = sysbench.opt[k]
      print(k, type(v), type(v) == "table" and #v .. ":" .. table.concat(v, "|") or v)
   end
end
