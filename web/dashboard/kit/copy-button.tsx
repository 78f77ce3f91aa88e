import { useEffect, useState } from 'preact/hooks';
import { useTexts } from '../texts.js';
import { copyText } from './copy-text.js';
import { Icon } from './icons.js';
import { showNotice } from './notice.js';
import { kitTexts } from './texts.js';

const shownMs = 2_000;

/** Copies a text, and says so. `label` names what is copied; without it the button has only its icon. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const texts = useTexts(kitTexts);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    if (await copyText(text)) setCopied(true);
    else showNotice(texts.notCopied);
  };
  return (
    <>
      <button type="button" class="copy-button" title={label ?? texts.copy} onClick={() => void copy()}>
        <Icon name={isCopied ? 'check' : 'copy'} />
        <span class={label === undefined ? 'visually-hidden' : ''}>
          {isCopied ? texts.copied : (label ?? texts.copy)}
        </span>
      </button>
      {/* Beside the button, whose content is its name; within a dialog, outside of which nothing is spoken. */}
      <span class="visually-hidden" role="status">
        {isCopied && texts.copied}
      </span>
    </>
  );
}
