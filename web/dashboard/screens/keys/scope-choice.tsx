import { useId } from 'preact/hooks';
import type { PageScope } from '../../../../contract/scopes.js';
import { useTexts } from '../../texts.js';
import { keysTexts } from './texts.js';

const choices: readonly PageScope[] = ['ingest', 'incident', 'read', 'manage'];

/** Chooses the scope of a key; each one says what a program can do with it, and what not. */
export function ScopeChoice({ value, onChoose }: { value: PageScope; onChoose(scope: PageScope): void }) {
  const texts = useTexts(keysTexts);
  const id = useId();
  return (
    <fieldset class="choice-cards">
      <legend>{texts.scope}</legend>
      {choices.map((scope) => (
        <label key={scope}>
          <input
            type="radio"
            name={id}
            checked={scope === value}
            aria-describedby={`${id}-${scope}`}
            aria-label={texts.scopes[scope]}
            onChange={() => onChoose(scope)}
          />
          <span>
            <strong>{texts.scopes[scope]}</strong>
            <span class="note" id={`${id}-${scope}`}>
              {texts.scopeWhys[scope]}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
