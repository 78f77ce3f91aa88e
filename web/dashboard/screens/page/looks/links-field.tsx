import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { RowButtons } from '../../../kit/form/row-buttons.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { looksTexts } from './texts.js';

type Link = { label: string; url: string };
type LinksProps = { links: readonly Link[]; onChange(links: Link[]): void; error: string | undefined };

const linksMax = 8;

/** The links at the foot of the page, in their order. */
export function LinksField({ links, onChange, error }: LinksProps) {
  const texts = useTexts(looksTexts);
  const id = useId();
  const list = useRef<HTMLOListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const focusAt = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (focusAt.current === undefined) return;
    list.current?.querySelector<HTMLElement>(focusAt.current)?.focus();
    focusAt.current = undefined;
  });
  const buttonTexts = (name: string) => ({
    up: texts.moveUp({ name }),
    down: texts.moveDown({ name }),
    remove: texts.removeLink({ name }),
  });
  const change = (at: number, fields: Partial<Link>): void =>
    onChange(links.map((link, i) => (i === at ? { ...link, ...fields } : link)));
  const move = (at: number, to: number): void => {
    const next = [...links];
    next.splice(to, 0, ...next.splice(at, 1));
    // At an end that button can no longer be pressed.
    const isEnd = to === 0 || to === links.length - 1;
    const which = isEnd ? '.icon-button:not([aria-disabled="true"])' : to < at ? '.move-up' : '.move-down';
    focusAt.current = `li:nth-child(${to + 1}) ${which}`;
    onChange(next);
  };
  return (
    <fieldset class="links-field" {...(error !== undefined && { 'aria-describedby': `${id}-error` })}>
      <legend>{texts.links}</legend>
      <p class="note">{texts.linksWhy}</p>
      <ol ref={list}>
        {links.map((link, at) => (
          <li key={at}>
            <input
              type="text"
              aria-label={texts.linkLabel({ at: at + 1 })}
              placeholder={texts.linkLabelExample}
              dir="auto"
              maxLength={60}
              value={link.label}
              onInput={({ currentTarget }) => change(at, { label: currentTarget.value })}
            />
            <input
              type="text"
              aria-label={texts.linkUrl({ at: at + 1 })}
              aria-invalid={error?.includes(link.url) === true && link.url !== ''}
              placeholder="https://"
              inputMode="url"
              spellcheck={false}
              maxLength={500}
              value={link.url}
              onInput={({ currentTarget }) => change(at, { url: currentTarget.value })}
            />
            <RowButtons
              {...{ at, last: links.length - 1, move }}
              texts={buttonTexts(link.label || String(at + 1))}
              onRemove={() => {
                const next = Math.min(at, links.length - 2);
                if (next < 0) add.current?.focus();
                else focusAt.current = `li:nth-child(${next + 1}) .icon-button:last-child`;
                onChange(links.filter((_, i) => i !== at));
              }}
            />
          </li>
        ))}
      </ol>
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          <Icon name="warning" />
          <span>{error}</span>
        </p>
      )}
      {links.length < linksMax && (
        <button
          ref={add}
          type="button"
          class="button small"
          onClick={() => {
            focusAt.current = `li:nth-child(${links.length + 1}) input`;
            onChange([...links, { label: '', url: '' }]);
          }}
        >
          <Icon name="plus" />
          {texts.addLink}
        </button>
      )}
    </fieldset>
  );
}
