/** The grounds behind the accent in both themes; `colours.css` has the same. */
const grounds = { light: '#ffffff', dark: '#171a21' };
/** The contrast of WCAG 2.2 AA for text, and a little more for tinted grounds. */
const contrastMin = 5;

type Rgb = readonly [red: number, green: number, blue: number];

/**
 * The style for a page's own colour. `--accent` is the colour of texts on the grounds and the ground of buttons;
 * `--on-accent` is the text on those. The colour is made lighter or darker until both can be read. Returns an empty text
 * for a page without a colour, and for anything but `#rrggbb`, because the text goes into the document as it is.
 */
export function accentStyle(accent: string | undefined): string {
  if (accent === undefined || !/^#[0-9a-f]{6}$/i.test(accent)) return '';
  const light = declare(accent, grounds.light);
  const dark = declare(accent, grounds.dark);
  return (
    `:root{${light}}` +
    `@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}` +
    `@media screen{:root[data-theme=dark]{${dark}}}`
  );
}

function declare(accent: string, ground: string): string {
  const { text, onText } = derive(accent, ground);
  return `--accent:${text};--on-accent:${onText}`;
}

/** Colours of a page in one theme: of texts and grounds of buttons, and of labels and icons on a tinted ground. */
export type AccentColours = { text: string; onText: string; tint: string; onTint: string };

/**
 * The colours for documents without the style sheet of the views, such as emails. Returns `undefined` for a page without
 * a colour, and for anything but `#rrggbb`.
 */
export function accentColours(
  accent: string | undefined,
  theme: keyof typeof grounds,
): AccentColours | undefined {
  if (accent === undefined || !/^#[0-9a-f]{6}$/i.test(accent)) return undefined;
  return derive(accent, grounds[theme]);
}

/** How a colour can be read on the ground of a theme. */
export type AccentContrast = {
  /** Contrast of the colour as it is, 1 to 21. */
  ratio: number;
  /** Whether the page has it as it is. */
  passes: boolean;
  /** The colour on the page: the same, or as much darker or lighter as needed. */
  shown: string;
};

/** How a colour, `#rrggbb`, can be read in each theme. Returns `undefined` for anything else. */
export function accentContrast(accent: string): Record<keyof typeof grounds, AccentContrast> | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(accent)) return undefined;
  const on = (ground: string): AccentContrast => {
    const ratio = contrast(parse(accent), parse(ground));
    const shown = print(makeReadable(parse(accent), parse(ground)));
    // Cut, not rounded: a figure that looks like enough is enough.
    return { ratio: Math.floor(ratio * 100) / 100, passes: ratio >= contrastMin, shown };
  };
  return { light: on(grounds.light), dark: on(grounds.dark) };
}

function derive(accent: string, ground: string): AccentColours {
  const colour = makeReadable(parse(accent), parse(ground));
  const onText = contrast(colour, [255, 255, 255]) >= contrast(colour, [10, 12, 18]) ? '#fff' : '#0a0c12';
  const tint = mix(parse(ground), colour, 0.12);
  return { text: print(colour), onText, tint: print(tint), onTint: print(makeReadable(colour, tint)) };
}

/** Mixes the colour with black or white, whichever contrasts with the ground, until it can be read on the ground. */
function makeReadable(colour: Rgb, ground: Rgb): Rgb {
  const away: Rgb = luminance(ground) > 0.5 ? [0, 0, 0] : [255, 255, 255];
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = mix(colour, away, share);
    if (contrast(mixed, ground) >= contrastMin) return mixed;
  }
  return away;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(one[at] * (1 - share) + other[at] * share);
  return [part(0), part(1), part(2)];
}

function parse(colour: string): Rgb {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

const print = (colour: Rgb): string =>
  `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** The contrast by the formula of WCAG 2, from 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
