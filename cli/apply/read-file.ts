import { Compile } from 'typebox/compile';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ApplyFile } from '../../contract/manage/apply.js';
import { describeFirstError } from '../../lib/parse-body.js';

/** Larger than any page needs: a thousand monitors take less than half of it. */
const bytesMax = 4 * 1024 * 1024;

/** An error of the file. The message begins with its place, such as `heartline.yml:12:3`. */
export class FileError extends Error {
  override name = 'FileError';
}

/** Keys of objects and indexes of lists, from the outside. */
export type FilePath = readonly (string | number)[];

export type ReadFile = {
  value: ApplyFile;
  /** The place of a value, such as `heartline.yml:12:3`; for a path that is not there, the place of its parent. */
  placeOf(path: FilePath): string;
};

let check: ReturnType<typeof Compile<typeof ApplyFile>> | undefined;

/**
 * Reads a file of `heartline apply`, in YAML 1.2 or JSON.
 *
 * @param name how messages name the file.
 * @throws FileError for malformed YAML, a key that is there twice, an unknown field, and a value that cannot be.
 */
export function readApplyFile(text: string, name: string): ReadFile {
  if (Buffer.byteLength(text) > bytesMax) throw new FileError(`${name} has more than ${bytesMax} bytes.`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new FileError(`${placeAt(problem.pos[0])}: ${problem.message}`);
  const placeOf = (path: FilePath) => placeAt(offsetOf(document.contents, path, document));
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  check ??= Compile(ApplyFile);
  if (check.Check(value)) return { value, placeOf };
  const [error] = check.Errors(value);
  const path = (error?.instancePath ?? '').split('/').slice(1).map(unescaped);
  throw new FileError(`${placeOf(path)}: ${describe(describeFirstError(check, value))}`);
}

/** A section that this version does not know may be of a later one. */
function describe(sentence: string): string {
  const [, section] = /^There is no field \/(\w+) here\./.exec(sentence) ?? [];
  if (section === undefined) return sentence.replace(/^The body/, 'The file');
  const sections = Object.keys(ApplyFile.properties).filter((key) => !key.startsWith('$'));
  return `There is no section "${section}" in this version; the sections are ${sections.join(', ')}.`;
}

/** A part of a JSON pointer (RFC 6901). */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The index into the text at which the value begins, or its key in a map. */
function offsetOf(root: Node | null, path: FilePath, document: ReturnType<typeof parseDocument>): number {
  let node: unknown = root;
  let offset = 0;
  for (const part of path) {
    const held = isAlias(node) ? node.resolve(document) : node;
    if (isMap(held)) {
      const pair = held.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) return offset;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(held)) {
      node = held.items[Number(part)];
      offset = startOf(node) ?? offset;
    } else return offset;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) && node.range
    ? node.range[0]
    : undefined;
}
