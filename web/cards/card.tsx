import { renderToString } from 'preact-render-to-string';
import { type IconState, stateIcons } from '../badges/state-icon.js';
import { type DayKind, type DayMark, kindOfDay } from '../state/day-marks.js';
import { drawable, fitLines } from './card-text.js';

/** The texts of the picture beside a link to a page. It leaves out a text whose letters its font does not have. */
export type Card = {
  pageName: string;
  state: IconState;
  /** Such as `All services are up`, or the title of an incident. */
  headline: string;
  /** Below the headline, in small letters. */
  note?: string;
  /** A bar for each day, oldest first; the columns after them stay free for days to come. `text` says what they are. */
  bars?: { days: readonly DayMark[]; columns: number; text: string };
};

/** In pixels; every site that shows such pictures takes this size. */
export const cardSize = { width: 1200, height: 630 };

/** The family of the font in the file that the picture is drawn with. */
export const cardFontFamily = 'Inter';

const margin = 80;
const iconSize = 112;
const iconTop = 186;
const headlineLeft = margin + iconSize + 40;
const headlineSizes = [68, 52, 42];
const headlineLinesMax = 3;
const barsBottom = 490;
/** The base line of the smallest text, below the bars. */
const lastLine = 540;

const ink = '#191b20';
const soft = '#4d515a';
const grounds: Readonly<Record<IconState, string>> = {
  up: '#eef7f1',
  trouble: '#fdeeed',
  maintenance: '#edf2fc',
  unknown: '#f1f1ee',
};

/** A worse day has a taller bar, so that it shows without colour. */
const looks: Readonly<Record<DayKind, { height: number; color: string }>> = {
  unmeasured: { height: 8, color: '#a9adb5' },
  good: { height: 48, color: '#2b9d60' },
  // Without downtime: at this size, its dot would not show.
  failed: { height: 48, color: '#2b9d60' },
  degraded: { height: 56, color: '#c98500' },
  'down-1': { height: 64, color: '#e2695f' },
  'down-2': { height: 74, color: '#d3363a' },
  'down-3': { height: 84, color: '#a81d22' },
  'down-4': { height: 94, color: '#6f0d14' },
};

/** The picture as an SVG document. */
export function renderCard(card: Card): string {
  const { width, height } = cardSize;
  const note = drawable(card.note ?? '');
  return renderToString(
    <svg xmlns="http://www.w3.org/2000/svg" width={width} height={height} font-family={cardFontFamily}>
      <title>{card.headline}</title>
      <rect width={width} height={height} fill={grounds[card.state]} />
      <PageName text={card.pageName} />
      <StateIcon state={card.state} />
      <Headline text={card.headline} />
      {card.bars !== undefined && <Bars {...card.bars} />}
      {note !== '' && <Line text={note} x={margin} y={lastLine} size={32} fill={soft} />}
    </svg>,
  );
}

function PageName({ text }: { text: string }) {
  const { size, lines } = fitLines(text, { widthPx: roomFrom(margin), sizes: [40], linesMax: 1 });
  return <Line text={lines[0] ?? ''} x={margin} y={112} size={size} fill={soft} />;
}

function StateIcon({ state }: { state: IconState }) {
  const { shape, color, glyph, glyphColor } = stateIcons[state];
  return (
    <g transform={`translate(${margin} ${iconTop}) scale(${iconSize / 16})`}>
      <path fill={color} d={shape} />
      <path
        fill="none"
        stroke={glyphColor}
        stroke-width={2}
        stroke-linecap="round"
        stroke-linejoin="round"
        d={glyph}
      />
    </g>
  );
}

/** Beside the icon; a longer text is smaller, and begins higher. */
function Headline({ text }: { text: string }) {
  const { size, lines } = fitLines(text, {
    ...{ widthPx: roomFrom(headlineLeft), sizes: headlineSizes, linesMax: headlineLinesMax },
  });
  const lineHeight = size * 1.2;
  // The first two lines have the middle of the icon; a third one goes below.
  const above = (Math.min(lines.length, 2) - 1) / 2;
  const first = iconTop + iconSize / 2 + size * 0.36 - above * lineHeight;
  return (
    <>
      {lines.map((line, at) => (
        <Line key={line} text={line} x={headlineLeft} y={first + at * lineHeight} size={size} fill={ink} />
      ))}
    </>
  );
}

function Bars({ days, columns, text }: NonNullable<Card['bars']>) {
  const pitch = (cardSize.width - 2 * margin) / columns;
  const thick = Math.min(pitch * 0.6, 24);
  return (
    <>
      {days.map((mark, at) => {
        const kind = kindOfDay(mark);
        if (kind === undefined) return null;
        const { height, color } = looks[kind];
        const x = margin + at * pitch + (pitch - thick) / 2;
        return (
          <rect
            key={mark.day}
            x={x}
            y={barsBottom - height}
            width={thick}
            height={height}
            rx={thick / 2}
            fill={color}
          />
        );
      })}
      <Line text={drawable(text)} x={margin} y={lastLine} size={28} fill={soft} />
    </>
  );
}

type LineProps = { text: string; x: number; y: number; size: number; fill: string };

function Line({ text, x, y, size, fill }: LineProps) {
  return (
    <text x={x} y={y} font-size={size} font-weight={700} fill={fill}>
      {text}
    </text>
  );
}

/** The width from here to the right margin, in pixels. */
const roomFrom = (left: number): number => cardSize.width - left - margin;
