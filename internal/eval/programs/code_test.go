package programs

import "testing"

func TestCodeOf(t *testing.T) {
	for _, c := range []struct {
		name, text string
		chat       bool
		want       string
	}{
		{"a completion is not touched", "    return 1\n```\n", false, "    return 1\n```\n"},
		{"a chat without a fence", "    return 1\n", true, "    return 1\n"},
		{"the question opened the block", "    return 1\n```\nIt returns 1.\n```python\nf()\n```", true, "    return 1\n"},
		{"a block of its own", "```python\ndef f():\n    return 1\n```\nDone.", true, "def f():\n    return 1\n"},
		{"a bare block of its own", "\n```\ndef f():\n    return 1\n```", true, "def f():\n    return 1\n"},
		{"words before a block", "Here it is:\n\n```python\ndef f(): pass\n```", true, "def f(): pass\n"},
		{"cut off in a block", "```python\ndef f():\n    return", true, "def f():\n    return"},
		{"cut off in a fence", "```pyth", true, ""},
		{"empty", "", true, ""},
		{"a fence alone", "```", true, ""},
		{"two blocks", "```python\na = 1\n```\nor\n```python\na = 2\n```", true, "a = 1\n"},
	} {
		if got := codeOf(c.text, c.chat); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
