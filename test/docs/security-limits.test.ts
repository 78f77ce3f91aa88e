import { readFile } from 'node:fs/promises';
import t from 'tap';

const root = new URL('../../../', import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');

/** Rows of the table of limits: what is bounded, the bound, and the constant that holds it. */
async function readLimits(): Promise<{ bound: string; name: string; file: string }[]> {
  const text = await read('docs/security.md');
  const form = /^\|[^|]+\| ([^|]+) \| `(\w+)` in `([\w./-]+)` \|$/gm;
  return [...text.matchAll(form)].map(([, bound = '', name = '', file = '']) => ({ bound, name, file }));
}

const units: Readonly<Record<string, number>> = {
  ...{ secondMs: 1_000, minuteMs: 60_000, hourMs: 3_600_000, dayMs: 86_400_000 },
  ...{ KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, kB: 1_000, MB: 1_000_000 },
  ...{ ms: 1, s: 1_000, min: 60_000, h: 3_600_000 },
};

/** A product of numbers and units, such as `4 * 1024`, `20 * secondMs`, `4 KiB`. */
function product(text: string): number {
  return text
    .replaceAll(/[_,]/g, '')
    .split(/[\s*]+/)
    .filter(Boolean)
    .reduce((all, factor) => all * (units[factor] ?? Number(factor)), 1);
}

/** The value of a constant, or of a property of one, as the file writes it; times in milliseconds. */
async function readConstant({ name, file }: { name: string; file: string }): Promise<number | undefined> {
  const [, text] =
    new RegExp(`\\b${name}(?: =|:) ((?:[\\d_]+|\\w+Ms)(?: \\* \\w+)*)[;, ]`).exec(await read(file)) ?? [];
  if (text === undefined) return undefined;
  return product(text) * (/seconds/i.test(name) && !/Ms/.test(name) ? 1_000 : 1);
}

t.test('docs/security.md has the limits of the code', async (t) => {
  const limits = await readLimits();
  t.ok(limits.length > 30);
  for (const limit of limits) {
    t.equal(
      await readConstant(limit),
      product(limit.bound),
      `${limit.name} in ${limit.file}: ${limit.bound}`,
    );
  }
});
