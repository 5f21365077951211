// What a page does beside being read: the search, and lists that are closed where there is no room beside the text.
"use strict";
(() => {
	const root = new URL(".", document.currentScript.src);

	// style.css moves the lists at the same widths.
	for (const [id, width] of [["pages", "56rem"], ["contents", "80rem"]]) {
		const list = document.getElementById(id);
		if (!list) continue;
		const wide = matchMedia(`(min-width: ${width})`);
		wide.onchange = () => { list.open = wide.matches; };
		wide.onchange();
	}
	const list = document.getElementById("pages");
	const current = list.querySelector("[aria-current]");
	list.scrollTop = current.offsetTop - list.clientHeight / 2;

	// What scrolls inside the page can be reached by the keyboard, which then scrolls it.
	const fit = new ResizeObserver(boxes => {
		for (const {target: box} of boxes) {
			if (box.scrollWidth > box.clientWidth) {
				box.tabIndex = 0;
				box.setAttribute("role", "group");
				box.setAttribute("aria-label", box.matches("pre") ? "Code" : "Table");
			} else {
				for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
			}
		}
	});
	for (const box of document.querySelectorAll("article > pre, article li pre, .table")) fit.observe(box);

	const query = document.getElementById("query"), found = document.getElementById("found");
	document.getElementById("search").hidden = false;

	// The index is a script, since a page of a file may not read other files. It is loaded when somebody searches.
	let index;
	const load = () => index ??= new Promise((done, failed) => {
		const script = document.createElement("script");
		script.src = new URL("pages.js", root);
		script.onload = () => done(prepare(pages));
		script.onerror = failed;
		document.head.append(script);
	});

	// marked returns an element with a text, in which the words of the query are marked.
	const marked = (name, text, stems) => {
		const element = document.createElement(name);
		let end = 0;
		for (const match of text.matchAll(/[\p{L}\p{N}]+/gu)) {
			if (!stems.has(stem(match[0].toLowerCase()))) continue;
			const mark = document.createElement("mark");
			mark.textContent = match[0];
			element.append(text.slice(end, match.index), mark);
			end = match.index + match[0].length;
		}
		element.append(text.slice(end));
		return element;
	};

	// excerpt returns some of a text, from shortly before the first word of the query on.
	const excerpt = (text, stems) => {
		const first = [...text.matchAll(/[\p{L}\p{N}]+/gu)].find(m => stems.has(stem(m[0].toLowerCase())))?.index ?? 0;
		const begin = first < 60 ? 0 : text.lastIndexOf(" ", first - 40) + 1;
		const end = begin + 180 < text.length ? text.lastIndexOf(" ", begin + 180) : text.length;
		return (begin > 0 ? "… " : "") + text.slice(begin, end) + (end < text.length ? " …" : "");
	};

	const search = async () => {
		const asked = query.value;
		if (asked.trim() === "") {
			found.hidden = true;
			return;
		}
		const results = rank(await load(), asked).slice(0, 10);
		if (asked !== query.value) return; // a later search is on its way
		found.replaceChildren(...results.map(({page, section, stems}) => {
			const a = document.createElement("a");
			a.href = new URL(page.url + (section.id ? "#" + section.id : ""), root);
			a.append(marked("strong", page.title, stems));
			if (section.heading) a.append(" › ", marked("span", section.heading, stems));
			a.append(marked("small", excerpt(section.text ?? "", stems), stems));
			return a;
		}));
		if (results.length === 0) {
			const none = document.createElement("p");
			none.textContent = "No page has these words.";
			found.append(none);
		}
		found.hidden = false;
		found.scrollTop = 0;
	};

	const close = () => { found.hidden = true; };
	query.addEventListener("focus", load, {once: true});
	query.addEventListener("input", search);
	query.addEventListener("focus", search);
	found.addEventListener("click", close); // of a link to this page
	document.addEventListener("pointerdown", e => { if (!e.target.closest("#search")) close(); });
	document.addEventListener("keydown", e => {
		if (e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && !e.target.closest("input, textarea")) {
			e.preventDefault();
			query.select();
			query.focus();
		}
		if (!e.target.closest("#search")) return;
		const stops = [query, ...found.querySelectorAll("a")];
		const at = stops.indexOf(document.activeElement);
		if (e.key === "Escape") {
			close();
			query.blur();
		} else if (e.key === "Enter" && at === 0 && !found.hidden) {
			stops[1]?.click();
		} else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
			e.preventDefault();
			stops[(at + (e.key === "ArrowDown" ? 1 : stops.length - 1)) % stops.length].focus();
		}
	});
})();
