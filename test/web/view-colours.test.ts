import { readFileSync } from 'node:fs';
import t from 'tap';
import { accentStyle } from '../../web/views/accent.js';
import { contrast } from '../support/contrast.js';

const css = readFileSync(new URL('../../../web/static/colours.css', import.meta.url), 'utf8');
const [light = {}, dark = {}, chosenDark = {}] = [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].map(([, body]) =>
  readColours(body ?? ''),
);

const tones = ['good', 'warn', 'bad', 'info'];
/** Texts and their grounds: a contrast of 4.5. */
const texts: [string, string][] = [
  ...['ground', 'card', ...tones.map((tone) => `${tone}-tint`), 'none-tint'].map(
    (ground): [string, string] => ['ink', ground],
  ),
  ...['ground', 'card', 'none-tint'].map((ground): [string, string] => ['soft', ground]),
  ...['ground', 'card'].map((ground): [string, string] => ['accent', ground]),
  ...tones.map((tone): [string, string] => [`${tone}-ink`, `${tone}-tint`]),
  ['good-ink', 'card'],
  ['good-ink', 'ground'],
  ['on-accent', 'accent'],
];
/** Drawings and their grounds: a contrast of 3. */
const severities = ['failed', 'down-1', 'down-2', 'down-3', 'down-4'];
const drawn: [string, string][] = [...tones, ...severities, 'none'].map((tone) => [tone, 'card']);

t.test('colours have enough contrast in both themes (WCAG AA)', async (t) => {
  t.strictSame(dark, chosenDark, 'the dark theme is the same by preference and by choice');
  for (const [name, colours] of Object.entries({ light, dark })) {
    for (const [pairs, least] of [
      [texts, 4.5],
      [drawn, 3],
    ] as const) {
      for (const [one, other] of pairs) {
        const ratio = contrast(colours[one] ?? '', colours[other] ?? '');
        t.ok(ratio >= least, `${name}: ${one} on ${other}: ${ratio.toFixed(2)}`);
      }
    }
  }
});

t.test('any colour of a page can be read in both themes', async (t) => {
  for (const accent of [
    '#000000',
    '#ffffff',
    '#ffff00',
    '#0000ff',
    '#777777',
    '#0a7f5a',
    '#ff8800',
    '#FF00aa',
    '#171a21',
  ]) {
    const [ofLight = {}, ofDark = {}, ofChosen = {}] = [
      ...accentStyle(accent).matchAll(/:root[^{]*\{([^}]*)\}/g),
    ].map(([, body]) => readColours(body ?? ''));
    t.strictSame(ofDark, ofChosen);
    for (const [colours, theme] of [
      [ofLight, light],
      [ofDark, dark],
    ] as const) {
      for (const ground of ['ground', 'card']) {
        const ratio = contrast(colours['accent'] ?? '', theme[ground] ?? '');
        t.ok(ratio >= 4.5, `${accent} as ${colours['accent']} on ${ground}: ${ratio.toFixed(2)}`);
      }
      const ratio = contrast(colours['on-accent'] ?? '', colours['accent'] ?? '');
      t.ok(ratio >= 4.5, `text on ${accent} as ${colours['accent']}: ${ratio.toFixed(2)}`);
    }
  }
  t.match(
    accentStyle('#2f4bc9'),
    /^:root\{--accent:#2f4bc9;--on-accent:#fff\}/,
    'a colour that can be read does not change',
  );
});

t.test('an invalid colour makes no style', async (t) => {
  for (const accent of [
    undefined,
    '',
    'red',
    '#fff',
    '#12345g',
    '#123456}body{display:none',
    '#1234567',
    '\n#123456',
  ]) {
    t.equal(accentStyle(accent), '', String(accent));
  }
});

function readColours(body: string): Record<string, string> {
  return Object.fromEntries(
    [...body.matchAll(/--([\w-]+):\s*(#\w+)\s*(?=[;}]|$)/g)].map(([, name, colour]) => [name, colour]),
  );
}
