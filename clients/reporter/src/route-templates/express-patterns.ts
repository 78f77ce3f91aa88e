import { templateOfPath, templateOfRegExp } from './regexp-template.js';

/** Matches a path and returns its parameters; a wildcard's value is an array of segments. */
export type Matcher = (path: string) => false | { params: Readonly<Record<string, unknown>>; path: string };

/**
 * The form in which Express keeps a route or a mounted router: Express 4 a regular expression with its keys, Express 5 a matcher
 * for each of its paths, and since version 2.3 of its router the paths as well.
 */
export type Layer = {
  route?: { path?: unknown } | undefined;
  handle?: unknown;
  regexp?: RegExp & { fast_slash?: boolean };
  keys?: readonly { name: string | number }[];
  matchers?: readonly Matcher[];
  /** Takes every path, as does an expression with `fast_slash`. */
  slash?: boolean;
  rawPath?: unknown;
};

/** Stands for a regular expression that the router has hidden in a function. */
const hiddenRegExp = '/(regexp)';

/** Patterns of mounts by layer, the index among its paths, and the parameters that were given. */
const recovered = new WeakMap<Layer, Map<string, string | undefined>>();

/**
 * Returns the path of a route as its author wrote it; of several paths the one that matches.
 *
 * @param path the part of the request's path that the route has to match.
 */
export function routePattern(layer: Layer, path: string): string | undefined {
  const declared = layer.route?.path;
  if (!Array.isArray(declared)) return templateOfPath(declared);
  const paths: unknown[] = declared.flat(Infinity);
  const index = indexOfMatch(layer, path);
  return paths.length > index && index >= 0 ? templateOfPath(paths[index]) : undefined;
}

/**
 * Returns the path of a mounted router as its author wrote it, `/shops/:shop`; of several paths the one that matches.
 * Returns `undefined` when it cannot be known.
 *
 * @param path the part of the request's path that the mount has matched, `/shops/42`.
 */
export function mountPattern(layer: Layer, path: string): string | undefined {
  const index = indexOfMatch(layer, path);
  if (layer.rawPath !== undefined) {
    const pattern = templateOfPath(Array.isArray(layer.rawPath) ? layer.rawPath[index] : layer.rawPath);
    return pattern?.replace(/\/+$/, '');
  }
  if (layer.regexp !== undefined) return alternativesOf(layer)[index]?.template;
  return recover(layer, index, path);
}

/** Returns the part of a path that a mount takes; `undefined` for none. */
export function prefixOf(layer: Layer, path: string): string | undefined {
  if (layer.slash || layer.regexp?.fast_slash) return '';
  if (layer.regexp !== undefined) return layer.regexp.exec(path)?.[0];
  for (const matcher of layer.matchers ?? []) {
    const match = matcher(path);
    if (match) return match.path;
  }
  return undefined;
}

function indexOfMatch(layer: Layer, path: string): number {
  const tests = layer.matchers ?? alternativesOf(layer).map(({ matches }) => matches);
  return tests.length === 1 ? 0 : tests.findIndex((matches) => matches(path));
}

type Alternative = { matches(path: string): boolean; template: string };

const alternatives = new WeakMap<Layer, Alternative[]>();

/** Express 4 joins the expressions of several paths, each of which begins with `^`. */
function alternativesOf(layer: Layer): readonly Alternative[] {
  const known = alternatives.get(layer);
  if (known !== undefined) return known;
  const { regexp, keys = [] } = layer;
  const names = keys.map(({ name }) => name);
  const split = (regexp?.source ?? '').split(/\|(?=\^)/).map((source) => {
    const alternative = new RegExp(source, regexp?.flags);
    const groups = (new RegExp(`${source}|`).exec('')?.length ?? 1) - 1;
    const template = templateOfRegExp(source, names.splice(0, groups)).replace(/\/+$/, '');
    return { matches: (path: string) => alternative.test(path), template };
  });
  alternatives.set(layer, split);
  return split;
}

/**
 * Finds out where a matcher takes its parameters from, by replacing parts of the path and asking it again: only then it
 * is certain which of two equal segments is a parameter.
 */
function recover(layer: Layer, index: number, path: string): string | undefined {
  const matcher = layer.matchers?.[index];
  const match = matcher?.(path);
  if (matcher === undefined || !match) return undefined;
  if (matcher.name === 'regexpMatcher') return hiddenRegExp;
  const known = recovered.get(layer) ?? new Map<string, string | undefined>();
  recovered.set(layer, known);
  const key = `${index} ${Object.keys(match.params).join(' ')}`;
  if (!known.has(key)) known.set(key, probe(matcher, path));
  return known.get(key);
}

/** Characters that no path contains: the first of those for private use, one for each parameter. */
const firstMark = 0xe000;

function probe(matcher: Matcher, path: string): string | undefined {
  let marked = path;
  const match = matcher(path);
  const params = Object.entries(match ? match.params : {});
  for (const [i, [name, value]] of params.entries()) {
    const mark = String.fromCharCode(firstMark + i);
    const found = rangesOf(marked, value).find(([start, end]) =>
      takes(matcher, marked.slice(0, start) + mark + marked.slice(end), name, mark, params.slice(i + 1)),
    );
    if (found === undefined) return undefined;
    marked = marked.slice(0, found[0]) + mark + marked.slice(found[1]);
  }
  const template = params.reduce(
    (text, [name, value], i) =>
      text.replace(String.fromCharCode(firstMark + i), `${Array.isArray(value) ? '*' : ':'}${name}`),
    marked,
  );
  return templateOfPath(template);
}

/** Whether the matcher takes a mark for the value of a parameter, and nothing else changes. */
function takes(
  matcher: Matcher,
  path: string,
  name: string,
  mark: string,
  others: readonly [string, unknown][],
): boolean {
  const match = matcher(path);
  if (!match || match.path !== path || String(match.params[name]) !== mark) return false;
  return others.every(([other, value]) => String(match.params[other]) === String(value));
}

/** The parts of a path that have this value once they are decoded. */
function rangesOf(path: string, value: unknown): [start: number, end: number][] {
  const wanted = Array.isArray(value) ? value.join('/') : String(value);
  const ranges: [number, number][] = [];
  for (let start = 0; start < path.length; start += 1) {
    if (path.startsWith(wanted, start)) ranges.push([start, start + wanted.length]);
    for (let end = start + wanted.length + 1; end <= path.length; end += 1) {
      if (decoded(path.slice(start, end)) === wanted) ranges.push([start, end]);
    }
  }
  return ranges;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
