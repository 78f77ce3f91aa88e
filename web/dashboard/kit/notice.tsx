import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.js';

const shown = 'heartline-notice';
const shownMs = 4_000;
/** Long enough to read the sentence, to find the button and to decide. */
const undoableMs = 10_000;

type Notice = { text: string; undo?: (() => void) | undefined };

/** Says for a moment, at the foot of the window, that something is done. `undo` takes it back. */
export function showNotice(text: string, undo?: () => void): void {
  document.dispatchEvent(new CustomEvent<Notice>(shown, { detail: { text, undo } }));
}

/** Shows notices; screen readers speak them. One that can be undone stays while somebody is on it. */
export function Notices({ undoTitle }: { undoTitle: string }) {
  const [notice, setNotice] = useState<Notice>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const hold = (): void => clearTimeout(timer.current);
  const release = (undo: boolean): void => {
    hold();
    timer.current = setTimeout(() => setNotice(undefined), undo ? undoableMs : shownMs);
  };
  useEffect(() => {
    const onNotice = (event: Event): void => {
      if (!(event instanceof CustomEvent)) return;
      const next: Notice = event.detail;
      setNotice(next);
      release(next.undo !== undefined);
    };
    document.addEventListener(shown, onNotice);
    return () => {
      hold();
      document.removeEventListener(shown, onNotice);
    };
  }, []);
  const undo = notice?.undo;
  return (
    <div class="notices" role="status">
      {notice !== undefined && (
        <p
          onMouseEnter={hold}
          onMouseLeave={() => release(undo !== undefined)}
          onFocusIn={hold}
          onFocusOut={() => release(undo !== undefined)}
        >
          <Icon name="check" />
          {notice.text}
          {undo !== undefined && (
            <button
              type="button"
              class="link-button"
              onClick={() => {
                setNotice(undefined);
                undo();
              }}
            >
              {undoTitle}
            </button>
          )}
        </p>
      )}
    </div>
  );
}
