import { useId, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../../contract/manage/audit.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { type Known, tooltipOf } from '../../kit/person.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { sentenceOf } from '../overview/change-sentence.js';
import { changeTexts } from '../overview/change-texts.js';
import { Changes } from './changes.js';
import { placeOfTarget } from './places.js';
import { auditTexts } from './texts.js';

type EntryProps = {
  entry: AuditEntry;
  /** Names of people, keys and jobs. */
  labelOf(one: Known): string;
};

/** One change: a sentence, and what was there before and after. */
export function EntryRow({ entry, labelOf }: EntryProps) {
  const texts = useTexts(auditTexts);
  const words = useTexts(changeTexts);
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { slug } = usePage();
  const { actor, action, target, at } = entry;
  const [before, after] = sentenceOf(action, words);
  const place = placeOfTarget(slug, target);
  const [who, subject] = [labelOf(actor), labelOf(target)];
  const what = `${who} ${before} ${subject} ${after}`.trim();
  return (
    <li class={isOpen ? 'open' : ''}>
      <div class="audit-line">
        <button
          type="button"
          class="icon-button"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={texts.showOf({ what })}
          title={isOpen ? texts.hide : texts.show}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevron' : 'right'} />
        </button>
        <p>
          <strong dir="auto" title={tooltipOf(actor, who)}>
            {who}
          </strong>
          {actor.type !== 'user' && <span class="note"> ({texts.actorTypes[actor.type]})</span>} {before}{' '}
          {place === undefined ? (
            <span dir="auto" title={tooltipOf(target, subject)}>
              {subject}
            </span>
          ) : (
            <a href={place} dir="auto" title={tooltipOf(target, subject)}>
              {subject}
            </a>
          )}{' '}
          {after}
        </p>
        <time class="note" dateTime={at} title={format.full(Date.parse(at))}>
          {format.moment(Date.parse(at))}
        </time>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Details entry={entry} labelOf={labelOf} />}
      </div>
    </li>
  );
}

function Details({ entry, labelOf }: EntryProps) {
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
        {only(texts.onlyBy({ actor: labelOf(actor) }), { actor: actor.name })}
        {only(texts.onlyTarget({ target: labelOf(target) }), { target: target.id })}
        {only(texts.onlyAction({ action }), { action })}
      </p>
    </div>
  );
}
