package study

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"deltabench/docs/schema"
)

var update = flag.Bool("update", false, "write the schema anew")

type object = map[string]any

// scalarSchema is of a single value of any kind.
func scalarSchema() object { return object{"type": []string{"string", "number", "boolean"}} }

// schemaOf makes a schema of a type of the file and its tags yaml, doc and enum.
func schemaOf(t reflect.Type, tag reflect.StructTag) object {
	switch t {
	case reflect.TypeFor[options]():
		return object{"type": []string{"object", "null"}, "additionalProperties": scalarSchema()}
	case reflect.TypeFor[choices]():
		return object{"type": "object", "additionalProperties": object{"type": "array", "items": scalarSchema(), "minItems": 1}}
	case reflect.TypeFor[overrides]():
		return object{"type": "object"}
	case reflect.TypeFor[duration](), reflect.TypeFor[warmup](), reflect.TypeFor[percent]():
		return object{"type": []string{"string", "number"}}
	case reflect.TypeFor[word1]():
		return object{"enum": strings.Split(tag.Get("enum"), ",")}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), tag)
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), "")}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem(), "")}
	case reflect.Struct:
		props := object{}
		for i := range t.NumField() {
			f := t.Field(i)
			if key := f.Tag.Get("yaml"); key != "" {
				s := schemaOf(f.Type, f.Tag)
				s["description"] = f.Tag.Get("doc")
				props[key] = s
			}
		}
		s := object{"type": "object", "properties": props, "additionalProperties": false}
		if t == reflect.TypeFor[fileWorkload]() || t == reflect.TypeFor[fileHook]() {
			return object{"anyOf": []any{object{"type": "string"}, s}}
		}
		return s
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return object{"type": []string{"integer", "string"}, "pattern": `^[0-9_]+$|\$\{`}
	case reflect.Bool:
		return object{"type": []string{"boolean", "string"}}
	}
	return scalarSchema()
}

// The published schema is that of the types, and every file that comes with deltabench is valid by it.
func TestSchema(t *testing.T) {
	root := schemaOf(reflect.TypeFor[file](), "")
	root["$schema"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "deltabench study file, version 1"
	root["required"] = []string{"study", "targets", "workloads", "threads"}
	want, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("../../docs/schema/study-1.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(want, schema.Study1) {
		t.Error("docs/schema/study-1.json is not that of the types: go test ./internal/study -update")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("study-1.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("study-1.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text []byte) error {
		asJSON, err := yaml.YAMLToJSON(text)
		if err != nil {
			return err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			return err
		}
		return compiled.Validate(value)
	}
	paths, err := filepath.Glob("../../studies/*.yaml")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, bad := range []string{strings.Replace(small, "tables:", "tabels:", 1), strings.Replace(small, "[1, 32]", "[1, many]", 1), small + "state: restor\n"} {
		if valid([]byte(bad)) == nil {
			t.Errorf("it is valid:\n%s", bad)
		}
	}
}
