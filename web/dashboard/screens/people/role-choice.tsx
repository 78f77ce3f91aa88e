import { useId } from 'preact/hooks';
import { type PageRole, pageRoles } from '../../../../contract/permissions.js';
import { useTexts } from '../../texts.js';
import { peopleTexts } from './texts.js';

/** One of the roles, with what it adds to the one before. */
export function RoleChoice({ value, onChoose }: { value: PageRole; onChoose(role: PageRole): void }) {
  const texts = useTexts(peopleTexts);
  const id = useId();
  return (
    <fieldset class="choice-cards">
      <legend>{texts.role}</legend>
      {pageRoles.map((role) => (
        <label key={role}>
          <input
            type="radio"
            name={id}
            checked={role === value}
            aria-label={texts.roles[role]}
            aria-describedby={`${id}-${role}`}
            onChange={() => onChoose(role)}
          />
          <span>
            <strong>{texts.roles[role]}</strong>
            <span class="note" id={`${id}-${role}`}>
              {texts.roleWhys[role]}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
