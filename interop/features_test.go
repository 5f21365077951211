package interop

// modern is the first revision without sessions.
const modern = "2026-07-28"

// features are what the drivers try, each with the first and the last revision that has it; empty
// means no limit. README.md says what a server needs for them.
var features = []struct{ name, since, until string }{
	{"connect", "", ""},
	{"instructions", "", ""},
	{"capabilities", "", ""},
	{"extension", "2026-07-28", ""},
	{"discover", "2026-07-28", ""},
	{"ping", "", "2025-11-25"},
	{"custom-request", "", ""},
	{"custom-notification", "", ""},
	{"unknown-method", "", ""},
	{"large-message", "", ""},
	{"missing-capability", "2026-07-28", ""},

	{"tools-list", "", ""},
	{"pages", "", ""},
	{"tool-metadata", "2025-11-25", ""},
	{"tool-schema", "", ""},
	{"tool-text", "", ""},
	{"tool-image", "", ""},
	{"tool-audio", "2025-03-26", ""},
	{"tool-embedded-resource", "", ""},
	{"tool-resource-link", "2025-06-18", ""},
	{"tool-several-contents", "", ""},
	{"tool-structured-output", "2025-06-18", ""},
	{"tool-structured-array", "2026-07-28", ""},
	{"tool-header", "", ""},
	{"tool-error", "", ""},
	{"tool-unknown", "", ""},
	{"tool-bad-arguments", "2025-11-25", ""},

	{"progress", "", ""},
	{"cancellation", "", ""},
	{"concurrent-calls", "", ""},
	{"reconnection", "", ""},

	{"prompts-list", "", ""},
	{"prompt-simple", "", ""},
	{"prompt-arguments", "", ""},
	{"prompt-embedded-resource", "", ""},
	{"prompt-image", "", ""},
	{"prompt-missing-argument", "", ""},
	{"prompt-unknown", "", ""},

	{"completion-prompt", "", ""},
	{"completion-context", "2025-06-18", ""},
	{"completion-template", "", ""},

	{"resources-list", "", ""},
	{"resource-text", "", ""},
	{"resource-binary", "", ""},
	{"resource-templates-list", "", ""},
	{"resource-template", "", ""},
	{"resource-unknown", "", ""},

	{"tools-list-changed", "", ""},
	{"prompts-list-changed", "", ""},
	{"resources-list-changed", "", ""},
	{"resource-updated", "", ""},
	{"two-subscriptions", "2026-07-28", ""},
	{"no-unsolicited-changes", "2026-07-28", ""},

	{"logging", "", "2025-11-25"},
	{"logging-per-request", "2026-07-28", ""},

	{"roots", "", ""},
	{"roots-list-changed", "", "2025-11-25"},

	{"sampling", "", ""},
	{"sampling-tools", "2025-11-25", ""},

	{"elicitation-accept", "2025-06-18", ""},
	{"elicitation-decline", "2025-06-18", ""},
	{"elicitation-cancel", "2025-06-18", ""},
	{"elicitation-defaults", "2025-11-25", ""},
	{"elicitation-enums", "2025-11-25", ""},
	{"elicitation-url", "2025-11-25", ""},
	{"elicitation-complete", "2025-11-25", "2025-11-25"},
	{"elicitation-url-required", "2025-11-25", "2025-11-25"},

	{"input-elicitation", "2025-06-18", ""},
	{"input-sampling", "", ""},
	{"input-state", "2025-06-18", ""},
	{"input-several-rounds", "2025-06-18", ""},
	{"input-several-kinds", "2025-06-18", ""},
	{"input-prompt", "2025-06-18", ""},
	{"input-resource", "2025-06-18", ""},
	{"input-tampered-state", "2026-07-28", ""},

	{"cache-hints", "2026-07-28", ""},
	{"cache", "2026-07-28", ""},

	{"close", "", ""},
}

// featuresOf returns the features that a revision has.
func featuresOf(revision string) map[string]bool {
	has := map[string]bool{}
	for _, f := range features {
		if revision >= f.since && (f.until == "" || revision <= f.until) {
			has[f.name] = true
		}
	}
	return has
}
