return {value = "module " .. ...}
