package script

import (
	"testing"

	"deltabench/internal/workload/workloadtest"
)

// The numbers are what sysbench 1.0.20 prints at the top level of a script.
func TestRandomNumbers(t *testing.T) {
	t.Parallel()
	check(t, printed(t, &workloadtest.Driver{}, false, `
local r = sysbench.rand
print(r.uniform_uint64(), r.uniform_uint64(), type(r.uniform_uint64()))
for i = 1, 3 do print(r.uniform_double()) end
for i = 1, 3 do print(r.uniform(1, 100), r.default(1, 100), r.gaussian(1, 100), r.special(1, 100), r.pareto(1, 100)) end
print(r.unique(), r.unique(), r.unique(5, 6))
print(r.string("###-@@@-x"), r.string(""), r.string("no marks"))
`), `
14972179374201007161ULL	6937875558910519049ULL	cdata
0.62129920160438
0.80206063799231
0.62603832206435
42	59	45	51	19
57	58	45	51	25
73	50	38	61	6
2672933100	2916245674	2834291422
405-app-x		no marks
`)
	check(t, printed(t, &workloadtest.Driver{}, false, `
local r = sysbench.rand
print(r.uniform(1.9, 1.1), r.uniform(5, 5), r.uniform(0, 2^32 - 1), r.uniform(-3, -3), r.uniform(7LL, 7ULL), r.uniform(true, 1))
for i = 1, 100 do
  local s = r.varstring(3, 5)
  assert(#s >= 3 and #s <= 5 and s:match("^[0-z]*$"), s)
  local z = r.zipfian(10, 20)
  assert(z >= 10 and z <= 20 and z % 1 == 0)
end
print(#r.varstring(0, 1) <= 1, #r.varstring(40, 40))
for _, f in ipairs{r.uniform, r.string, r.varstring, r.zipfian} do print(pcall(f)) end
print(pcall(r.varstring, 5, 4)) print(pcall(r.varstring, 0, 0)) print(pcall(r.pareto, 1, {})) print(pcall(r.string, {}))
`), `
1	5	0	4294967293	7	1
true	40
false	bad argument #1 to '?' (cannot convert 'nil' to 'unsigned int')
false	[string "sysbench.rand.lua"]:66: attempt to get length of local 'fmt' (a nil value)
false	bad argument #1 to '?' (cannot convert 'nil' to 'unsigned int')
false	bad argument #1 to '?' (cannot convert 'nil' to 'unsigned int')
false	varstring: the shortest length is above the longest
false	varstring: the longest length must be at least 1
false	bad argument #2 to '?' (cannot convert 'table' to 'unsigned int')
false	[string "sysbench.rand.lua"]:66: bad argument #1 to 'sb_rand_str' (cannot convert 'table' to 'const char *')
`)
}

// The tables are what sysbench 1.0.20 prints.
func TestHistograms(t *testing.T) {
	t.Parallel()
	check(t, printed(t, &workloadtest.Driver{}, false, `
local h = sysbench.histogram.new(1000, 1, 10)
print(type(h), tostring(h))
h:print()
for _, v in ipairs{1, 2, 0, 10, 100, 5.001} do h:update(v) end
h:print()
for _, f in ipairs{function() h:update("x") end, function() return h.size end, function() h.print(5) end, function() sysbench.histogram.new("x") end,
  function() sysbench.histogram.new(1, 1, 2) end, function() sysbench.histogram.new(10, 2, 2) end, function() sysbench.histogram.new(10, 0, 2) end,
  function() sysbench.histogram.new(1e12, 1, 2) end} do print(select(2, pcall(f))) end
`), `
cdata	<histogram>
       value  ------------- distribution ------------- count
       1.000 |**************************************** 2
       2.001 |********************                     1
       4.997 |********************                     1
      10.000 |**************************************** 2
[string "sysbench.histogram.lua"]:51: bad argument #2 to 'sb_histogram_update' (cannot convert 'string' to 'double')
x.lua:7: 'struct histogram' has no member named 'size'
x.lua:7: bad argument #1 to 'print' (histogram expected, got number)
[string "sysbench.histogram.lua"]:65: bad argument #1 to 'sb_histogram_new' (cannot convert 'string' to 'uint64_t')
x.lua:8: a histogram needs 2 to 16777216 buckets, and bounds that are positive and in order
x.lua:8: a histogram needs 2 to 16777216 buckets, and bounds that are positive and in order
x.lua:8: a histogram needs 2 to 16777216 buckets, and bounds that are positive and in order
x.lua:9: a histogram needs 2 to 16777216 buckets, and bounds that are positive and in order
`)
}
