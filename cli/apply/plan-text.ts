import type { Change, FieldChange, Plan } from './change.js';

const signs = { create: '+', update: '~', replace: '±', delete: '-' } as const;
const verbs = { create: 'created', update: 'changed', replace: 'replaced', delete: 'deleted' } as const;

/** A plan as text: each change with its fields, and how many there are. `isDone` says that they were made. */
export function planText({ page, changes, kept }: Plan, { isDone }: { isDone: boolean }): string {
  const lines = changes.flatMap(changeLines);
  if (kept.length > 0) {
    const names = kept.map(({ noun, name }) => `${noun} ${name}`).join(', ');
    lines.push(`Not in the file, and kept without --prune: ${names}`);
  }
  if (changes.length === 0) return [...lines, `${page} is as the file says.`, ''].join('\n');
  const counts = Object.entries(verbs).flatMap(([verb, word]) => {
    const count = changes.filter((change) => change.verb === verb).length;
    return count === 0 ? [] : [`${count} ${isDone ? word : `to be ${word}`}`];
  });
  return [...lines, `${page}: ${counts.join(', ')}.`, ''].join('\n');
}

function changeLines({ verb, noun, name, fields }: Change): string[] {
  const width = Math.max(0, ...fields.map(({ field }) => field.length));
  return [`${signs[verb]} ${noun} ${name}`, ...fields.map((field) => `    ${fieldText(field, width, verb)}`)];
}

function fieldText({ field, before, after }: FieldChange, width: number, verb: Change['verb']): string {
  const value = verb === 'create' ? shown(after) : `${shown(before)} → ${shown(after)}`;
  return `${field.padEnd(width)}  ${value}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value.startsWith('(') ? value : JSON.stringify(value);
  return value === null || value === undefined ? 'none' : JSON.stringify(value);
}

/** A plan as `--json` prints it. */
export function planJson({ page, changes, kept }: Plan): object {
  return {
    page,
    changes: changes.map(({ verb, noun, name, fields }) => ({ verb, noun, name, fields })),
    kept: kept.map(({ noun, name }) => ({ noun, name })),
  };
}
