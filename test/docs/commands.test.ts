import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { requestAt } from '../support/request-at.js';
import { isThirdTier } from '../support/tiers.js';
import { differences, parsePrinted } from './compare-answer.js';
import { type Exchange, exchanges } from './exchanges.js';
import { exemptions } from './exempt-blocks.js';
import { type Installation, install, type Keys } from './installation.js';
import { preparations } from './preparations.js';
import { type Block, type Page, readPages } from './read-blocks.js';
import { idPlaceholders, substitute } from './substitutions.js';

/**
 * Does what the README and the first steps print, and in the third tier all docs, in the order of their blocks, as a reader does: with one service, the pages
 * `demo` and `acme`, and a shell whose variables last for one page of the docs. Answers must be the printed ones.
 * test/docs/javascript.test.ts checks the JavaScript.
 */
const run = promisify(execFile);
const commandMsMax = 120_000;
/** A reader sees the error in an answer; `curl` counts it as a success unless `--fail` is given. */
const failingCurl = 'curl() { command curl --fail-with-body "$@"; }';

t.setTimeout(1_200_000);

const pages = await readPages();
const installation = await install(t);
let acmeKeys: Promise<Keys> | undefined;
let acmeManageKey: Promise<string> | undefined;

const firstSteps = ['README.md', 'docs/get-started.md'];

for (const page of pages.filter(({ path }) => isThirdTier || firstSteps.includes(path))) {
  await t.test(page.path, async (t) => {
    const now = Date.now();
    const shell = openShell(page, installation, now);
    let answer: unknown;
    for (const block of page.blocks) {
      const place = `${block.page}:${block.line}`;
      const exchange = exchangeAt(block);
      if (isExempt(block)) continue;
      const given = await prepare(block);
      if (given !== undefined) answer = given;
      if (exchange !== undefined) {
        if (exchange.send !== 'nothing' && startsExchange(exchange, block))
          answer = await send(exchange, block, now);
        if (begins(block, exchange.answer)) compare(t, place, exchange, block, answer, now);
      } else if (block.language === 'sh') {
        answer = await runBlock(t, place, shell, block);
      } else if (block.language === 'json') {
        compare(t, place, { exactness: 'literal' }, block, answer, now);
      } else if (block.language === 'sql') {
        const sent = { page: page.path, send: 'POST /api/v1/analytics/sql', key: 'read' } as const;
        // A statement without parameters takes no notice of the range.
        const given = JSON.stringify({ sql: block.text, from: 'now-24h', to: 'now' });
        const rows = await send({ ...sent, given }, block, now);
        t.match(rows, { meta: Array, data: Array }, place);
      } else if (['html', 'markdown'].includes(block.language)) {
        await fetchAddresses(t, place, block, now);
      } else if (block.language !== 'js')
        t.fail(`${place} is neither run nor exempt: ${block.text.slice(0, 60)}`);
    }
  });
}

t.test('every exemption and every exchange is of a block that exists', async (t) => {
  const blocks = pages.flatMap((page) => page.blocks);
  const count = (page: string, starts: string) =>
    blocks.filter((block) => block.page === page && begins(block, starts)).length;
  for (const { page, starts } of [...exemptions, ...preparations])
    t.equal(count(page, starts), 1, `${page}: ${starts}`);
  for (const { reason } of exemptions) {
    const [path] = /test\/[\w./-]+/.exec(reason) ?? [];
    if (path !== undefined) t.ok(existsSync(new URL(`../../../${path}`, import.meta.url)), path);
  }
  for (const { page, body, answer } of exchanges) {
    for (const starts of [body, answer])
      if (starts !== undefined) t.equal(count(page, starts), 1, `${page}: ${starts}`);
  }
});

function begins(block: Block, starts: string | undefined): boolean {
  return starts !== undefined && block.text.startsWith(starts);
}

async function prepare(block: Block): Promise<unknown> {
  const found = preparations.find(({ page, starts }) => page === block.page && begins(block, starts));
  if (found === undefined) return undefined;
  return found.prepare({ installation, heartline, keys: await keysOfAcme() });
}

function isExempt(block: Block): boolean {
  return exemptions.some(({ page, starts }) => page === block.page && begins(block, starts));
}

function exchangeAt(block: Block): Exchange | undefined {
  return exchanges.find(
    ({ page, body, answer }) => page === block.page && (begins(block, body) || begins(block, answer)),
  );
}

function startsExchange({ body }: Exchange, block: Block): boolean {
  return body === undefined || begins(block, body);
}

type Shell = { execute(script: string): Promise<string>; page: string };

/** A shell that keeps what the blocks of a page export. */
function openShell({ path }: Page, { env, folder, demoKeys }: Installation, now: number): Shell {
  const state = join(folder, `${path.replaceAll('/', '-')}.env`);
  return {
    page: path,
    async execute(script) {
      const keys = isOfDemo(path) ? demoKeys : await keysOfAcme();
      const { ingest: INGEST_KEY, read: READ_KEY, incident: INCIDENT_KEY } = keys;
      // The first pages of the docs come before the page exists.
      const MANAGE_KEY = isOfDemo(path) ? '' : await manageKeyOfAcme();
      const text = substitute(script, installation, now);
      const wrapped = `[ ! -e '${state}' ] || . '${state}'\nset -e -o pipefail\n${failingCurl}\n${text}\nexport -p >'${state}'\n`;
      const { stdout } = await run('bash', ['-c', wrapped], {
        cwd: folder,
        env: isOfDemo(path) ? env : { ...env, INGEST_KEY, READ_KEY, INCIDENT_KEY, MANAGE_KEY },
        timeout: commandMsMax,
        maxBuffer: 16 * 1024 ** 2,
      });
      return stdout;
    },
  };
}

/** The first steps of a reader are on the page that the service creates. */
function isOfDemo(path: string): boolean {
  return ['README.md', 'docs/get-started.md', 'docs/status-page.md'].includes(path);
}

/** Runs a command, and returns what it prints as JSON. */
async function heartline(...args: string[]): Promise<unknown> {
  const { env, folder } = installation;
  const { stdout } = await run(join(folder, 'bin/heartline'), [...args, '--json'], { env });
  return JSON.parse(stdout);
}

async function create(scope: string): Promise<string> {
  const created = await heartline('key', 'create', '--page', 'acme', '--scope', scope);
  return (created as { key: string }).key;
}

function manageKeyOfAcme(): Promise<string> {
  acmeManageKey ??= create('manage');
  return acmeManageKey;
}

async function keysOfAcme(): Promise<Keys> {
  acmeKeys ??= (async () => ({
    ingest: await create('ingest'),
    read: await create('read'),
    incident: await create('incident'),
  }))();
  return acmeKeys;
}

/** Runs a block of commands. Returns its output, as a value when it is JSON. */
async function runBlock(t: Test, place: string, shell: Shell, block: Block): Promise<unknown> {
  try {
    const outputs: string[] = [];
    for (const part of beforeEachId(shell, block.text)) {
      outputs.push(await shell.execute(await withIds(shell, part)));
    }
    t.pass(place);
    return parse(outputs.join(''));
  } catch (error) {
    t.fail(place, {
      message: String(error),
      ...(error instanceof Error && { output: Object(error).stdout }),
    });
    return undefined;
  }
}

function wordForm(word: string): RegExp {
  return new RegExp(`(?<![\\w-])${word}(?![\\w-])`);
}

/** The commands before the first one with an id, which may create what has it, and the rest. */
function beforeEachId({ page }: Shell, text: string): string[] {
  const words = idPlaceholders.filter((one) => one.page === page).map(({ word }) => wordForm(word));
  const lines = text.split('\n');
  const first = lines.findIndex((line) => words.some((word) => word.test(line)));
  const parts = [lines.slice(0, Math.max(first, 0)), lines.slice(Math.max(first, 0))];
  return parts.filter((part) => part.length > 0).map((part) => part.join('\n'));
}

async function withIds(shell: Shell, text: string): Promise<string> {
  let filled = text;
  for (const { page, word, command, name } of idPlaceholders) {
    if (page !== shell.page || !wordForm(word).test(filled)) continue;
    const listed = await shell.execute(await withIds(shell, command));
    const { [name]: list } = JSON.parse(listed) as Record<string, { id: string }[]>;
    filled = filled.replaceAll(new RegExp(wordForm(word), 'g'), list?.[0]?.id ?? `no-${word}`);
  }
  return filled;
}

function parse(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}

async function send(exchange: Exchange, block: Block, now: number): Promise<unknown> {
  const [method = '', path = ''] = exchange.send.split(' ');
  const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 60_000).toISOString() };
  const target = path.replace('{from}', range.from).replace('{to}', range.to);
  const body = exchange.given ?? (exchange.body && substitute(block.text, installation, now));
  const headers = {
    ...(exchange.key && { authorization: `Bearer ${(await keysOfAcme())[exchange.key]}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const options = { method, headers, ...(body !== undefined && { body }) };
  const host = `${exchange.host ?? 'status.localhost'}:${installation.port}`;
  const answer = await requestAt(installation.url, host, target, options);
  return answer.body;
}

function compare(
  t: Test,
  place: string,
  { exactness = 'literal' }: Pick<Exchange, 'exactness'>,
  block: Block,
  answer: unknown,
  now: number,
): void {
  const printed = parsePrinted(substitute(block.text, installation, now));
  t.strictSame(differences(printed, answer, exactness), [], `${place} is answered as printed`);
}

/** Checks that every address of the service in the block answers. */
async function fetchAddresses(t: Test, place: string, block: Block, now: number): Promise<void> {
  const text = substitute(block.text, installation, now);
  const host = `status.localhost:${installation.port}`;
  for (const [address] of text.matchAll(new RegExp(`http://${host}/[^\\s")]*`, 'g'))) {
    const { pathname, search } = new URL(address);
    const { status } = await requestAt(installation.url, host, pathname + search);
    t.equal(status, 200, `${place}: ${address}`);
  }
}
