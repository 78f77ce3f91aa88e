import { readFile } from 'node:fs/promises';
import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { makeKey } from '../support/pages.js';
import { rejectionsOf } from '../support/rejections.js';
import { startTestService } from '../support/service.js';

type Mistake = {
  what: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  status: number;
  /** The message, and the hint where there is one. */
  sentences: string[];
};

const api = await startTestService(t);
const { key: manageKey } = await makeKey(
  { sql: api.stores.sql, clock: systemClock },
  { slug: 'acme', scope: 'manage' },
);
const keys: Readonly<Record<string, string>> = {
  INGEST: api.ingestKey,
  INCIDENT: api.incidentKey,
  READ: api.readKey,
  MANAGE: manageKey,
};

const text = await readFile(new URL('../../../docs/mistakes.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Over HTTP$(.*?)^## /ms.exec(text) ?? [];
const mistakes = section
  .split('\n')
  .filter((line) => /^\| .* \| \d{3} \|/.test(line))
  .map(parseRow);

function parseRow(line: string): Mistake {
  const [what = '', request = '', status, answer = ''] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  const [address = '', ...rest] = codeOf(request);
  const [method = '', path = ''] = address.split(' ');
  const isHeader = (code: string) => /^[a-z-]+: /.test(code);
  const headers = Object.fromEntries(
    rest.filter(isHeader).map((code) => code.split(': ') as [string, string]),
  );
  const body = rest.find((code) => !isHeader(code));
  return { what, method, path, headers, body, status: Number(status), sentences: codeOf(answer) };
}

function codeOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function withKeys(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(/\b(?:INGEST|INCIDENT|READ|MANAGE)\b/, (word) => keys[word] ?? word),
    ]),
  );
}

/** `…` stands for what differs each time. */
function formOf(sentence: string): RegExp {
  return new RegExp(`^${sentence.split('…').map(escaped).join('.*')}$`, 's');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

t.test('the documented mistakes over HTTP are thirty-two', async (t) => {
  t.equal(mistakes.length, 32);
  t.equal(new Set(mistakes.map(({ what }) => what)).size, 32);
});

for (const { what, method, path, headers, body, status, sentences } of mistakes) {
  t.test(`${what}: the documented answer`, async (t) => {
    const answer = await api.post(path, body, { key: null, method, headers: withKeys(headers) });
    t.equal(answer.status, status);
    const { error, hint } = answer.body as { error?: string; hint?: string };
    const said = [error ?? rejectionsOf(answer)[0]?.message, hint].filter(
      (sentence) => sentence !== undefined,
    );
    t.equal(said.length, sentences.length, said.join(' '));
    for (const [i, sentence] of sentences.entries()) t.match(said[i], formOf(sentence));
  });
}
