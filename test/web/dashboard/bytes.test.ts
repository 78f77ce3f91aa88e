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
const manifest: Manifest = JSON.parse(await readFile(new URL('dist/web/bundle/manifest.json', root), 'utf8'));

t.test('the dashboard stays within its bytes', (t) => {
  const weights = weigh(manifest);
  t.strictSame(
    weights.map(({ name }) => name),
    ['shell', 'charts', 'editor'],
  );
  for (const { name, bytes, bytesMax } of weights) {
    if (bytes === null) t.fail(`no file has the library of the ${name}`);
    else t.ok(bytes <= bytesMax, `${name}: ${bytes} bytes of ${bytesMax}`);
  }
  t.end();
});

t.test('the shell has nothing that only some screens need', (t) => {
  // The style sheet is one for all screens.
  for (const name of shellOf(manifest).filter((file) => file.endsWith('.js'))) {
    const from = manifest.files[name]?.from ?? [];
    t.strictSame(
      from.filter((path) => /node_modules\/(uplot|@codemirror|typebox)\/.*js$/.test(path)),
      [],
      name,
    );
    t.strictSame(
      from.filter((path) => path.startsWith('web/dashboard/screens/')),
      [],
      `${name} has no screen`,
    );
  }
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
