package lua

// builtinNumbers has the numbers by which LuaJIT names functions of its library: tostring(print) is "function: builtin#29".
var builtinNumbers = map[string]map[string]uint16{
	"_G": {
		"assert": 2, "collectgarbage": 27, "dofile": 25, "error": 19, "gcinfo": 26, "getfenv": 10, "getmetatable": 8,
		"ipairs": 7, "load": 23, "loadfile": 22, "loadstring": 24, "newproxy": 28, "next": 4, "pairs": 5, "pcall": 20,
		"print": 29, "rawequal": 14, "rawget": 12, "rawset": 13, "select": 16, "setfenv": 11, "setmetatable": 9, "tonumber": 17,
		"tostring": 18, "type": 3, "unpack": 15, "xpcall": 21,
	},
	"coroutine": {
		"create": 33, "isyieldable": 32, "resume": 35, "running": 31, "status": 30, "wrap": 37, "yield": 34,
	},
	"debug": {
		"debug": 141, "getfenv": 130, "gethook": 140, "getinfo": 132, "getlocal": 133, "getmetatable": 128, "getregistry": 127,
		"getupvalue": 135, "setfenv": 131, "sethook": 139, "setlocal": 134, "setmetatable": 129, "setupvalue": 136, "traceback": 142,
		"upvalueid": 137, "upvaluejoin": 138,
	},
	"file": {
		"close": 96, "flush": 99, "lines": 102, "read": 97, "seek": 100, "setvbuf": 101, "write": 98,
	},
	"io": {
		"close": 108, "flush": 111, "input": 112, "lines": 114, "open": 105, "output": 113, "popen": 106, "read": 109,
		"tmpfile": 107, "type": 115, "write": 110,
	},
	"math": {
		"abs": 38, "acos": 48, "asin": 47, "atan": 49, "atan2": 56, "ceil": 40, "cos": 45, "cosh": 51, "exp": 43, "floor": 39,
		"fmod": 58, "frexp": 53, "ldexp": 59, "log": 55, "log10": 42, "max": 61, "min": 60, "modf": 54, "pow": 57, "random": 62,
		"randomseed": 63, "sin": 44, "sinh": 50, "sqrt": 41, "tan": 46, "tanh": 52,
	},
	"os": {
		"clock": 122, "date": 123, "difftime": 125, "execute": 116, "exit": 121, "getenv": 120, "remove": 117, "rename": 118,
		"setlocale": 126, "time": 124, "tmpname": 119,
	},
	"string": {
		"byte": 76, "char": 77, "dump": 83, "find": 84, "format": 89, "gmatch": 87, "gsub": 88, "lower": 81, "match": 85,
		"rep": 79, "reverse": 80, "sub": 78, "upper": 82,
	},
	"table": {
		"concat": 92, "insert": 91, "maxn": 90, "sort": 93,
	},
}

// nameBuiltins gives the functions of a library their numbers.
func nameBuiltins(lib string, tb *LTable) {
	for name, n := range builtinNumbers[lib] {
		if fn, ok := tb.RawGetString(name).(*LFunction); ok {
			fn.builtin = n
		}
	}
}
