package sysbench

import "fmt"

// at is a position in one of sysbench's own scripts, as its error messages name it. Positions are
// observed from the output of sysbench 1.0.20.
func at(script string, line int) string {
	return fmt.Sprintf("%s/%s.lua:%d", dataDirs[0], script, line)
}
