// The program of the playground: the generator of tools as WebAssembly. It needs no page, so that tests can run it.
"use strict";

// unzip returns the bytes of what is in gzip and Base64.
function unzip(base64) {
	const text = atob(base64), zipped = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) zipped[i] = text.charCodeAt(i);
	return new Response(new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// startProgram returns a function that answers questions. It needs wasm_exec.js, of the Go tree, and mcpgen.js, which has the
// program and the packages that files can import.
async function startProgram() {
	const module = await WebAssembly.compile(await unzip(program));
	globalThis.mcpgenPackages = new Uint8Array(await unzip(packages));

	// There is a disk, and it is empty.
	const missing = (...parameters) => parameters.at(-1)(Object.assign(new Error("no such file"), {code: "ENOENT"}));
	for (const operation of ["open", "stat", "lstat", "readdir"]) globalThis.fs[operation] = missing;

	let ended = true; // as it does if a file takes more memory than there is
	const start = async () => {
		const go = new Go();
		const instance = await WebAssembly.instantiate(module, go.importObject);
		ended = false;
		go.run(instance).finally(() => { ended = true; });
	};
	await start();
	return async question => {
		if (ended) await start();
		return JSON.parse(mcpgen(JSON.stringify(question)));
	};
}
