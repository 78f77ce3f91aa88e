/** Names of a regular expression's groups in their order, as the libraries of routes keep them; numbers have no name. */
export type GroupNames = readonly (string | number)[];

/**
 * Writes the source of a regular expression as a route template: `^\/shops\/(\d+)$` becomes `/shops/(\d+)`, and what a
 * library has made of `/shops/:shop` becomes that again. Texts stay as they are, so that no value of a request can get
 * in. The result has neither `?` nor `#`, which would end an endpoint.
 */
export function templateOfRegExp(source: string, names: GroupNames = []): string {
  const text = source.replaceAll('\\/', '/').replace(/^\^/, '');
  // Libraries append this so that a path may end with a slash, or go on after one.
  const path = text.replace(/(?:\/\?|\[\/#\\\?\]\??|\/#\?)?(?:\(\?[=:]\/\|\$\)|\$)?$/, '');
  const reader: Reader = { path, at: 0, group: 0, names };
  return withoutMarks(readSequence(reader));
}

/** Returns the path of a route as its author wrote it, without a slash at its end, or the source of a regular expression. */
export function templateOfPath(path: unknown): string | undefined {
  if (typeof path === 'string') return known.get(path) ?? remember(path);
  return path instanceof RegExp ? templateOfRegExp(path.source) : undefined;
}

/** Remembers paths that were asked for, so that a request costs a look. Routes are few; a router that makes them has no end. */
const known = new Map<string, string>();
const knownMax = 1_000;

function remember(path: string): string {
  const template = withoutMarks(path).replace(/(?<=.)\/$/, '');
  if (known.size < knownMax) known.set(path, template);
  return template;
}

/** Leaves out the marks of optional parts: `/shops/:shop?/items` becomes `/shops/:shop/items`. */
function withoutMarks(template: string): string {
  return template.replaceAll('?', '').replaceAll('#', '%23');
}

type Reader = { path: string; at: number; group: number; names: GroupNames };

/** The expression for a segment when a route does not say how it looks. */
const wholeSegment = /^(?:\[\^[^\]]*\]\+\??|\(\?:\(\?!.*\)\.\)\+\??|\[\\w%[^\]]*\]\+\??)$/;

function readSequence(reader: Reader): string {
  let written = '';
  while (reader.at < reader.path.length) {
    const next = reader.path[reader.at] ?? '';
    if (next === ')') break;
    if (next === '(') written += readGroup(reader);
    else if (next === '[') written += take(reader, endOfClass(reader.path, reader.at));
    else if (next === '\\') written += readEscape(reader);
    else written += take(reader, reader.at + 1);
  }
  return written;
}

/** Texts lose their backslash, classes such as `\d` keep it. */
function readEscape(reader: Reader): string {
  const written = take(reader, reader.at + 2);
  return /\w/.test(written[1] ?? '') ? written : written.slice(1);
}

function readGroup(reader: Reader): string {
  const start = reader.at;
  const [opening = '', named] =
    /^\((?:\?(?:<(?![=!])([^>]*)>|<?[=!]|:))?/.exec(reader.path.slice(start)) ?? [];
  const end = endOfGroup(reader.path, start);
  const inner = reader.path.slice(start + opening.length, end);
  const isCapture = opening === '(' || named !== undefined;
  if (!isCapture && opening !== '(?:') {
    // A condition on what follows or precedes takes no text.
    take(reader, end + 1);
    return '';
  }
  if (!isCapture) {
    take(reader, start + opening.length);
    const parts = readSequence(reader);
    take(reader, end + 1);
    return /\|/.test(parts) ? `(${parts})` : parts;
  }
  const name = named ?? reader.names[reader.group];
  reader.group += 1 + countCaptures(inner);
  take(reader, end + 1);
  const constraint = wholeSegment.test(inner) ? '' : `(${inner})`;
  if (typeof name === 'string') return `:${name}${constraint}`;
  return inner === '.*' || inner.startsWith('(?:[/') ? '*' : `(${inner})`;
}

function countCaptures(inner: string): number {
  return inner.match(/(?<!\\)\((?!\?)|\(\?<(?![=!])/g)?.length ?? 0;
}

function take(reader: Reader, end: number): string {
  const taken = reader.path.slice(reader.at, end);
  reader.at = Math.max(end, reader.at + 1);
  return taken;
}

function endOfClass(path: string, start: number): number {
  let at = start + 1;
  while (at < path.length && path[at] !== ']') at += path[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfGroup(path: string, start: number): number {
  let depth = 0;
  for (let at = start; at < path.length; at += 1) {
    const next = path[at];
    if (next === '\\') at += 1;
    else if (next === '[') at = endOfClass(path, at) - 1;
    else if (next === '(') depth += 1;
    else if (next === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return path.length;
}
