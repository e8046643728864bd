-- run:
local m = require("beside")
print(m.value, package.loaded.beside == m, require("beside") == m, require("sub.deep"))
print(dofile("beside.lua").value, loadfile("missing.lua"))
print(pcall(require, "broken"))
print(pcall(dofile, "missing.lua"))
package.preload.virtual = function(name) return "made " .. name end
print(require("virtual"))
print(package.searchpath and package.searchpath("beside", package.path))
print(package.path)
print(package.config:sub(1, 1), type(package.loaders), #package.loaders)
