package option

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretIsNotShown(t *testing.T) {
	const text = "Zecret"
	s := Secret(text)
	type holder struct {
		Password Secret
		Next     *Secret
	}
	h := holder{s, &s}
	var shown []string
	for _, verb := range []string{"%s", "%v", "%+v", "%#v", "%q", "%x", "% X", "%d", "%20s", "%T %v"} {
		shown = append(shown, fmt.Sprintf(verb, s), fmt.Sprintf(verb, h), fmt.Sprintf(verb, &h), fmt.Sprintf(verb, []Secret{s}))
	}
	encoded, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "password", s, "holder", h)
	shown = append(shown, string(encoded), log.String(), s.String(), errors.Join(fmt.Errorf("login as %v", h)).Error())
	hex := fmt.Sprintf("%x", text)
	for _, out := range shown {
		if strings.Contains(out, text) || strings.Contains(strings.ToLower(strings.ReplaceAll(out, " ", "")), hex) {
			t.Errorf("the secret is in %q", out)
		}
	}
	if s.Reveal() != text || Secret("").String() != "" {
		t.Errorf("Reveal: %q; empty: %q", s.Reveal(), Secret("").String())
	}
}
