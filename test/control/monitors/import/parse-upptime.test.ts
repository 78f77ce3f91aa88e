import { cp, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { loadUpptime } from '../../../../control/monitors/import/parse-upptime.js';
import { propertyOf } from '../../../support/property.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const fixture = fileURLToPath(new URL('../../../../../test/fixtures/upptime-forms', import.meta.url));
const start = Date.parse('2024-05-01T06:00:00Z');
const site = { name: 'A', url: 'https://a.example.com', slug: 'a', dailyMinutesDown: {} };

/** Makes a repository with one site. */
async function makeRepository(t: Test, files: Record<string, string> = {}): Promise<string> {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'history'));
  for (const [name, text] of Object.entries({ 'history/summary.json': JSON.stringify([site]), ...files }))
    await writeFile(join(folder, name), text);
  return folder;
}

t.test('every form of the files is read', async (t) => {
  const sites = await loadUpptime(fixture);
  const bySlug = new Map(sites.map((one) => [one.slug, one]));
  for (const slug of ['website', 'shop_checkout', 'blog', 'name-server'])
    t.equal(bySlug.get(slug)?.startedAt, start, slug);
  t.match(bySlug.get('archive'), { startedAt: undefined, startUnknown: /archive\.yml has no "startTime"/ });
  t.match(bySlug.get('監控'), { startedAt: undefined, startUnknown: /is missing/ });
  t.match(bySlug.get('website'), { check: 'http', port: undefined });
  t.match(bySlug.get('shop_checkout'), { check: 'http', port: undefined }, 'found by its slug');
  t.match(bySlug.get('name-server'), { check: 'tcp-ping', port: '53' });
  t.match(bySlug.get('certificate'), { check: 'ssl' });
  t.strictSame([...(bySlug.get('archive')?.minutesDown ?? [])].sort(), [
    ['2024-05-06', 1440],
    ['2024-05-08', 61],
  ]);
});

t.test('the history folder alone, and a copy without the data of git, are the same repository', async (t) => {
  const sites = await loadUpptime(fixture);
  t.strictSame(await loadUpptime(join(fixture, 'history')), sites);
  const copy = await temporaryFolder(t);
  await cp(join(fixture, 'history'), join(copy, 'history'), { recursive: true });
  const withoutConfig = await loadUpptime(copy);
  t.strictSame(
    withoutConfig,
    sites.map(({ settings: _, notes: __, ...one }) => ({ ...one, check: undefined, port: undefined })),
    'without .upptimerc.yml only what it says is missing',
  );
});

t.test('a start is the same in every form that Upptime has written', async (t) => {
  const folder = await makeRepository(t);
  const file = join(folder, 'history', 'a.yml');
  const forms = [
    (time: Date) => `startTime: ${time.toISOString()}`,
    (time: Date) => `- startTime: ${time.toISOString()}`,
    (time: Date) => `startTime: '${time.toISOString()}'\r`,
    (time: Date) => `- startTime: "${time.toISOString()}"`,
    (time: Date) =>
      `startTime: ${time.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) (.*) GMT$/, '$1 $3 $2 $4 $5 GMT+0000 (Coordinated Universal Time)')}`,
    (time: Date) => `- startTime: ${time.toString()}`,
  ];
  const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  await fc.assert(
    fc.asyncProperty(time, fc.constantFrom(...forms), async (time, form) => {
      time.setUTCMilliseconds(0);
      await writeFile(file, `- url: https://a.example.com\n${form(time)}\n- generator: Upptime\n`);
      const [read] = await loadUpptime(folder);
      t.equal(read?.startedAt, time.getTime(), form(time));
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('what is no Upptime repository is refused with the file and the reason', async (t) => {
  const empty = await temporaryFolder(t);
  const file = join(await makeRepository(t), 'history', 'summary.json');
  const huge = await makeRepository(t);
  await truncate(join(huge, 'history', 'summary.json'), 16 * 1024 * 1024 + 1);
  for (const [folder, message] of [
    ['/nowhere', /\/nowhere\/history\/summary\.json is not there: \/nowhere is no Upptime repository/],
    [empty, /is no Upptime repository\. Name a clone of one, or the history folder in it\./],
    [file, /is no Upptime repository/],
    [huge, /summary\.json has 16777217 bytes, and at most 16777216 are read/],
    [await makeRepository(t, { 'history/summary.json': '[{' }), /summary\.json is not a JSON array/],
  ] as const)
    await t.rejects(loadUpptime(folder), { kind: 'invalidBody', message }, String(message));
});

t.test(
  'a row that cannot be taken stands under its place with the reason, and the others arrive',
  async (t) => {
    const rows = [
      { ...site, name: 7 },
      { ...site, slug: '../a' },
      { ...site, dailyMinutesDown: { '2025-02-30': 1 } },
      { ...site, slug: 'no-start' },
      { ...site, slug: 'folder' },
      { ...site, slug: 'huge' },
      site,
    ];
    const folder = await makeRepository(t, {
      'history/summary.json': JSON.stringify(rows),
      ...{ 'history/no-start.yml': 'startTime: yesterday\n', 'history/huge.yml': '' },
    });
    await mkdir(join(folder, 'history', 'folder.yml'));
    await truncate(join(folder, 'history', 'huge.yml'), 1024 * 1024 + 1);
    const found = await loadUpptime(folder);
    t.match(
      found.map(({ slug, fault }) => [slug, fault]),
      [
        ['site 1', /"name" must be a text/],
        ['site 2', /is no slug/],
        ['site 3', /"2025-02-30" in "dailyMinutesDown" is no day/],
        ['site 4', /"startTime" must be a time, not "yesterday"/],
        ['site 5', /folder\.yml is no file/],
        ['site 6', /huge\.yml has 1048577 bytes, and at most 1048576 are read/],
        ['a', undefined],
      ],
    );
  },
);

t.test('a configuration that is not YAML is refused with its place', async (t) => {
  const folder = await makeRepository(t, { '.upptimerc.yml': 'sites:\n  - name: A\n   url: [\n\t: }' });
  await t.rejects(loadUpptime(folder), {
    kind: 'invalidBody',
    message: /\.upptimerc\.yml is not YAML: .* line 3/,
  });
});

t.test('no slug leads out of the folder', async (t) => {
  for (const slug of ['..', '.', '../a', 'a/b', 'a\\b', 'a\u0000', 'a\nb']) {
    const summary = JSON.stringify([{ ...site, slug }]);
    const folder = await makeRepository(t, { 'history/summary.json': summary });
    t.match(await loadUpptime(folder), [{ slug: 'site 1', fault: /is no slug/ }], JSON.stringify(slug));
  }
});
