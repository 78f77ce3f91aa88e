import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useId, useState } from 'preact/hooks';
import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import { CrosshairContext, usePointed } from './crosshair.js';
import { indexAt, middleOf, moveIndex, type PlotBox, selectionOf, type TimeAxis, xOf } from './model.js';
import { chartTexts } from './texts.js';
import { useDrag } from './use-drag.js';

/** The place of the cursor: a step of the time axis, and one of the rows of a chart that has them. */
export type Place = { index: number; row: number };

export type SurfaceProps = {
  /** Names what is drawn below. */
  title: string;
  box: PlotBox;
  axis: TimeAxis;
  /** Rows that the cursor moves between, from the bottom; a chart of lines has none. */
  rows?: number;
  /** Where the keyboard begins. */
  start: number | undefined;
  /** Whether presses choose the two ends of a selection. */
  isPicking: boolean;
  onZoom(from: number, to: number): void;
  /** Shapes at the cursor, in pixels of the box. */
  pointer(place: Place): ComponentChildren;
  tooltip(place: Place): ComponentChildren;
  speech(place: Place): string;
};

/** Below this width the tooltip stands under the plot, where no finger hides it. */
const narrowPx = 420;

/**
 * Takes the input to a chart, above its picture: the cursor, by pointer and by keyboard, which all charts of a screen
 * share; its tooltip and its words; and the selection of a range to zoom to.
 */
export function Surface(props: SurfaceProps) {
  const { title, box, axis, rows = 0, pointer, tooltip, isPicking } = props;
  const id = useId();
  const texts = useTexts(chartTexts);
  const { index, place, isOwner, anchor, spoken, handlers } = useCursor(props, id);
  const selection =
    anchor === undefined || index === undefined ? undefined : selectionOf(axis, anchor, index);
  const x = index === undefined ? undefined : xOf(axis, box.width, middleOf(axis, index));
  return (
    <>
      <svg
        class="plot-cursor"
        width={box.width}
        height={box.height}
        aria-hidden="true"
        style={{ left: `${box.left}px`, top: `${box.top}px` }}
      >
        {selection !== undefined && <Selected axis={axis} box={box} {...selection} />}
        {x !== undefined && <line class="plot-line" x1={x} x2={x} y1={0} y2={box.height} />}
        {place !== undefined && pointer(place)}
      </svg>
      <div
        class={isPicking ? 'plot-surface picking' : 'plot-surface'}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move its cursor.
        tabIndex={0}
        aria-label={texts.chart({ title })}
        aria-describedby={`${id}-hint`}
        style={{
          left: `${box.left}px`,
          top: `${box.top}px`,
          width: `${box.width}px`,
          height: `${box.height}px`,
        }}
        {...handlers}
      />
      <p id={`${id}-hint`} class="visually-hidden">
        {rows > 0 ? texts.rowsHint : texts.hint}
      </p>
      <p class="visually-hidden" role="status">
        {spoken}
      </p>
      {isOwner && place !== undefined && x !== undefined && (
        <Tooltip box={box} x={x}>
          {selection === undefined ? tooltip(place) : <SelectionText {...selection} />}
        </Tooltip>
      )}
    </>
  );
}

/** The cursor and the selection of one chart, and what changes them. */
function useCursor(props: SurfaceProps, id: string) {
  const { axis, box, rows = 0, start, isPicking, onZoom, speech } = props;
  const texts = useTexts(chartTexts);
  const format = useFormat();
  const crosshair = useContext(CrosshairContext);
  const pointed = usePointed();
  const [row, setRow] = useState(0);
  const [anchor, setAnchor] = useState<number>();
  const [spoken, setSpoken] = useState('');
  const isOwner = pointed?.owner === id;
  const index = pointed === undefined ? undefined : indexAt(axis, pointed.at);
  const point = (next: number): void => crosshair.set({ at: middleOf(axis, next), owner: id });
  const clear = (): void => {
    setAnchor(undefined);
    if (crosshair.get()?.owner === id) crosshair.set(undefined);
  };
  const zoom = (a: number, b: number): void => {
    const { from, to } = selectionOf(axis, a, b);
    clear();
    onZoom(from, to);
  };
  useEffect(() => clear, []);
  const drag = useDrag({ axis, box, rows, isPicking, anchor, point, setRow, setAnchor, zoom, clear });
  const say = (place: Place, from: number | undefined): void => {
    const selection = from === undefined ? undefined : selectionOf(axis, from, place.index);
    setSpoken(
      selection === undefined
        ? speech(place)
        : texts.selected({ from: format.moment(selection.from), to: format.moment(selection.to) }),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const own = isOwner ? index : undefined;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    const up = rows > 0 && !hasModifier ? { ArrowUp: 1, ArrowDown: -1 }[event.key] : undefined;
    const next = hasModifier
      ? undefined
      : moveIndex(event.key, own, { count: axis.times.length, start: start ?? 0 });
    if (next !== undefined) {
      const from = event.shiftKey ? (anchor ?? own ?? next) : undefined;
      setAnchor(from);
      point(next);
      say({ index: next, row }, from);
    } else if (up !== undefined) {
      const to = { index: own ?? start ?? 0, row: Math.min(rows - 1, Math.max(0, row + up)) };
      setRow(to.row);
      point(to.index);
      say(to, undefined);
    } else if (event.key === 'Enter' && anchor !== undefined && own !== undefined) zoom(anchor, own);
    else if (event.key === 'Escape' && (anchor !== undefined || own !== undefined)) {
      if (anchor === undefined) clear();
      setAnchor(undefined);
    } else return;
    event.preventDefault();
  };
  return {
    ...{ index, isOwner, anchor, spoken },
    place: index === undefined ? undefined : { index, row: isOwner ? row : -1 },
    handlers: { ...drag, onKeyDown, onBlur: clear },
  };
}

function Selected({ axis, box, from, to }: { axis: TimeAxis; box: PlotBox; from: number; to: number }) {
  const [left, right] = [xOf(axis, box.width, from), xOf(axis, box.width, to)];
  return <rect class="plot-selection" x={left} y={0} width={Math.max(1, right - left)} height={box.height} />;
}

function SelectionText({ from, to }: { from: number; to: number }) {
  const format = useFormat();
  return (
    <p>
      {format.moment(from)} – {format.moment(to)}
    </p>
  );
}

/** Beside the cursor, on the side with more room. Screen readers have the same words in the live region. */
function Tooltip({ box, x, children }: { box: PlotBox; x: number; children: ComponentChildren }) {
  const isNarrow = box.width < narrowPx;
  const side =
    x > box.width / 2 ? { right: `calc(100% - ${box.left + x - 14}px)` } : { left: `${box.left + x + 14}px` };
  return (
    <div
      class={isNarrow ? 'plot-tooltip below' : 'plot-tooltip'}
      aria-hidden="true"
      style={isNarrow ? {} : side}
    >
      {children}
    </div>
  );
}
