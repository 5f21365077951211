// The ranking of the search. It needs no page, so that tests can run it.
"use strict";

// Words that say nothing about what is looked for; they are not counted.
const idle = new Set(`a about add all an and any are as at be by can do does for from get getting have how i if in into is it its
	make me my of on one or should so that the their them there this to up use used using want was we what when where which
	who why will with without you your`.split(/\s+/));

// What newcomers call what the pages call otherwise.
const otherwise = {
	migrate: ["coming", "moving"], migration: ["coming", "moving"], port: ["coming", "moving"], switch: ["coming", "moving"],
	login: ["log", "authorization"], oauth: ["authorization"], auth: ["authorization"],
	throttle: ["limit", "overload"], begin: ["first"], begun: ["first"], started: ["first"], tutorial: ["first"],
	claude: ["publishing"], desktop: ["publishing"], editor: ["publishing"], vs: ["publishing"], vscode: ["publishing"],
	docker: ["deploying"], stable: ["promise", "versioning"], compatible: ["promise", "versioning"], upgrade: ["versioning"],
	version: ["revision"], elicitation: ["asking"], elicit: ["asking"], metrics: ["observability"], tracing: ["observability"],
};

// stem returns what the forms of a word have in common, more or less.
function stem(word) {
	const short = word.length < 5 ? word.replace(/([^s])s$/, "$1") : word.replace(/(ings?|ed|es|s)$/, "");
	return (short.length < 3 ? word : short).replace(/e$/, "");
}

function words(text) {
	return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

// count counts the words of a text by their stems.
function count(text) {
	const counts = new Map();
	for (const word of words(text)) {
		if (idle.has(word)) continue;
		const s = stem(word);
		counts.set(s, (counts.get(s) ?? 0) + 1);
	}
	return counts;
}

// pairs returns which words of a text follow each other, unless neither says anything.
function pairs(text) {
	const all = words(text);
	return all.slice(1).flatMap((word, i) => idle.has(word) && idle.has(all[i]) ? [] : [stem(all[i]) + " " + stem(word)]);
}

// prepare counts the words of pages for rank.
function prepare(pages) {
	const parts = [];
	for (const page of pages) {
		const title = count(page.title + " " + page.url.match(/[^/]*(?=\.html$)/)[0]);
		for (const section of page.sections) {
			const text = count(section.text ?? "");
			let length = 0;
			for (const n of text.values()) length += n;
			const heading = section.heading ?? page.title;
			parts.push({page, section, title, heading: count(heading), said: new Set(pairs(heading)), text, length});
		}
	}
	const vocabulary = new Set(parts.flatMap(p => [...p.title.keys(), ...p.heading.keys(), ...p.text.keys()]));
	return {parts, vocabulary, mean: parts.reduce((sum, p) => sum + p.length, 0) / parts.length};
}

// rank returns the pages that a query finds, best first, each with its best section, its score, and the stems that match.
function rank({parts, vocabulary, mean}, query) {
	const asked = [...new Set(words(query))].filter(word => !idle.has(word));
	// Each word stands for stems that begin like its own, which weigh less, and for other words.
	const terms = asked.map(word => {
		const weights = new Map();
		const own = stem(word);
		if (own.length > 2) for (const s of vocabulary) if (s.startsWith(own)) weights.set(s, .6);
		for (const other of otherwise[word] ?? []) weights.set(stem(other), .8);
		if (vocabulary.has(own)) weights.set(own, 1);
		return weights;
	});
	const best = (weights, counts) => [...weights].reduce((best, [s, w]) => counts.has(s) ? Math.max(best, w) : best, 0);
	// A title or a heading weighs more the less else it says.
	const share = (weights, counts) => best(weights, counts) / Math.sqrt(counts.size || 1);
	const sum = (weights, counts) => [...weights].reduce((sum, [s, w]) => sum + w * (counts.get(s) ?? 0), 0);
	const found = parts.map(part => ({part, score: 0}));
	for (const weights of terms) {
		const here = parts.map(p => sum(weights, p.text) + sum(weights, p.heading) + sum(weights, p.title));
		const rarity = Math.log(1 + parts.length / (1 + here.filter(n => n > 0).length));
		for (const f of found) {
			const {page, title, heading, text, length} = f.part;
			const n = sum(weights, text);
			f.score += rarity * page.weight * (4 * share(weights, title) + 3 * share(weights, heading) + n / (n + .4 + .8 * length / mean));
		}
	}
	// A heading that says the same in the same order, such as the message of an error, is what is looked for.
	const said = pairs(query);
	for (const f of found) {
		if (said.length > 0) f.score *= 1 + 2 * (said.filter(pair => f.part.said.has(pair)).length / said.length) ** 2;
	}
	const pages = new Map();
	for (const {part: {page, section}, score} of found) {
		if (score > (pages.get(page)?.score ?? 0)) pages.set(page, {page, section, score});
	}
	const stems = new Set(terms.flatMap(weights => [...weights.keys()]));
	return [...pages.values()].sort((a, b) => b.score - a.score).map(result => ({...result, stems}));
}
