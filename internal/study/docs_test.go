package study

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Every example of the manual is a study that can be planned.
func TestManual(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(examples) < 4 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		for _, o := range []ReadOptions{{}, {Quick: true}} {
			if _, err := Parse("studies.md", e[1], o); err != nil {
				t.Errorf("%v\n%s", err, e[1])
			}
		}
	}
}

// Every key is explained, and used in an example.
func TestEveryKeyIsInTheManual(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := ""
	for _, e := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		examples += string(e[1])
	}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	keys := 0
	walk = func(x reflect.Type) {
		switch x.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(x.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[x] {
			return
		}
		seen[x] = true
		for i := range x.NumField() {
			key := x.Field(i).Tag.Get("yaml")
			if key == "" {
				continue
			}
			keys++
			if !strings.Contains(string(text), "`"+key+"`") && !strings.Contains(string(text), "**"+key+"**") {
				t.Errorf("%s.%s is not explained", x.Name(), key)
			}
			if key != "password" && key != "rounds" && !regexp.MustCompile(`\b`+key+`:`).MatchString(examples) {
				t.Errorf("%s.%s is in no example", x.Name(), key)
			}
			walk(x.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[file]())
	if keys < 60 {
		t.Errorf("%d keys", keys)
	}
}
