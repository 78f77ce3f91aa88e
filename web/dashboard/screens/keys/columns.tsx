import type { ManagedKey } from '../../../../contract/manage/keys.js';
import type { Format } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Icon } from '../../kit/icons.js';
import { type Known, tooltipOf } from '../../kit/person.js';
import { actionColumn, type Column, timeColumn } from '../../kit/table/column.js';
import { stateOfKey, toneOfState } from './state.js';
import type { KeysTexts } from './texts.js';

/** Returns the name of a key, or its prefix. */
export function titleOf({ name, displayPrefix }: ManagedKey): string {
  return name ?? displayPrefix;
}

/** The columns of the list of keys; `onAsk` opens what renames or revokes one. */
export function columnsOf(
  texts: KeysTexts,
  format: Format,
  onAsk: (key: ManagedKey, about: 'rename' | 'revoke') => void,
  labelOf: (author: Known) => string,
): Column<ManagedKey>[] {
  return [
    {
      key: 'name',
      title: texts.name,
      value: (key) => titleOf(key),
      text: ({ name, displayPrefix }) => `${name ?? ''} ${displayPrefix}`,
      cell: ({ name, displayPrefix }) => (
        <span class="two-lines">
          <span dir="auto">{name ?? <span class="note">{texts.unnamed}</span>}</span>
          <code class="note">{displayPrefix}…</code>
        </span>
      ),
    },
    {
      key: 'scope',
      title: texts.scope,
      value: (key) => scopeOf(key, texts),
    },
    {
      key: 'state',
      title: texts.state,
      isMinor: true,
      value: (key) => texts.states[stateOfKey(key, Date.now())],
      cell: (key) => {
        const state = stateOfKey(key, Date.now());
        return <Badge tone={toneOfState[state]}>{texts.states[state]}</Badge>;
      },
    },
    timeColumn({
      ...{ key: 'lastUsed', title: texts.lastUsed, none: <span class="note">{texts.never}</span> },
      timeOf: ({ lastUsedAt }) => lastUsedAt,
      say: (at) => format.ago(Math.max(0, Date.now() - at)),
    }),
    timeColumn({
      ...{ key: 'expires', title: texts.expiry, none: <span class="note">{texts.expiries.never}</span> },
      ...{ timeOf: ({ expiresAt }) => expiresAt, say: format.moment },
    }),
    {
      key: 'createdBy',
      title: texts.createdBy,
      isMinor: true,
      value: ({ createdBy }) => (createdBy === null ? null : labelOf(createdBy)),
      cell: ({ createdBy, createdAt }) => (
        <span class="two-lines">
          <span dir="auto" title={createdBy === null ? undefined : tooltipOf(createdBy, labelOf(createdBy))}>
            {createdBy === null ? '–' : labelOf(createdBy)}
          </span>
          <span class="note">{format.day(Date.parse(createdAt))}</span>
        </span>
      ),
    },
    actionColumn(texts.actions, (key) => <Actions {...{ of: key, texts, onAsk }} />),
  ];
}

type ActionsProps = {
  of: ManagedKey;
  texts: KeysTexts;
  onAsk(key: ManagedKey, about: 'rename' | 'revoke'): void;
};

function Actions({ of, texts, onAsk }: ActionsProps) {
  if (of.revokedAt !== null) return null;
  return (
    <span class="row-actions">
      <button
        type="button"
        class="icon-button"
        title={texts.rename}
        aria-label={texts.renameOf({ key: titleOf(of) })}
        onClick={() => onAsk(of, 'rename')}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        class="icon-button"
        title={texts.revoke}
        aria-label={texts.revokeOf({ key: titleOf(of) })}
        onClick={() => onAsk(of, 'revoke')}
      >
        <Icon name="trash" />
      </button>
    </span>
  );
}

function scopeOf({ scope, access }: ManagedKey, texts: KeysTexts): string {
  const title = texts.scopes[scope];
  return access === null ? title : `${title} (${texts.accesses[access]})`;
}
