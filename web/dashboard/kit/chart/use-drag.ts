import { useRef } from 'preact/hooks';
import { indexAt, type PlotBox, type TimeAxis } from './model.js';

type DragOptions = {
  axis: TimeAxis;
  box: PlotBox;
  rows: number;
  /** Whether presses choose the two ends, for people who cannot drag. */
  isPicking: boolean;
  /** The step at which the selection begins. */
  anchor: number | undefined;
  point(index: number): void;
  setRow(row: number): void;
  setAnchor(index: number | undefined): void;
  zoom(a: number, b: number): void;
  clear(): void;
};

/** A pointer that moves less than this is pressed and not dragged. */
const dragPxMin = 4;

/** Handlers of the pointer: it moves the cursor, and dragging selects. A finger only moves the cursor: it scrolls as well. */
export function useDrag(options: DragOptions) {
  const { axis, box, rows, isPicking, anchor, point, setRow, setAnchor, zoom, clear } = options;
  const press = useRef<{ x: number; index: number; isDragged: boolean } | undefined>(undefined);
  const placeOf = (event: PointerEvent & { currentTarget: Element }) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const at = axis.from + ((event.clientX - left) / box.width) * (axis.to - axis.from);
    const row = Math.floor((1 - (event.clientY - top) / box.height) * rows);
    return { index: indexAt(axis, at), row: Math.min(rows - 1, Math.max(0, row)) };
  };
  type Pointer = PointerEvent & { currentTarget: Element };
  return {
    onPointerMove(event: Pointer) {
      const { index, row } = placeOf(event);
      if (index === undefined) return;
      setRow(row);
      point(index);
      const { current } = press;
      if (current === undefined || Math.abs(event.clientX - current.x) < dragPxMin) return;
      if (!current.isDragged) setAnchor(current.index);
      current.isDragged = true;
    },
    onPointerDown(event: Pointer) {
      const { index, row } = placeOf(event);
      if (index === undefined || event.button !== 0) return;
      setRow(row);
      point(index);
      if (event.pointerType === 'touch') return;
      press.current = { x: event.clientX, index, isDragged: false };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerUp(event: Pointer) {
      const { index } = placeOf(event);
      const { current } = press;
      press.current = undefined;
      if (index === undefined) return;
      if (current?.isDragged === true) zoom(current.index, index);
      else if (isPicking && anchor === undefined) setAnchor(index);
      else if (isPicking && anchor !== undefined) zoom(anchor, index);
    },
    onPointerCancel() {
      press.current = undefined;
      clear();
    },
    onPointerLeave(event: Pointer) {
      // A finger that is lifted leaves, and what it touched stays to be read; so does a selection whose end is to come.
      if (press.current !== undefined || event.pointerType === 'touch' || isPicking) return;
      clear();
    },
  };
}
