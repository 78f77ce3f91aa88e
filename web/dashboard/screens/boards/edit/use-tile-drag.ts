import { useRef, useState } from 'preact/hooks';
import { columns } from '../place-tiles.js';
import { gapPx, rowPx } from '../view/draw.js';
import type { Layout } from './use-layout.js';

type Pointer = PointerEvent & { currentTarget: HTMLElement };
/** Where a press began, and the cell that it has come to, counted from there. */
type Press = { x: number; y: number; cellPx: number; cell: { x: number; y: number } };

/** Handlers that move a tile by its head and resize it by its corner. A finger scrolls the page instead. */
export function useTileDrag(id: string, layout: Layout) {
  const press = useRef<Press | undefined>(undefined);
  const [isActive, setActive] = useState(false);
  const end = (): void => {
    if (press.current === undefined) return;
    press.current = undefined;
    setActive(false);
  };
  const handlers = (kind: 'move' | 'resize') => ({
    onPointerDown(event: Pointer) {
      const grid = event.currentTarget.closest('.board-grid');
      const isButton = event.target instanceof Element && event.target.closest('button') !== null;
      if (grid === null || isButton || event.button !== 0 || event.pointerType === 'touch') return;
      layout.end();
      const cellPx = (grid.clientWidth + gapPx) / columns;
      press.current = { x: event.clientX, y: event.clientY, cellPx, cell: { x: 0, y: 0 } };
      event.currentTarget.setPointerCapture(event.pointerId);
      setActive(true);
    },
    onPointerMove(event: Pointer) {
      const { current } = press;
      if (current === undefined) return;
      const x = Math.round((event.clientX - current.x) / current.cellPx);
      const y = Math.round((event.clientY - current.y) / (rowPx + gapPx));
      if (x === current.cell.x && y === current.cell.y) return;
      current.cell = { x, y };
      layout.drag(id, kind === 'move' ? { x, y } : { width: x, height: y });
    },
    onPointerUp() {
      if (press.current !== undefined) layout.end();
      end();
    },
    onPointerCancel() {
      if (press.current !== undefined) layout.cancel();
      end();
    },
  });
  return { isActive, move: handlers('move'), resize: handlers('resize') };
}
