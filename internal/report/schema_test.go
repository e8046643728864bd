package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"deltabench/docs/schema"
)

var update = flag.Bool("update", false, "write the schema anew")

const schemaFile = "../../docs/schema/report-1.json"

// generator makes a JSON Schema of Go types and their tags: doc, const, enum, min, format, key (of maps).
type generator struct{ defs map[string]any }

func (g *generator) object(t reflect.Type) map[string]any {
	props, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name := f.Tag.Get("json")
		if f.Anonymous || name == "" {
			continue
		}
		props[name] = g.field(f)
		required = append(required, name)
	}
	slices.Sort(required)
	return map[string]any{"type": "object", "properties": props, "required": required, "additionalProperties": false}
}

func (g *generator) field(f reflect.StructField) map[string]any {
	s := g.value(f.Type, f.Tag)
	if doc := f.Tag.Get("doc"); doc != "" {
		s["description"] = doc
	}
	return s
}

func (g *generator) value(t reflect.Type, tag reflect.StructTag) map[string]any {
	s := map[string]any{}
	number := func(name string) {
		s["type"] = name
		if text, ok := tag.Lookup("min"); ok {
			s["minimum"], _ = strconv.Atoi(text)
		}
		if text, ok := tag.Lookup("const"); ok {
			s["const"], _ = strconv.Atoi(text)
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		s["type"] = "boolean"
	case reflect.Int, reflect.Int64:
		number("integer")
	case reflect.Float64:
		number("number")
	case reflect.String:
		s["type"] = "string"
		if text, ok := tag.Lookup("const"); ok {
			s["const"] = text
		}
		if text, ok := tag.Lookup("enum"); ok {
			s["enum"] = strings.Split(text, ",")
		}
		if text, ok := tag.Lookup("format"); ok {
			s["format"] = text
		}
	case reflect.Struct:
		if _, ok := g.defs[t.Name()]; !ok {
			g.defs[t.Name()] = nil // of types that contain themselves
			g.defs[t.Name()] = g.object(t)
		}
		s["$ref"] = "#/$defs/" + t.Name()
	case reflect.Pointer:
		s["anyOf"] = []any{map[string]any{"type": "null"}, g.value(t.Elem(), tag)}
	case reflect.Slice:
		s["type"], s["items"] = "array", g.value(t.Elem(), "")
	case reflect.Map:
		s["type"] = "object"
		if key := tag.Get("key"); key != "" {
			s["patternProperties"] = map[string]any{key: g.value(t.Elem(), tag)}
			s["additionalProperties"] = false
		} else {
			s["additionalProperties"] = g.value(t.Elem(), "")
		}
	case reflect.Interface: // values of options
		s["type"] = []string{"string", "number", "boolean", "array"}
	default:
		panic("no schema for " + t.String())
	}
	return s
}

// schemaOf is the schema of documents.
func schemaOf(t *testing.T) []byte {
	t.Helper()
	g := &generator{defs: map[string]any{}}
	root := g.object(reflect.TypeFor[Document]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "deltabench report, version " + strconv.Itoa(SchemaVersion)
	root["description"] = "What `deltabench TEST run --report=json` writes: one document for each run."
	root["$defs"] = g.defs
	b, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	want := schemaOf(t)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/schema/report-1.json is not what the Go types are: look at what changed, then go test ./internal/report -update")
	}
	if !bytes.Equal(schema.Report1, got) {
		t.Error("the embedded schema is another one")
	}
}

// validate checks a document against the published schema.
func validate(t *testing.T, doc []byte) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Report1))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("report.json", parsed); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// TestSchemaRefuses shows that the schema tells documents from others.
func TestSchemaRefuses(t *testing.T) {
	good, err := document(t, closedLoop()).Encode(JSON)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, good); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"schemaVersion":1`, `"schemaVersion":2`},
		{`"reason":"timeLimit"`, `"reason":"boredom"`},
		{`"minNs":`, `"minMs":`},
		{`"warnings":[]`, `"warnings":null`},
		{`"startedAt":"2026`, `"startedAt":"x2026`},
		{`"p99.9":`, `"q99.9":`},
	} {
		bad := bytes.Replace(good, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(bad, good) {
			t.Errorf("%s is not in the document", change[0])
		} else if validate(t, bad) == nil {
			t.Errorf("a document with %s is valid", change[1])
		}
	}
}
