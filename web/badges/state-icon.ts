/** The states that a small icon can show. */
export type IconState = 'up' | 'trouble' | 'maintenance' | 'unknown';

type StateIcon = {
  /** Filled outline in a square of 16. Each state has its own, so that colour is never the only difference. */
  shape: string;
  color: string;
  /** Drawn over the outline with a line of 2. */
  glyph: string;
  glyphColor: string;
};

const grey = '#7d8595';

/** The colours have a contrast of at least 3:1 to light and dark grounds, because an icon does not know its ground. */
export const stateIcons: Readonly<Record<IconState, StateIcon>> = {
  up: {
    shape: 'M8 .5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15z',
    color: '#1f9254',
    glyph: 'M4.6 8.3 7 10.7l4.5-5',
    glyphColor: '#fff',
  },
  trouble: {
    shape: 'M6.7 1.3a1.5 1.5 0 0 1 2.6 0l6.4 11.5a1.5 1.5 0 0 1-1.3 2.2H1.6A1.5 1.5 0 0 1 .3 12.8L6.7 1.3z',
    color: '#db3340',
    glyph: 'M8 5.4v3.7M8 12.2v.05',
    glyphColor: '#fff',
  },
  maintenance: {
    shape: 'M3.5.5h9a3 3 0 0 1 3 3v9a3 3 0 0 1-3 3h-9a3 3 0 0 1-3-3v-9a3 3 0 0 1 3-3z',
    color: '#3a76e0',
    glyph: 'M4.2 11.8 8 8M12.3 5.6A2.8 2.8 0 1 1 10.4 3.7',
    glyphColor: '#fff',
  },
  unknown: {
    shape: 'M8 .5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15zM8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
    color: grey,
    glyph: 'M5.6 8h4.8',
    glyphColor: grey,
  },
};

/** A heartbeat: the icon of the product, where there is no page. */
const productIcon: StateIcon = {
  shape: 'M4 .5h8A3.5 3.5 0 0 1 15.5 4v8a3.5 3.5 0 0 1-3.5 3.5H4A3.5 3.5 0 0 1 .5 12V4A3.5 3.5 0 0 1 4 .5z',
  color: '#4a5be0',
  glyph: 'M2.5 8.5h2.6L6.8 4.5l2.6 7.2 1.7-4h2.4',
  glyphColor: '#fff',
};

/** An SVG document without styles, so that it looks the same under a policy that forbids everything. */
export function renderStateIcon(state: IconState | 'product'): string {
  const { shape, color, glyph, glyphColor } = state === 'product' ? productIcon : stateIcons[state];
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
    `<path fill="${color}" d="${shape}"/>` +
    `<path fill="none" stroke="${glyphColor}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" d="${glyph}"/></svg>\n`
  );
}
