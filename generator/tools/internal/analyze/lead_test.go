package analyze

import "testing"

func TestWithoutName(t *testing.T) {
	for _, test := range []struct{ name, doc, want string }{
		{"Add", "Add adds an item to the list.", "Adds an item to the list."},
		{"CreateIssue", "CreateIssue creates an issue.\n\nIt asks first.", "Creates an issue.\n\nIt asks first."},
		{"Ping", "Ping does nothing", "Does nothing"},
		{"Forecast", "Forecast always tells the truth.", "Always tells the truth."},
		{"Name", "Name is the name of the user.", "The name of the user."},
		{"Tags", "Tags are the words.", "The words."},
		{"Österreich", "Österreich öffnet die Tür.", "Österreich öffnet die Tür."},
		// What remains would be no sentence, or would mean something else.
		{"Sort", "Sort is how to sort.", "Sort is how to sort."},
		{"Words", "Words are streamed as text.", "Words are streamed as text."},
		{"Maybe", "Maybe returns", "Returns"},
		{"Add", "Add an item.", "Add an item."},
		{"Add", "Adds an item.", "Adds an item."},
		{"Add", "Add, as it says, adds an item.", "Add, as it says, adds an item."},
		{"Add", "Addition adds an item.", "Addition adds an item."},
		{"Open", "Open was there before.", "Open was there before."},
		{"Cross", "Cross this street.", "Cross this street."},
		{"Get", "Get JSONs of all kinds.", "Get JSONs of all kinds."},
		{"Address", "Address us.", "Address us."},
		{"Limit", "Limit", "Limit"},
		{"Limit", "", ""},
	} {
		if got := withoutName(test.doc, test.name); got != test.want {
			t.Errorf("%s: %q becomes %q, want %q", test.name, test.doc, got, test.want)
		}
	}
}
