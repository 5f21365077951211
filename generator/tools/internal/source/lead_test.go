package source

import "testing"

func TestWithoutName(t *testing.T) {
	for _, test := range []struct{ name, doc, want string }{
		{"Add", "Add adds an item to the list.", "Adds an item to the list."},
		{"CreateIssue", "CreateIssue creates an issue.\n\nIt asks first.", "Creates an issue.\n\nIt asks first."},
		{"Ping", "Ping does nothing", "Does nothing"},
		{"Forecast", "Forecast always tells the truth.", "Always tells the truth."},
		{"Name", "Name is the name of the user.", "The name of the user."},
		{"Tags", "Tags are the words.", "The words."},
		{"Sort", "Sort is how to sort.", "How to sort."},
		{"Dry", "Dry is whether to write nothing.", "Whether to write nothing."},
		{"URL", "URL is the URL of the page.", "The URL of the page."},
		{"ID", "ID identifies it.", "Identifies it."},
		{"DNSRecords", "DNSRecords lists records.", "Lists records."},
		{"Search", "Search searches notes by text.", "Searches notes by text."},
		{"Fetch", "Fetch fetches pages.", "Fetches pages."},
		{"Copy", "Copy copies files.", "Copies files."},
		{"Do", "Do does tasks.", "Does tasks."},
		{"Search", "Search finds notes, the newest first.", "Finds notes, the newest first."},
		{"State", "State filters issues based on their state.", "Filters issues based on their state."},
		{"List", "List reports every file.", "Reports every file."},
		{"Greet", "Greet greets somebody.", "Greets somebody."},
		{"Greet", "Greet welcomes somebody.", "Welcomes somebody."},
		{"Greet", "Greet welcomes them.", "Welcomes them."},
		{"Österreich", "Österreich öffnet die Tür.", "Österreich öffnet die Tür."},
		// What remains would be no sentence, or would mean something else.
		{"Bright", "Bright is better.", "Bright is better."},
		{"Words", "Words are streamed as text.", "Words are streamed as text."},
		{"Maybe", "Maybe returns", "Returns"},
		{"Add", "Add an item.", "Add an item."},
		{"Add", "Adds an item.", "Adds an item."},
		{"Add", "Add, as it says, adds an item.", "Add, as it says, adds an item."},
		{"Add", "Addition adds an item.", "Addition adds an item."},
		{"Open", "Open was there before.", "Open was there before."},
		{"Cross", "Cross this street.", "Cross this street."},
		{"Get", "Get JSONs of all Kinds.", "Get JSONs of all Kinds."},
		{"Address", "Address us.", "Address us."},
		{"List", "List files in a folder.", "List files in a folder."},
		{"Search", "Search notes by text.", "Search notes by text."},
		{"Delete", "Delete items that match.", "Delete items that match."},
		{"Send", "Send emails", "Send emails"},
		{"Greet", "Greet guests at the door.", "Greet guests at the door."},
		{"Greet", "Greet welcomes guests.", "Greet welcomes guests."}, // as it might be "Greet guests of the house."
		{"List", "List reports by author.", "List reports by author."},
		{"List", "List", "List"},
		{"List", "List.", "List."},
		{"List", "List: all files.", "List: all files."},
		{"Limit", "Limit", "Limit"},
		{"Limit", "", ""},
	} {
		if got := withoutName(test.doc, test.name); got != test.want {
			t.Errorf("%s: %q becomes %q, want %q", test.name, test.doc, got, test.want)
		}
	}
}

func TestWithoutTypeName(t *testing.T) {
	for _, test := range []struct{ name, doc, want string }{
		{"Unit", "A Unit is a temperature unit.", "A temperature unit."},
		{"Unit", "Unit is a temperature unit.", "A temperature unit."},
		{"Item", "An Item is what is in the list.", "What is in the list."},
		{"API", "The API is the way in.\n\nIt is narrow.", "The way in.\n\nIt is narrow."},
		{"Level", "A Level says how much is logged.", "A Level says how much is logged."},
		{"Batch", "Batch holds items.", "Batch holds items."},
		{"Season", "A Season is one of four.", "One of four."},
		{"Issue", "An Issue is something to do.", "Something to do."},
		{"Guest", "A Guest is somebody who stays.", "Somebody who stays."},
		{"Mode", "A Mode may also be one that is not known yet.", "A Mode may also be one that is not known yet."},
		{"Circle", "A Circle is round.", "A Circle is round."},
		{"Person", "A Person has a name.", "A Person has a name."},
		{"Unit", "A unit of temperature.", "A unit of temperature."},
		{"Unit", "A UnitOf holds units.", "A UnitOf holds units."},
		{"A", "A A is a letter.", "A letter."},
		{"A", "A is a letter.", "A letter."},
		{"Unit", "A Unit", "A Unit"},
		{"Unit", "Unit", "Unit"},
		{"Unit", "", ""},
	} {
		if got := withoutTypeName(test.doc, test.name); got != test.want {
			t.Errorf("%s: %q becomes %q, want %q", test.name, test.doc, got, test.want)
		}
	}
}
