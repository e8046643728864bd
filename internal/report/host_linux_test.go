package report

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHostFacts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for path, text := range map[string]string{
		"proc/sys/kernel/osrelease": "6.1.0\n",
		"proc/cpuinfo":              "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu hypervisor sse\n\nmodel name\t: other\n",
		"proc/meminfo":              "MemTotal:        2048 kB\nMemFree: 1 kB\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
		"sys/devices/system/cpu/intel_pstate/no_turbo":         "1\n",
		"sys/devices/system/node/node0/cpulist":                "0-1\n",
		"sys/devices/system/node/node1/cpulist":                "2-3\n",
		"sys/class/dmi/id/sys_vendor":                          "QEMU\n",
		"sys/class/dmi/id/product_name":                        "Standard PC\n",
		".dockerenv":                                           "",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got Host
	got.read(root)
	want := Host{Kernel: "6.1.0", CPUModel: "Some CPU @ 3 GHz", Governor: "performance", Turbo: "off", NUMANodes: 2, Virtualization: "QEMU Standard PC, container", MemoryBytes: 2 << 20}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got = Host{}
	got.read(t.TempDir())
	if got != (Host{}) {
		t.Errorf("of nothing: got %+v", got)
	}
	if h := host(); h.Kernel == "" || h.CPUs < 1 || h.MemoryBytes == 0 {
		t.Errorf("of this machine: %+v", h)
	}
}
