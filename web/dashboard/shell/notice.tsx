import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../kit/icons.js';

const shown = 'heartline-notice';
const shownMs = 4_000;

/** Says for a moment, at the foot of the window, that something is done. */
export function showNotice(text: string): void {
  document.dispatchEvent(new CustomEvent(shown, { detail: text }));
}

/** Where notices appear; screen readers speak them. */
export function Notices() {
  const [text, setText] = useState<string>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onNotice = (event: Event): void => {
      if (!(event instanceof CustomEvent)) return;
      setText(String(event.detail));
      clearTimeout(timer);
      timer = setTimeout(() => setText(undefined), shownMs);
    };
    document.addEventListener(shown, onNotice);
    return () => {
      clearTimeout(timer);
      document.removeEventListener(shown, onNotice);
    };
  }, []);
  return (
    <div class="notices" role="status">
      {text !== undefined && (
        <p>
          <Icon name="check" />
          {text}
        </p>
      )}
    </div>
  );
}
