package store

import (
	"fmt"
	"strings"
)

// ParseTags reads tags of the form KEY=VALUE. An empty value, which removes a tag, is allowed where remove is true. Errors
// name the text that is none.
func ParseTags(texts []string, remove bool) (map[string]string, error) {
	tags := map[string]string{}
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		switch key = strings.TrimSpace(key); {
		case !ok || key == "":
			return nil, fmt.Errorf("'%s' is not KEY=VALUE", text)
		case value == "" && !remove:
			return nil, fmt.Errorf("'%s' has no value", text)
		}
		tags[key] = value
	}
	return tags, nil
}
