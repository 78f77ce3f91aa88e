import { useId, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../../contract/manage/audit.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { usePage } from '../../shell/session.js';
import { useTexts } from '../../texts.js';
import { changeTexts, sentenceOf } from '../overview/change-texts.js';
import { Changes } from './changes.js';
import { placeOfTarget } from './places.js';
import { auditTexts } from './texts.js';

/** One change: a sentence, and what was there before and after. */
export function EntryRow({ entry }: { entry: AuditEntry }) {
  const texts = useTexts(auditTexts);
  const words = useTexts(changeTexts);
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { slug } = usePage();
  const { actor, action, target, at } = entry;
  const [before, after] = sentenceOf(action, words);
  const place = placeOfTarget(slug, target);
  const what = `${actor.name} ${before} ${target.name} ${after}`.trim();
  return (
    <li class={isOpen ? 'open' : ''}>
      <div class="audit-line">
        <button
          type="button"
          class="icon-button"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={texts.showOf(what)}
          title={isOpen ? texts.hide : texts.show}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevron' : 'right'} />
        </button>
        <p>
          <strong dir="auto">{actor.name}</strong>
          {actor.type !== 'user' && <span class="note"> ({texts.actorTypes[actor.type]})</span>} {before}{' '}
          {place === undefined ? (
            <span dir="auto">{target.name}</span>
          ) : (
            <a href={place} dir="auto">
              {target.name}
            </a>
          )}{' '}
          {after}
        </p>
        <time class="note" dateTime={at} title={format.full(Date.parse(at))}>
          {format.moment(Date.parse(at))}
        </time>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Details entry={entry} />}
      </div>
    </li>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const texts = useTexts(auditTexts);
  const { choose } = useAddress();
  const { actor, action, target, address, before, after } = entry;
  const only = (title: string, change: Record<string, string>) => (
    <button type="button" class="link-button" onClick={() => choose(change)}>
      {title}
    </button>
  );
  return (
    <div class="audit-details">
      <Changes before={before} after={after} />
      <p class="note">
        <code>{action}</code>
        {address !== null && (
          <>
            {' '}
            · {texts.address} <code>{address}</code>
          </>
        )}{' '}
        · {texts.id} <code>{target.id}</code>
      </p>
      <p class="audit-only">
        {only(texts.onlyBy(actor.name), { actor: actor.name })}
        {only(texts.onlyTarget(target.name), { target: target.id })}
        {only(texts.onlyAction(action), { action })}
      </p>
    </div>
  );
}
