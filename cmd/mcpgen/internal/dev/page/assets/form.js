// Forms made from JSON Schemas. A field returns JSON text, so that numbers stay as typed, or undefined if it is left out.
// Values that no form can express are edited as JSON.

import {el, fill, unique} from "./dom.js";
import {isNumber, isObject, parse, shown} from "./json.js";

// form makes the fields of an object from its schema.
export function form(schema) {
  const top = object(schema ?? {}, schema ?? {}, 0);
  return {
    node: el("div.fields", {}, top.fields.length > 0 || top.open ? top.inner : el("p.quiet", {}, "No arguments.")),
    text: () => top.text(),
    // typed returns the text without fields that are not valid yet, and whether it is complete.
    typed: () => top.typed(),
    set: value => top.set(value),
    // problems shows what is wrong with fields, by name.
    problems: fields => top.fields.forEach(f => f.problem(fields?.[f.name])),
  };
}

// resolve follows references within the schema, and merges the schemas of allOf.
export function resolve(schema, root) {
  for (let n = 0; n < 20 && schema && typeof schema.$ref === "string"; n++) {
    const {$ref, ...rest} = schema;
    const target = at(root, $ref);
    if (target === undefined) return rest;
    schema = {...target, ...rest};
  }
  if (!schema || typeof schema !== "object") return {};
  if (Array.isArray(schema.allOf) && schema.allOf.length > 0) {
    const {allOf, ...rest} = schema;
    return allOf.map(part => resolve(part, root)).reduce((all, part) => ({
      ...all, ...part,
      properties: {...all.properties, ...part.properties},
      required: [...(all.required ?? []), ...(part.required ?? [])],
    }), rest);
  }
  return schema;
}

// at returns what a reference like #/$defs/Name points to.
function at(root, ref) {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  try {
    return ref.slice(2).split("/").map(part => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce((value, part) => Object.hasOwn(value, part) ? value[part] : undefined, root);
  } catch {
    return undefined;
  }
}

// types returns the types that a schema allows, apart from null.
export function types(schema) {
  const all = Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : schema.properties ? ["object"] : [];
  return all.filter(t => t !== "null");
}

const variantsOf = (schema, root) => (schema.anyOf ?? schema.oneOf ?? []).map(v => resolve(v, root)).filter(v => v.type !== "null");

// choicesOf returns the values that can be chosen, as [value, title].
function choicesOf(schema, root) {
  if (Object.hasOwn(schema, "const")) return [[schema.const, JSON.stringify(schema.const)]];
  if (Array.isArray(schema.enum)) return schema.enum.filter(v => v !== null).map((v, i) => [v, schema.enumNames?.[i] ?? shown(v)]);
  const variants = variantsOf(schema, root);
  if (variants.length > 0 && variants.every(v => Object.hasOwn(v, "const"))) return variants.map(v => [v.const, v.title ?? shown(v.const)]);
  return undefined;
}

// control makes an editor of a value: {node, text, set, input}, where input is the element that the label belongs to.
function control(schema, root, required, depth) {
  const choices = choicesOf(schema, root);
  if (choices) return select(choices, required, schema.default);
  const [type, ...others] = types(schema);
  const variants = variantsOf(schema, root);
  if (variants.length === 1) return control({...schema, anyOf: undefined, oneOf: undefined, ...variants[0]}, root, required, depth);
  if (variants.length > 1 && depth < 8) return variant(schema, variants, root, required, depth);
  if (others.length > 0) return json(schema, required);
  switch (type) {
  case "string": return kindsOfInput[schema.format] ? line(schema, kindsOfInput[schema.format], required) : text(schema, required);
  case "integer": case "number": return number(schema);
  case "boolean": return select([[true, "true"], [false, "false"]], required, schema.default);
  case "array": if (!schema.prefixItems && !Array.isArray(schema.items) && depth < 8) return list(schema, root, required, depth); break;
  case "object":
    if (isMap(schema) && depth < 8) return map(schema, root, required, depth);
    if (Object.keys(schema.properties ?? {}).length > 0 && depth < 8) return nested(schema, root, required, depth);
    break;
  }
  return json(schema, required);
}

// kindsOfInput has the types of input that browsers have for formats.
const kindsOfInput = {date: "date", email: "email", uri: "url"};

// typed makes an element to type a value into, with the default value, or a hint at what to type.
function typed(what, schema, attributes) {
  const input = el(what, {autocomplete: "off", spellcheck: "false", id: unique("field"), ...attributes});
  if (schema.default !== undefined) input.value = shown(schema.default);
  const hint = schema.examples?.[0] ?? {"date-time": "2026-01-31T12:00:00Z", duration: "PT1H30M", uuid: "00000000-0000-0000-0000-000000000000"}[schema.format];
  if (hint !== undefined) input.placeholder = shown(hint);
  return {node: input, input, set: value => { input.value = value === undefined || value === null ? "" : shown(value); }};
}

function line(schema, type, required) {
  const c = typed("input", schema, {type});
  return {...c, text: () => c.input.value === "" && !required ? undefined : JSON.stringify(c.input.value)};
}

function number(schema) {
  const c = typed("input", schema, {type: "text", inputmode: "decimal"});
  return {...c, text: () => {
    const value = c.input.value.trim();
    if (value === "") return undefined;
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) throw new Error(`${value} is no number`);
    return value.replace(/^(-?)0+(?=\d)/, "$1");
  }};
}

const [longText, mostRows] = [200, 16];

// text edits a text, which may have several lines. Enter begins a line if several are expected, Shift+Enter always does.
export function text(schema, required) {
  const long = Number(shown(schema.maxLength ?? 0)) > longText || String(schema.contentMediaType ?? "").startsWith("text/");
  const c = typed("textarea", schema, {}), least = long ? 4 : 1;
  const fit = () => { c.input.rows = Math.min(mostRows, Math.max(least, c.input.value.split("\n").length)); };
  c.input.addEventListener("input", fit);
  enter(c.input, () => !long && !c.input.value.includes("\n") && !matchMedia("(pointer: coarse)").matches);
  fit();
  return {
    ...c, text: () => c.input.value === "" && !required ? undefined : JSON.stringify(c.input.value),
    set: value => {
      c.set(value);
      fit();
    },
  };
}

// enter makes Ctrl+Enter submit the form around a text, and Enter alone if alone() allows it.
function enter(input, alone) {
  input.addEventListener("keydown", event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !(event.ctrlKey || event.metaKey || alone())) return;
    event.preventDefault();
    input.form?.requestSubmit();
  });
}

function select(choices, required, preset) {
  const input = el("select", {id: unique("field")}, !(required && choices.length === 1) && el("option", {value: ""}, required ? "choose…" : "leave out"),
    choices.map(([, title], i) => el("option", {value: String(i)}, title)));
  const set = value => {
    const i = choices.findIndex(([v]) => JSON.stringify(v) === JSON.stringify(value));
    input.value = i < 0 ? "" : String(i);
  };
  if (preset !== undefined) set(preset);
  return {node: input, input, set, text: () => input.value === "" ? undefined : JSON.stringify(choices[Number(input.value)][0])};
}

// json edits a value as JSON.
function json(schema, required) {
  const input = el("textarea.json", {id: unique("field"), rows: "3", spellcheck: "false", placeholder: "JSON"});
  enter(input, () => false);
  const set = value => { input.value = value === undefined ? "" : JSON.stringify(value, null, 2); };
  set(schema.default);
  return {
    node: input, input, set,
    text: () => {
      if (input.value.trim() === "") {
        if (required) throw new Error("JSON is required here");
        return undefined;
      }
      parse(input.value);
      return input.value;
    },
  };
}

// several edits things in rows, which make(n, ...) makes: {node, input, …}.
function several(label, make) {
  const items = [], rows = el("div.rows");
  const append = (...values) => {
    const item = make(items.length + 1, ...values);
    items.push(item);
    const row = el("div.row", {}, item.node, el("button.small.icon", {type: "button", "aria-label": "remove this item", onclick: () => {
      items.splice(items.indexOf(item), 1);
      row.remove();
    }}, "✕"));
    rows.append(row);
    return item;
  };
  const button = el("button.small", {type: "button", id: unique("field"), onclick: () => append().input?.focus()}, label);
  return {items, node: el("div.list", {}, rows, button), input: button, set: all => {
    items.length = 0;
    fill(rows);
    for (const values of all) append(...values);
  }};
}

// list edits an array, item by item.
function list(schema, root, required, depth) {
  const of = resolve(schema.items ?? {}, root);
  const {items, ...rows} = several(choicesOf(of, root) ? "+ choose one" : "+ item", (n, value) => {
    const item = control(of, root, true, depth + 1);
    if (value !== undefined) item.set(value);
    item.input?.setAttribute("aria-label", `item ${n}`);
    return {...item, node: el("div.grow", {}, item.node)};
  });
  const set = value => rows.set(Array.isArray(value) ? value.map(v => [v]) : []);
  set(schema.default);
  return {...rows, set, text: () => items.length === 0 && !required ? undefined : `[${items.map(i => i.text() ?? "null").join(",")}]`};
}

// map edits an object whose members have any names, and values of one schema.
function map(schema, root, required, depth) {
  const names = {type: "string", examples: ["name"], ...resolve(schema.propertyNames ?? {}, root)}, values = resolve(schema.additionalProperties, root);
  const {items, ...rows} = several("+ entry", (n, name, value) => {
    const [key, item] = [names, values].map(of => control(of, root, true, depth + 1));
    if (name !== undefined) {
      key.set(name);
      item.set(value);
    }
    key.input?.setAttribute("aria-label", `name ${n}`);
    item.input?.setAttribute("aria-label", `value ${n}`);
    return {input: key.input, key, item, node: [el("div.member", {}, key.node), el("div.grow", {}, item.node)]};
  });
  const set = value => rows.set(isObject(value) ? Object.entries(value) : []);
  set(schema.default);
  const text = () => {
    const members = new Map();
    for (const {key, item} of items) {
      const [name, value] = [key.text(), item.text()];
      if (name === undefined) throw new Error("a name is missing");
      if (members.has(name)) throw new Error(`${name} is there twice`);
      if (value === undefined) throw new Error(`${name} has no value`);
      members.set(name, value);
    }
    return `{${[...members].map(m => m.join(":")).join(",")}}`;
  };
  return {...rows, set, text: () => items.length === 0 && !required ? undefined : text()};
}

// isMap reports whether a schema is that of an object whose members have any names, and values of one schema, which may
// say nothing.
const isMap = schema => (schema.additionalProperties === true || isObject(schema.additionalProperties)) && Object.keys(schema.properties ?? {}).length === 0;

// nested edits an object within another. An optional object exists once it is added.
function nested(schema, root, required, depth) {
  const box = el("div.nested"), all = {};
  const button = el("button.small", {type: "button", id: unique("field"), onclick: () => all.fields ? remove() : make()});
  const make = () => {
    all.fields = object(schema, root, depth + 1);
    fill(box, all.fields.inner);
    button.textContent = "leave out";
  };
  const remove = () => {
    all.fields = undefined;
    fill(box);
    button.textContent = "+ add";
  };
  if (required || schema.default !== undefined) make();
  else remove();
  if (schema.default !== undefined) all.fields.set(schema.default);
  return {
    node: el("div.object", {}, box, !required && button), input: required ? undefined : button,
    text: () => all.fields?.text(),
    set: value => {
      if (value === undefined || value === null) {
        if (!required) remove();
        return;
      }
      make();
      all.fields.set(value);
    },
  };
}

// variant edits a value that has one of several shapes.
function variant(schema, variants, root, required, depth) {
  const box = el("div.nested"), now = {};
  const title = (v, i) => v.title ?? discriminator(v) ?? (types(v)[0] ? `${types(v)[0]}` : `variant ${i + 1}`);
  const choice = el("select", {id: unique("field"), onchange: () => show(Number(choice.value))},
    !required && el("option", {value: "-1"}, "leave out"), variants.map((v, i) => el("option", {value: String(i)}, title(v, i))));
  const show = i => {
    choice.value = String(i);
    now.control = i < 0 ? undefined : control(variants[i], root, true, depth + 1);
    now.control?.input?.setAttribute("aria-label", "value");
    fill(box, now.control?.node);
  };
  show(required ? 0 : -1);
  const set = value => {
    if (value === undefined) return;
    show(Math.max(0, variants.findIndex(v => fits(v, value))));
    now.control.set(value);
  };
  set(schema.default);
  return {node: el("div.variant", {}, choice, box), input: choice, set, text: () => now.control?.text()};
}

// discriminator returns the constant that tells an object from others.
function discriminator(schema) {
  for (const member of Object.values(schema.properties ?? {})) if (typeof member?.const === "string") return member.const;
  return undefined;
}

// fits reports whether a value looks like one of a variant.
function fits(schema, value) {
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : isNumber(value) ? "number" : typeof value;
  const [type] = types(schema);
  if (type !== undefined && type !== kind && !(type === "integer" && kind === "number")) return false;
  if (kind !== "object") return true;
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (member && Object.hasOwn(member, "const") && JSON.stringify(member.const) !== JSON.stringify(value[name])) return false;
  }
  return (schema.required ?? []).every(name => Object.hasOwn(value, name));
}

// object makes the fields of an object's members, and one field for members that the schema does not name.
function object(schema, root, depth) {
  schema = resolve(schema, root);
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, member]) => field(name, resolve(member, root), root, required.has(name), depth));
  const open = Boolean(schema.additionalProperties && typeof schema.additionalProperties === "object") || fields.length === 0 && schema.additionalProperties === true;
  const others = open ? field("other members", {type: "object", additionalProperties: schema.additionalProperties, description: "Further members."}, root, false, depth) : undefined;
  const gather = () => {
    const members = [];
    let wrong;
    for (const f of [...fields, others].filter(Boolean)) {
      try {
        const text = f.text();
        if (text !== undefined) members.push(f === others ? membersOf(text) : `${JSON.stringify(f.name)}:${text}`);
        f.problem(undefined);
      } catch (error) {
        f.problem(error.message);
        wrong ??= error;
      }
    }
    return {text: `{${members.filter(Boolean).join(",")}}`, wrong};
  };
  return {
    fields, open,
    inner: el("div.fields", {}, fields.map(f => f.node), others?.node),
    text: () => {
      const {text, wrong} = gather();
      if (wrong) throw wrong;
      return text;
    },
    typed: gather,
    set: value => {
      const rest = isObject(value) ? {...value} : {};
      for (const f of fields) {
        f.set(rest[f.name]);
        delete rest[f.name];
      }
      if (others) others.set(Object.keys(rest).length > 0 ? rest : undefined);
    },
  };
}

// membersOf returns the text of a JSON object between its braces.
function membersOf(text) {
  if (!isObject(parse(text))) throw new Error("want a JSON object");
  return text.trim().slice(1, -1).trim();
}

// field makes the field of a member, with its label.
function field(name, schema, root, required, depth) {
  const c = control(schema, root, required, depth);
  const problem = el("p.wrong", {id: unique("wrong"), hidden: true});
  const about = schema.description ? el("p.about", {id: unique("about")}, schema.description) : undefined;
  const label = el(c.input ? "label" : "span.label", c.input ? {for: c.input.id} : {},
    schema.title ?? name, required && el("span.required", {title: "required"}, " *"),
    el("span.kind", {}, ` ${kind(schema, root)}`), schema.title && schema.title !== name && el("code", {}, ` ${name}`));
  c.input?.setAttribute("aria-describedby", [about?.id, problem.id].filter(Boolean).join(" "));
  if (required) c.input?.setAttribute("aria-required", "true");
  return {
    name, node: el("div.field", {"data-name": name}, label, c.node, about, problem), set: c.set, text: c.text,
    problem: text => {
      problem.hidden = text === undefined;
      problem.textContent = text ?? "";
      if (text === undefined) c.input?.removeAttribute("aria-invalid");
      else c.input?.setAttribute("aria-invalid", "true");
    },
  };
}

// kind describes a schema in a few words.
function kind(schema, root) {
  if (choicesOf(schema, root)) return "";
  const words = [types(schema).join(" or ")];
  if (schema.type === "array") words[0] = `list of ${types(resolve(schema.items ?? {}, root)).join(" or ") || "values"}`;
  if (schema.type === "object" && isMap(schema)) words[0] = `${types(resolve(schema.additionalProperties, root)).join(" or ") || "values"} by name`;
  if (schema.format) words.push(schema.format);
  const low = schema.minimum ?? schema.exclusiveMinimum, high = schema.maximum ?? schema.exclusiveMaximum;
  if (low !== undefined && high !== undefined) words.push(`${shown(low)}–${shown(high)}`);
  else if (low !== undefined) words.push(`from ${shown(low)}`);
  else if (high !== undefined) words.push(`up to ${shown(high)}`);
  if (schema.maxLength !== undefined) words.push(`≤ ${shown(schema.maxLength)} characters`);
  return words.filter(Boolean).join(", ");
}
