import { exportFormatNames, hourlyTables } from '../contract/exported-tables.js';
import { FigureExport, FigureExportTest, type PutFigureExport } from '../contract/manage/figure-export.js';
import { ServiceError } from '../lib/service-error.js';
import { type Client, type Condition, Nothing } from './client/client.js';
import { defineCommand, type Output } from './core/define-command.js';
import { formatFields } from './core/output.js';
import { onOff, parseTimeOption } from './core/parse-arguments.js';
import { readInput } from './core/read-bounded.js';
import { missingOptions, nothingToChange } from './core/refusals.js';
import { pageOption } from './page.js';

const settings = {
  endpoint: {
    value: 'URL',
    help: 'the service with the bucket, such as https://s3.eu-central-1.amazonaws.com',
  },
  region: { value: 'REGION', help: 'the region that requests are signed for' },
  bucket: { value: 'NAME', help: 'the bucket' },
  prefix: {
    value: 'PREFIX',
    help: 'begins the names of objects; the slug of the page by default, "" for none',
  },
  accessKeyId: { value: 'ID', help: 'the id of a key that may put objects into the bucket' },
  secretFile: { value: 'FILE', help: 'the file with the secret of the key; - for standard input' },
  format: { value: 'parquet|csv|jsonl', help: 'the format; parquet by default', choices: exportFormatNames },
  table: {
    value: 'TABLE',
    help: 'a table; repeat it for more. requests_hour by default',
    multiple: true,
    choices: hourlyTables,
  },
  enabled: { value: 'on|off', help: 'whether hours are exported', parse: onOff },
  since: {
    value: 'TIME',
    help: 'the first hour of new tables, or of all without a new one; the hour that runs by default',
    parse: parseTimeOption,
  },
} as const;

export const figureExportCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'figure-export show',
    summary: 'show the bucket that gets the figures of a page, and how far it has come',
    options: { page: pageOption },
    json: '',
    async run({ client }, { page }) {
      const path = await client.pathOf(page);
      return printed(await client.send('GET', `${path}/figure-export`, { answer: FigureExport }));
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'figure-export set',
    summary: 'put the figures of a page into a bucket, an hour at a time',
    help: `Puts an object for each table and hour into an S3-compatible bucket, ten minutes after the end of the hour, and again a day
later with the rows that came late. The first time --endpoint, --region, --bucket, --access-key-id and --secret-file are
needed; later, the settings that are named change and all others stay. The tables replace those that were there. The --since
that was given last puts nothing again: name the hour before it.`,
    options: { page: pageOption, ...settings },
    json: 'as from: heartline figure-export show',
    async run({ client }, { page, secretFile, table, ...given }) {
      if (Object.keys(given).length === 0 && secretFile === undefined && table === undefined) {
        throw nothingToChange('--enabled off');
      }
      const path = `${await client.pathOf(page)}/figure-export`;
      const before = await findExport(client, path);
      if (before === undefined) refuseIncomplete({ secretFile, ...given });
      const body = {
        ...(before !== undefined && settingsOf(before.value)),
        ...given,
        ...(table !== undefined && { tables: table }),
        ...(secretFile !== undefined && { secretAccessKey: await readSecret(secretFile) }),
      };
      const condition = conditionOf(before);
      return printed(
        await client.send('PUT', path, {
          ...{ answer: FigureExport, body },
          ...(condition !== undefined && { condition }),
        }),
      );
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'figure-export test',
    summary: 'try to put a small object into the bucket of a page',
    options: { page: pageOption },
    json: '{"isUsable": true}',
    async run({ client }, { page }) {
      const path = `${await client.pathOf(page)}/figure-export`;
      const { error } = await client.send('POST', `${path}/test`, { answer: FigureExportTest });
      if (error !== null) throw new ServiceError('conflict', { message: error });
      return { json: { isUsable: true }, text: 'The bucket has taken an object.\n' };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'figure-export delete',
    summary: 'put no more figures of a page into its bucket',
    help: 'The bucket keeps what it has.',
    options: { page: pageOption },
    json: '{"page": SLUG}',
    async run({ client }, { page }) {
      await client.send('DELETE', `${await client.pathOf(page)}/figure-export`, { answer: Nothing });
      return { json: { page }, text: `${page} exports no more figures.\n` };
    },
  }),
];

const neededFirst = ['endpoint', 'region', 'bucket', 'accessKeyId', 'secretFile'] as const;

/** @throws UsageError without an option that a new export needs */
function refuseIncomplete(given: Partial<Record<(typeof neededFirst)[number], string | undefined>>): void {
  const absent = neededFirst.filter((name) => given[name] === undefined);
  if (absent.length > 0) throw missingOptions(absent.map((name) => [name, settings[name]]));
}

type Found = { value: FigureExport; tag: string | undefined };

/** `undefined` when the page exports nothing; a page that does not exist is refused by the PUT that follows. */
async function findExport(client: Client, path: string): Promise<Found | undefined> {
  return client.read(path, FigureExport).catch((error: unknown) => {
    if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
    throw error;
  });
}

/** The settings that are not named are those that were read: somebody else must not have changed them since. */
function conditionOf(before: Found | undefined): Condition | undefined {
  if (before === undefined) return { 'if-none-match': '*' };
  return before.tag === undefined ? undefined : { 'if-match': before.tag };
}

function settingsOf(before: FigureExport): PutFigureExport {
  const { endpoint, region, bucket, prefix, accessKeyId, format, tables, enabled } = before;
  return { endpoint, region, bucket, prefix, accessKeyId, format, tables, enabled };
}

async function readSecret(file: string): Promise<string> {
  const content = await readInput(file);
  return content.replace(/\r?\n$/, '');
}

function printed(shown: FigureExport): Output {
  const { endpoint, region, bucket, prefix, accessKeyId, format, tables, enabled, state } = shown;
  const fields: [string, string][] = [
    ['bucket', `${bucket} at ${endpoint}, ${region}`],
    ['prefix', prefix === '' ? 'none' : prefix],
    ['access key', accessKeyId],
    ['tables', `${tables.join(', ')} as ${format}`],
    ['enabled', enabled ? 'on' : 'off'],
    ['exported until', state.exportedUntil],
  ];
  if (state.lastPutAt !== null) fields.push(['last put', state.lastPutAt]);
  if (state.lastError !== null) fields.push(['last error', state.lastError]);
  if (state.lastError !== null && state.nextAttemptAt !== null)
    fields.push(['next attempt', state.nextAttemptAt]);
  return { json: shown, text: formatFields(fields) };
}
