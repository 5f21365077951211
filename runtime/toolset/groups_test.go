package toolset

import "testing"

func TestGroups(t *testing.T) {
	groups := Groups{{"files", "Files and folders", "Read before you write."}, {"issues", "Issues", ""}, {"git", "", "Commit seldom."}}
	for _, tt := range []struct {
		own, want string
		groups    []string
	}{
		{"", "Read before you write.\n\nCommit seldom.", nil},
		{"Be brief.", "Be brief.\n\nCommit seldom.", []string{"issues", "git"}},
		{"Be brief.", "Be brief.", []string{"issues"}},
		{"", "", []string{"issues"}},
	} {
		if got := groups.Instructions(tt.own, Selection{Groups: tt.groups}); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.groups, got, tt.want)
		}
	}
	if got, want := groups.String(), "files\tFiles and folders\nissues\tIssues\ngit\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
