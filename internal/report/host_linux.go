package report

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// read fills in what Linux tells in its file systems below root; what is not there stays empty.
func (h *Host) read(root string) {
	file := func(path string) string {
		b, err := os.ReadFile(filepath.Join("/", root, path))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(b))
	}
	h.Kernel = file("proc/sys/kernel/osrelease")
	h.Governor = file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	h.Turbo = map[string]string{"0": "off", "1": "on"}[file("sys/devices/system/cpu/cpufreq/boost")]
	if h.Turbo == "" { // Intel's driver says it the other way round
		h.Turbo = map[string]string{"0": "on", "1": "off"}[file("sys/devices/system/cpu/intel_pstate/no_turbo")]
	}
	nodes, _ := filepath.Glob(filepath.Join("/", root, "sys/devices/system/node/node[0-9]*"))
	h.NUMANodes = len(nodes)
	info := file("proc/cpuinfo")
	for _, key := range []string{"model name", "Model", "Processor"} { // x86; then what ARM has
		if h.CPUModel = field(info, key); h.CPUModel != "" {
			break
		}
	}
	if kib, ok := strings.CutSuffix(field(file("proc/meminfo"), "MemTotal"), " kB"); ok {
		n, _ := strconv.ParseInt(strings.TrimSpace(kib), 10, 64)
		h.MemoryBytes = n << 10
	}
	var hints []string
	if strings.Contains(" "+field(info, "flags")+" ", " hypervisor ") {
		hint := strings.TrimSpace(file("sys/class/dmi/id/sys_vendor") + " " + file("sys/class/dmi/id/product_name"))
		if hint == "" {
			hint = "hypervisor"
		}
		hints = append(hints, hint)
	}
	for _, mark := range []string{".dockerenv", "run/.containerenv", "run/systemd/container"} {
		if _, err := os.Stat(filepath.Join("/", root, mark)); err == nil {
			hints = append(hints, "container")
			break
		}
	}
	h.Virtualization = strings.Join(hints, ", ")
}

// field returns the first value of a key in text of lines such as "key : value".
func field(text, key string) string {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
