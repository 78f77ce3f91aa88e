/** How exactly an answer must be the printed one: in its figures and texts as well, or in its fields and their types. */
export type Exactness = 'literal' | 'shape';

/**
 * Compares an answer with the one that the docs print, and returns what differs. In the docs `…` ends what is left out:
 * a text (`"019c1ac7-…"`), a list (`[348, 352, …]`), an object (`"…": "…"`). An object whose fields are days or
 * languages holds any of them. An entry of a list has the form of a printed entry. In a shape, a printed or answered null has any type.
 */
export function differences(
  printed: unknown,
  answered: unknown,
  exactness: Exactness,
  path = 'the answer',
): string[] {
  if (printed === null || answered === null) {
    return printed === answered || exactness === 'shape' ? [] : [`${path} is ${JSON.stringify(answered)}`];
  }
  if (typeof printed === 'object' && typeof answered === 'object') {
    if (Array.isArray(printed) !== Array.isArray(answered)) return [`${path} is not of the printed kind`];
    if (Array.isArray(printed)) return listDifferences(printed, answered as unknown[], exactness, path);
    return fieldDifferences(toFields(printed), toFields(answered), exactness, path);
  }
  // The highest bucket of a histogram is answered as a text.
  if (exactness === 'shape' && [printed, answered].includes('> 5000')) return [];
  if (typeof printed !== typeof answered) return [`${path} is ${JSON.stringify(answered)}`];
  if (exactness === 'shape' || printed === answered || isAbbreviated(printed, answered)) return [];
  return [`${path} is ${JSON.stringify(answered)} instead of ${JSON.stringify(printed)}`];
}

const isEmpty = ' is empty';

/** Returns the value of a printed block, whose lists may end with `…`. */
export function parsePrinted(text: string): unknown {
  return JSON.parse(text.replaceAll(/,\s*…\s*\]/g, ']'));
}

function listDifferences(
  printed: readonly unknown[],
  answered: readonly unknown[],
  exactness: Exactness,
  path: string,
): string[] {
  if (printed.length > 0 && answered.length === 0) return [`${path}${isEmpty}`];
  if (exactness === 'literal' && printed.length !== answered.length)
    return [`${path} has ${answered.length} entries`];
  const found = answered.map((entry, index) => {
    const candidates = exactness === 'literal' ? [printed[index]] : printed;
    const lists = candidates.map((one) => differences(one, entry, exactness, `${path}[${index}]`));
    return lists.find((list) => list.length === 0) ?? lists[0] ?? [];
  });
  // One of several services has every figure that is printed; another may lack some.
  const isShown = found.some((list) => list.length === 0);
  return found.flat().filter((text) => !(isShown && exactness === 'shape' && text.endsWith(isEmpty)));
}

function fieldDifferences(printed: Fields, answered: Fields, exactness: Exactness, path: string): string[] {
  const names = Object.keys(printed);
  if (isMap(names)) {
    const [value] = Object.values(printed);
    return Object.entries(answered).flatMap(([name, one]) =>
      differences(value, one, 'shape', `${path}.${name}`),
    );
  }
  const isOpen = names.includes('…');
  const unknown = Object.keys(answered).filter((name) => !isOpen && !names.includes(name));
  const missing = names.filter((name) => name !== '…' && !(name in answered));
  const common = names.filter((name) => name in answered);
  return [
    ...unknown.map((name) => `${path}.${name} is not printed`),
    ...missing.map((name) => `${path}.${name} is missing`),
    ...common.flatMap((name) => differences(printed[name], answered[name], exactness, `${path}.${name}`)),
  ];
}

/** Whether the fields are days or languages, of which an answer has its own. */
function isMap(names: readonly string[]): boolean {
  return names.includes('en') || (names.length > 0 && names.every((name) => /^\d{4}-\d\d-\d\d$/.test(name)));
}

function isAbbreviated(printed: unknown, answered: unknown): boolean {
  if (typeof printed !== 'string' || !printed.endsWith('…')) return false;
  // Ids of another moment begin with other digits.
  return (
    typeof answered === 'string' &&
    (/^[0-9a-f-]*…$/.test(printed) || answered.startsWith(printed.slice(0, -1)))
  );
}

type Fields = Record<string, unknown>;

function toFields(value: object): Fields {
  return { ...value };
}
