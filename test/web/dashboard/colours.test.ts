import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { contrast } from '../../support/contrast.js';

type Colours = Record<string, string>;

const web = new URL('../../../../web/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, web), 'utf8');
const styles = new URL('dashboard/styles/', web);
const files = readdirSync(styles, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.css$/.test(file),
);

/** Tokens of texts. Each is legible on every ground, so that no pair of them needs a list. */
const inks = [
  'ink',
  'soft',
  'accent',
  ...['good', 'warn', 'bad', 'info', 'partial'].map((tone) => `${tone}-ink`),
];
const tints = ['none-tint', ...['good', 'warn', 'bad', 'info'].map((tone) => `${tone}-tint`)];
const charts = Array.from({ length: 6 }, (_, i) => `chart-${i + 1}`);
/** Tokens of texts on a ground that is an ink. */
const reversed: [string, string][] = [
  ['on-accent', 'accent'],
  ['card', 'bad-ink'],
  ['ground', 'ink'],
  ...charts.map((chart): [string, string] => ['card', chart]),
];
/** Tokens that stand for one of several: somebody has the colour of a chart. */
const standIns: Record<string, readonly string[]> = { person: charts };
/** Share of the colour of a person in a bar of a calendar, whose text is `ink`. */
const barShare = 0.22;
/** Translucent tokens and mixtures, by the colour and its share over a ground. */
const layers = {
  hover: ['ink', 0.05],
  chosen: ['accent', 0.12],
  'phase of the name': ['accent', 0.08],
  'phase of the connection': ['good', 0.1],
  'phase of TLS': ['warn', 0.1],
  'phase of the first byte': ['info', 0.12],
} as const;
const tones = ['good', 'warn', 'bad', 'info', 'none'];

const sets = [readThemes(read('static/colours.css')), readThemes(read('dashboard/styles/charts.css'))];
const [light = {}, dark = {}, chosenDark = {}] = [0, 1, 2].map((at) => ({
  ...sets[0]?.[at],
  ...sets[1]?.[at],
}));

t.test(
  'every ink on every ground of the dashboard has a contrast of 4.5, every drawing 3 (WCAG AA)',
  async (t) => {
    t.strictSame(dark, chosenDark, 'the dark theme is the same by preference and by choice');
    const faint: string[] = [];
    for (const [theme, colours] of Object.entries({ light, dark })) {
      const grounds = groundsOf(colours);
      const bars = charts.map((chart) => [
        `bar in ${chart}`,
        mix(colours[chart] ?? '', colours['card'] ?? '', barShare),
      ]);
      const others: Colours = { ...colours, ...Object.fromEntries(bars) };
      const at = (name: string): string => grounds[name] ?? others[name] ?? '';
      const pairs = [
        ...inks.flatMap((ink) => Object.keys(grounds).map((ground) => [ink, ground, 4.5] as const)),
        ...reversed.map(([ink, ground]) => [ink, ground, 4.5] as const),
        ...charts.map((chart) => ['ink', `bar in ${chart}`, 4.5] as const),
        ...[...charts, ...tones].map((ink) => [ink, 'card', 3] as const),
      ];
      for (const [ink, ground, least] of pairs) {
        const ratio = contrast(at(ink), at(ground));
        if (!(ratio >= least)) faint.push(`${theme}: ${ink} on ${ground}: ${ratio.toFixed(2)}`);
      }
    }
    t.strictSame(faint, []);
  },
);

t.test('the styles of the dashboard use these inks and grounds alone', async (t) => {
  /** Drawn without a text: separators, dots, switches, pictures, what is behind a dialog. */
  const drawings = new Set([
    'edge',
    'good',
    'bad',
    'soft',
    'accent',
    'on-accent',
    '#fff',
    '#171a21',
    '#0b0d1266',
  ]);
  const grounds = new Set(['card', 'ground', 'hover', 'chosen', ...tints]);
  const strange: string[] = [];
  const isReversed = (ink: string | undefined, ground: string): boolean =>
    (standIns[ground] ?? [ground]).every((one) =>
      reversed.some((pair) => pair[0] === ink && pair[1] === one),
    );
  for (const file of files) {
    const css = readFileSync(new URL(file, styles), 'utf8');
    for (const [token, colours] of Object.entries(standIns)) {
      const set = [...css.matchAll(new RegExp(`--${token}:\\s*var\\(--([\\w-]+)\\)|--${token}:[^;]*`, 'g'))];
      strange.push(
        ...set.filter(([, colour = '']) => !colours.includes(colour)).map(([text]) => `${file}: ${text}`),
      );
    }
    const rules = css.matchAll(/([^{}]+)\{([^{}]*)\}/g);
    for (const [, selector = '', body = ''] of rules) {
      const [ink, ground] = [colourIn(body, 'color'), colourIn(body, 'background(?:-color)?')];
      const isDrawing = /^\.chart-ink-|::(?:before|after)$/.test(selector.trim());
      const inkIsKnown =
        ink === undefined ||
        inks.includes(ink) ||
        isDrawing ||
        (ground !== undefined && isReversed(ink, ground));
      const groundIsKnown =
        ground === undefined ||
        grounds.has(ground) ||
        (ink === undefined && drawings.has(ground)) ||
        isReversed(ink, ground);
      if (!inkIsKnown || !groundIsKnown) strange.push(`${file}: ${selector.trim()}: ${ink} on ${ground}`);
    }
  }
  t.strictSame(strange, []);
});

/** Every ground that a text may stand on: cards, tints, and what is translucent on the ground and on a card. */
function groundsOf(colours: Colours): Colours {
  const solid = Object.fromEntries(['ground', 'card', ...tints].map((name) => [name, colours[name] ?? '']));
  const mixed = Object.entries(layers).flatMap(([name, [over, share]]) =>
    ['card', 'ground'].map((under) => [
      `${name} on ${under}`,
      mix(colours[over] ?? '', colours[under] ?? '', share),
    ]),
  );
  return { ...solid, ...Object.fromEntries(mixed) };
}

function mix(over: string, under: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [one, other] = [over, under].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16));
    return Math.round((one ?? 0) * share + (other ?? 0) * (1 - share))
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

/** The token, or the colour, that a rule sets; undefined for none and for what is inherited, transparent or mixed. */
function colourIn(body: string, property: string): string | undefined {
  const [, value = ''] = new RegExp(`(?:^|[;\\s])${property}:\\s*([^;]+)`).exec(body) ?? [];
  const colour = value.trim();
  const [, token] = /^var\(--([\w-]+)\)$/.exec(colour) ?? [];
  if (token !== undefined) return token;
  return /^(?:$|none|0|transparent|inherit|currentcolor|color-mix|linear-gradient|var\(--accent-tint)/i.test(
    colour,
  )
    ? undefined
    : colour;
}

/** The light theme, the dark one by preference, and the dark one by choice. */
function readThemes(css: string): Colours[] {
  return [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].map(([, body = '']) =>
    Object.fromEntries(
      [...body.matchAll(/--([\w-]+):\s*(#\w+)\s*(?=[;}]|$)/g)].map(([, name, colour]) => [name, colour]),
    ),
  );
}
