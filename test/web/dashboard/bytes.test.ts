import { readFile } from 'node:fs/promises';
import t from 'tap';

/** As in bin/build/bundle.js. */
type Manifest = {
  script: string;
  styles: string;
  files: Record<string, { bytes: number; imports: string[]; from: string[] }>;
};
type Weight = { name: string; bytes: number | null; bytesMax: number };
/** The build is not compiled with the tests. */
type Budgets = { weigh(manifest: Manifest): Weight[]; shellOf(manifest: Manifest): string[] };

const root = new URL('../../../../', import.meta.url);
const { weigh, shellOf }: Budgets = await import(new URL('bin/build/budgets.js', root).href);
const manifests: Record<string, Manifest> = JSON.parse(
  await readFile(new URL('dist/web/bundle/manifest.json', root), 'utf8'),
);

t.test('the dashboard stays within its bytes', (t) => {
  for (const [language, manifest] of Object.entries(manifests)) {
    const weights = weigh(manifest);
    t.strictSame(
      weights.map(({ name }) => name),
      ['shell', 'charts', 'editor'],
    );
    for (const { name, bytes, bytesMax } of weights) {
      if (bytes === null) t.fail(`no file has the library of the ${name}`);
      else t.ok(bytes <= bytesMax, `${language}: ${name}: ${bytes} bytes of ${bytesMax}`);
    }
  }
  t.end();
});

t.test('a browser loads the texts of its language', async (t) => {
  t.strictSame(Object.keys(manifests), ['en', 'de']);
  const textsIn = async (language: string, among: readonly string[]) => {
    const names = Object.keys(manifests[language]?.files ?? {}).filter((name) => name.endsWith('.js'));
    const files = names.map((name) => readFile(new URL(`dist/web/bundle/${name}`, root), 'utf8'));
    const all = (await Promise.all(files)).join();
    return among.filter((text) => all.includes(text));
  };
  // From the webhooks, and from the shell, whose titles the palette knows in every language.
  const texts = ['Every event', 'Jedes Ereignis', 'My account', 'Mein Konto'];
  t.strictSame(await textsIn('en', texts), ['Every event', 'My account', 'Mein Konto']);
  t.strictSame(await textsIn('de', texts), ['Jedes Ereignis', 'My account', 'Mein Konto']);
  const shared = Object.keys(manifests['en']?.files ?? {}).filter((name) => manifests['de']?.files[name]);
  t.ok(shared.length > 5, 'files without texts are the same');
});

t.test('the shell has nothing that only some screens need', (t) => {
  // The style sheet is one for all screens.
  const inShell = Object.values(manifests).flatMap((manifest) =>
    shellOf(manifest)
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => manifest.files[name]?.from ?? []),
  );
  t.ok(inShell.includes('web/dashboard/main.tsx'));
  const lazy = /node_modules\/(uplot|@codemirror|typebox)\/.*js$|^web\/dashboard\/screens\//;
  t.strictSame(
    inShell.filter((path) => lazy.test(path)),
    [],
  );
  t.end();
});

const file = (bytes: number, imports: string[] = [], from: string[] = []) => ({ bytes, imports, from });

t.test('a weight counts each file once, and only those that the part needs', (t) => {
  const made: Manifest = {
    script: 'main.js',
    styles: 'main.css',
    files: {
      'main.js': file(1, ['one.js', 'two.js']),
      'one.js': file(10, ['two.js']),
      'two.js': file(100, ['one.js']),
      'main.css': file(1_000),
      'lazy.js': file(10_000, ['one.js'], ['node_modules/uplot/dist/uPlot.esm.js']),
      'view.js': file(20_000, [], ['node_modules/@codemirror/view/dist/index.js']),
      'tree.js': file(30_000, [], ['node_modules/@lezer/common/dist/index.js']),
    },
  };
  t.strictSame(
    weigh(made).map(({ bytes }) => bytes),
    [1_111, 10_000, 50_000],
  );
  const shellAlone = { ...made, files: { 'main.js': file(7), 'main.css': file(5) } };
  t.strictSame(
    weigh(shellAlone).map(({ bytes }) => bytes),
    [12, null, null],
  );
  t.end();
});
