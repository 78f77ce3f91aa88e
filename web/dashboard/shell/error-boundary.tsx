import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Empty } from '../kit/states.js';
import { useTexts } from '../texts.js';
import { shellTexts } from './texts.js';

/** Draws in place of a screen that fails; the frame around it still works, and another address tries again. */
export function ErrorBoundary({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  const { url } = useLocation();
  const texts = useTexts(shellTexts);
  useEffect(() => {
    if (error !== undefined) reset();
  }, [url]);
  if (error === undefined) return <>{children}</>;
  return (
    <Empty title={texts.broken} level={1}>
      <p>{texts.brokenWhy}</p>
      <p class="note">
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </p>
      <button type="button" class="button" onClick={() => location.reload()}>
        {texts.reload}
      </button>
    </Empty>
  );
}
