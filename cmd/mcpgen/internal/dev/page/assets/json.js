// JSON whose numbers stay as they are written, although JavaScript has none like 9007199254740993 or 1.0.

// parse parses JSON. A number that would change becomes a value that JSON.stringify writes as it was.
export function parse(text) {
  return JSON.parse(text, (_, value, context) => typeof value === "number" && context !== undefined && context.source !== String(value) ? JSON.rawJSON(context.source) : value);
}

// isNumber reports whether a value is a number, of either kind.
export const isNumber = value => typeof value === "number" || JSON.isRawJSON?.(value) === true;

// isObject reports whether a value has members by names.
export const isObject = value => value !== null && typeof value === "object" && !Array.isArray(value) && !isNumber(value);

// shown returns a value as a person writes it.
export const shown = value => typeof value === "string" ? value : JSON.stringify(value);

// holds reports whether a value has all that another one has: it may have more members.
export function holds(value, other) {
  if (Array.isArray(other)) return Array.isArray(value) && value.length === other.length && other.every((v, i) => holds(value[i], v));
  if (isObject(other)) return isObject(value) && Object.keys(other).every(name => Object.hasOwn(value, name) && holds(value[name], other[name]));
  return JSON.stringify(value) === JSON.stringify(other);
}

// pretty returns JSON text with line breaks. What is no JSON stays as it is.
export function pretty(text) {
  try {
    return JSON.stringify(parse(text), null, 2);
  } catch {
    return text;
  }
}
