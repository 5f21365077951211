// The page of the playground: it asks the program about the file at each keystroke, and shows what it answers.
"use strict";
(() => {
	const root = new URL(".", document.currentScript.src);
	const $ = id => document.getElementById(id);
	const source = $("source"), called = $("called"), arguments_ = $("arguments"), revision = $("revision");

	const example = `// Package tools tells the weather.
package tools

import "context"

// A Unit is a unit of temperature.
type Unit string

const (
	Celsius    Unit = "celsius"
	Fahrenheit Unit = "fahrenheit"
)

// A Day is what the weather of a day will be.
type Day struct {
	High float64 \`json:"high"\`
	Rain bool    \`json:"rain"\`
}

// Forecast tells the weather of a city.
//
//   - city: its name in English
//   - days: how many days, from today on
//
//mcp:tool readonly
//mcp:param days min=1 max=14 default=3
func Forecast(ctx context.Context, city string, days int, unit Unit) ([]Day, error) {
	return nil, nil
}
`;

	// A link has the file and the call, as JSON, compressed, in URL-safe Base64.
	const prefix = "#code=", most = 1 << 18;
	const bytes = async (data, through) => new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(through)).arrayBuffer());
	const encode = async state => {
		const zipped = await bytes(JSON.stringify(state), new CompressionStream("deflate-raw"));
		return prefix + btoa(Array.from(zipped, b => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
	};
	const decode = async fragment => {
		const text = atob(fragment.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/"));
		const unzipped = new Blob([Uint8Array.from(text, c => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
		const decoder = new TextDecoder();
		let json = "";
		for (const reader = unzipped.getReader(); ;) {
			const {done, value} = await reader.read();
			if (done) return JSON.parse(json + decoder.decode());
			json += decoder.decode(value, {stream: true});
			if (json.length > most) throw new Error("it is too long");
		}
	};

	const element = (name, text, ...more) => {
		const made = document.createElement(name);
		made.append(text, ...more);
		return made;
	};
	const count = (n, noun) => n + " " + noun + (n === 1 ? "" : "s");
	const code = value => { // which scrolls, by the keyboard, too
		const box = element("pre", element("code", JSON.stringify(value, null, 2)));
		box.tabIndex = 0;
		box.setAttribute("role", "group");
		box.setAttribute("aria-label", "JSON");
		return box;
	};

	// select fills a list, and keeps what is selected.
	const select = (list, values) => {
		const before = list.value;
		list.replaceChildren(...values.map(value => element("option", value)));
		if (values.includes(before)) list.value = before;
	};

	// go moves the cursor to a place of the file. Columns count bytes.
	const go = (line, column) => {
		const lines = source.value.split("\n"), encoder = new TextEncoder();
		let at = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0), left = column - 1;
		for (const c of lines[line - 1] ?? "") {
			if ((left -= encoder.encode(c).length) < 0) break;
			at += c.length;
		}
		source.focus();
		source.setSelectionRange(at, at);
		source.scrollTop = (line - 5) * source.scrollHeight / lines.length;
	};

	let answer;
	const closed = new Set(); // tools whose details the user has closed
	const showTools = () => $("tools").replaceChildren(...answer.tools.map(tool => {
		const cost = tool.bytes ? `about ${count(tool.tokens, "token")}, ${tool.bytes} bytes` : "models do not see it";
		const details = element("details", element("summary", element("strong", tool.name), " " + cost));
		details.open = !closed.has(tool.name);
		details.ontoggle = () => { details.open ? closed.delete(tool.name) : closed.add(tool.name); };
		details.append(element("p", "Input schema"), code(tool.input), element("p", "Output schema"));
		details.append(tool.output ? code(tool.output) : element("p", "There is none."));
		const listed = tool.listed.find(l => l.revision === revision.value);
		details.append(element("p", "In the result of tools/list, " + revision.value));
		details.append(listed?.definition ? code(listed.definition) : element("p", "It is not listed."));
		return details;
	}));

	const show = () => {
		const problems = answer.problems ?? [];
		$("problems").hidden = problems.length === 0;
		$("problems").replaceChildren(...problems.map(problem => {
			if (!problem.line) return element("li", problem.text);
			const button = element("button", problem.text);
			button.type = "button";
			button.onclick = () => go(problem.line, problem.column);
			return element("li", button);
		}));
		$("answer").hidden = !answer.tools;
		$("status").textContent = problems.length > 0 ? count(problems.length, "problem") + ":" :
			[`${answer.contents}, about ${count(answer.tokens, "token")}`, ...answer.opaque ?? []].join("; ");
		if (!answer.tools) return;
		select(revision, answer.tools[0].listed.map(l => l.revision));
		showTools();
		select(called, answer.tools.map(tool => tool.name));
		const {result} = answer;
		$("result").classList.toggle("wrong", result !== undefined && !result.valid);
		$("result").textContent = result === undefined ? "" : result.protocol ? "An error of the protocol, which no model reads: " + result.text : !result.valid ? result.text :
			"The arguments are valid." + (result.unread ? ` Whether ${result.unread.join(", ")} would take theirs is not known here.` : "");
	};

	let ask, asked = 0;
	const state = () => ({source: source.value, call: {tool: called.value, arguments: arguments_.value}});
	const update = async () => {
		const mine = ++asked, question = state();
		const fragment = await encode(question);
		if (mine !== asked) return;
		$("link").href = fragment;
		history.replaceState(null, "", fragment);
		if (!ask) return;
		try {
			let response = await ask(question);
			if (response.tools && !response.result) { // the tool was not known yet
				question.call.tool = response.tools[0].name;
				response = await ask(question);
			}
			if (mine !== asked) return;
			answer = response;
			show();
		} catch (err) {
			$("status").textContent = "mcpgen has failed: " + err.message;
		}
		document.documentElement.dataset.answered = mine;
	};

	let due;
	const soon = () => {
		clearTimeout(due);
		due = setTimeout(update, 100);
	};
	source.addEventListener("input", soon);
	arguments_.addEventListener("input", soon);
	called.addEventListener("change", update);
	revision.addEventListener("change", showTools);
	source.addEventListener("keydown", e => {
		if (e.key !== "Tab" || e.shiftKey || e.ctrlKey || e.altKey || e.metaKey) return;
		e.preventDefault();
		source.setRangeText("\t", source.selectionStart, source.selectionEnd, "end");
		soon();
	});

	// open shows the file of the address, or the example.
	const open = async () => {
		source.value = example;
		arguments_.value = `{"city": "Oslo", "days": 20, "unit": "kelvin"}`;
		if (location.hash.startsWith(prefix)) {
			try {
				const {source: text, call} = await decode(location.hash);
				source.value = text;
				if (call) {
					select(called, [call.tool]);
					arguments_.value = call.arguments;
				}
			} catch (err) {
				$("status").textContent = "The link is broken: " + err.message;
			}
		}
		await update();
	};
	addEventListener("hashchange", () => { if (location.hash.startsWith(prefix)) open(); });

	const script = document.createElement("script");
	script.src = new URL("playground/mcpgen.js", root);
	script.onload = async () => {
		try {
			ask = await startProgram();
		} catch (err) {
			$("status").textContent = "mcpgen cannot run here: " + err.message;
			return;
		}
		await update();
	};
	script.onerror = () => { $("status").textContent = "playground/mcpgen.js cannot be loaded."; };
	open().then(() => document.head.append(script));
})();
