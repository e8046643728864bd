package study

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
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

// environment matches values that have a variable: what it holds is not known to an editor.
const environment = `\$\{`

// scalarSchema is of a single value of any kind; nothing is an empty one.
func scalarSchema() object { return object{"type": []string{"string", "number", "boolean", "null"}} }

// schemaOf makes a schema of a type of the file and its tags yaml, doc and enum.
func schemaOf(t reflect.Type, tag reflect.StructTag) object {
	switch t {
	case reflect.TypeFor[options]():
		return object{"type": []string{"object", "null"}, "additionalProperties": scalarSchema()}
	case reflect.TypeFor[choices]():
		return object{"type": "object", "additionalProperties": listSchema(scalarSchema())}
	case reflect.TypeFor[overrides]():
		return overrideSchema()
	case reflect.TypeFor[duration](), reflect.TypeFor[warmup](), reflect.TypeFor[percent]():
		return object{"type": []string{"string", "number"}}
	case reflect.TypeFor[word1]():
		return object{"anyOf": []any{
			object{"enum": strings.Split(tag.Get("enum"), ",")},
			object{"type": []string{"string", "null"}, "pattern": environment},
		}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), tag)
	case reflect.Slice:
		item := schemaOf(t.Elem(), "")
		if t.Elem().Kind() == reflect.Struct && item["properties"] != nil { // only a value that is a word stands alone
			return object{"type": []string{"array", "null"}, "items": item}
		}
		return listSchema(item)
	case reflect.Map:
		return object{"type": []string{"object", "null"}, "additionalProperties": schemaOf(t.Elem(), "")}
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
		s := object{"type": []string{"object", "null"}, "properties": props, "additionalProperties": false}
		if t == reflect.TypeFor[fileWorkload]() || t == reflect.TypeFor[fileHook]() {
			return object{"anyOf": []any{object{"type": "string"}, s}}
		}
		return s
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return object{"type": []string{"integer", "string"}, "pattern": `^[0-9_]+$|` + environment}
	case reflect.Bool:
		return object{"type": []string{"boolean", "string"}, "pattern": `^([Tt]rue|[Ff]alse|[Yy]es|[Nn]o|[Oo]n|[Oo]ff|TRUE|FALSE|YES|NO|ON|OFF)$|` + environment}
	}
	return scalarSchema()
}

// listSchema is of a list; one value stands for a list of one.
func listSchema(item object) object {
	return object{"anyOf": []any{object{"type": []string{"array", "null"}, "items": item}, item}}
}

// overrideSchema is of quick and full: keys of the file with what they take there, or paths that begin with one.
func overrideSchema() object {
	keys, _ := keysOf(reflect.TypeFor[file]())
	props := object{}
	for _, key := range keys {
		if key != "quick" && key != "full" {
			props[key] = object{"$ref": "#/properties/" + key}
		}
	}
	return object{
		"type": "object", "properties": props, "additionalProperties": false,
		"patternProperties": object{`^(targets|data|workloads|measure|stop|scenarios|matrix|cpus)\.`: object{}},
	}
}

// publishedText is the schema as its file has it.
func publishedText(t *testing.T) []byte {
	t.Helper()
	root := schemaOf(reflect.TypeFor[file](), "")
	root["$schema"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "deltabench study file, version 1"
	root["type"], root["required"] = "object", []string{"study", "targets", "workloads", "threads"}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// validator checks YAML by the schema.
func validator(t *testing.T) func(text string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(publishedText(t)))
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
	return func(text string) error {
		asJSON, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			return err
		}
		return compiled.Validate(value)
	}
}

// The published schema is that of the types.
func TestSchema(t *testing.T) {
	want := publishedText(t)
	if *update {
		if err := os.WriteFile("../../docs/schema/study-1.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(want, schema.Study1) {
		t.Error("docs/schema/study-1.json is not that of the types: go test ./internal/study -update")
	}
}

// Every file that comes with deltabench, that it writes to start from, or that its manual shows is valid by the schema.
func TestFilesAreValid(t *testing.T) {
	t.Parallel()
	valid := validator(t)
	paths, err := filepath.Glob("../../studies/*.yaml")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	for kind, text := range initials {
		texts["init "+kind] = text
	}
	for i, text := range manualExamples(t) {
		texts[fmt.Sprintf("docs/studies.md, example %d", i+1)] = text
	}
	for name, text := range texts {
		if err := valid(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the program takes has no false fault in an editor, and what it refuses by its form has one.
func TestSchemaAgreesWithParse(t *testing.T) {
	t.Parallel()
	valid := validator(t)
	change := func(old, instead string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("%s is not there", old)
		}
		return strings.Replace(small, old, instead, 1)
	}
	for _, text := range []string{
		small,
		change("[1, 32]", "8"),
		change("[1, 32]", "${N:-8}"),
		change("[oltp_read_only]", "oltp_read_only"),
		change(`["SELECT 1"]`, "SELECT 1"),
		change("{server: auto}", ""),
		change("name: a, managed: {server: auto}", "name: a, labels: , managed: {options: , init: --innodb-page-size=8k}"),
		small + "state: ${STATE:-restore}\n",
		small + "equal_load: 50%\naa: yes\nchecksum: On\nfindings:\nmetric:\n",
		small + "margin: 1.5\ntime: 10\nwarmup: 5s\nseed: 10\n",
		small + "matrix: {server: {sync_binlog: [0, 1], innodb_io_capacity: 200}, baseline: none}\n",
		small + "quick: {threads: 8, data.table_size: 10, scenarios.on.server.innodb_io_capacity: 200}\nfull: {stop: {precision: 1%}}\n",
	} {
		if _, err := Parse("s.yaml", []byte(text), ReadOptions{}); err != nil {
			t.Errorf("it cannot be read: %v\n%s", err, text)
		}
		if err := valid(text); err != nil {
			t.Errorf("it is not valid: %v\n%s", err, text)
		}
	}
	for _, text := range []string{
		change("tables:", "tabels:"),
		change("server: auto", "serwer: auto"),
		change("baseline: true", "baseline: maybe"),
		change("[1, 32]", "[1, many]"),
		change("[1, 32]", "{a: 1}"),
		small + "state: restor\n",
		small + "time: [1s]\n",
		small + "stop: {until: decided}\n",
	} {
		if _, err := Parse("s.yaml", []byte(text), ReadOptions{}); err == nil {
			t.Errorf("it can be read:\n%s", text)
		}
		if valid(text) == nil {
			t.Errorf("it is valid:\n%s", text)
		}
	}
	// These the program sees only when they are asked for; an editor tells them at once.
	for _, text := range []string{small + "quick: {tiem: 1s}\n", small + "quick: {threads: many}\n", small + "full: {dta.table_size: 10}\n"} {
		if valid(text) == nil {
			t.Errorf("it is valid:\n%s", text)
		}
	}
}
