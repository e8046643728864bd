package study

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// manualExamples are the study files that the manual shows.
func manualExamples(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples []string
	for _, e := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		examples = append(examples, string(e[1]))
	}
	if len(examples) < 4 {
		t.Fatalf("%d examples", len(examples))
	}
	return examples
}

// Every example of the manual is a study that can be planned.
func TestManual(t *testing.T) {
	t.Parallel()
	for _, e := range manualExamples(t) {
		for _, o := range []ReadOptions{{}, {Quick: true}} {
			if _, err := Parse("studies.md", []byte(e), o); err != nil {
				t.Errorf("%v\n%s", err, e)
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
	examples := strings.Join(manualExamples(t), "")
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
