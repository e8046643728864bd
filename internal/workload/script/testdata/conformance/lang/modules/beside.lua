return {value = "module " .. select("#", ...)}
