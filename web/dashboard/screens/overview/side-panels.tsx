import { useState } from 'preact/hooks';
import type { OverviewAnswer } from '../../../../contract/manage/overview.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { Panel } from '../../kit/panel.js';
import { type Known, tooltipOf, useLabels } from '../../kit/person.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { kitTexts } from '../../kit/texts.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { sentenceOf } from './change-sentence.js';
import { changeTexts } from './change-texts.js';
import { overviewTexts } from './texts.js';

type Props = { read: Read<OverviewAnswer> };

const changesShown = 8;

/** Who changed what since yesterday. */
export function ChangesPanel({ read }: Props) {
  const texts = useTexts(overviewTexts);
  return (
    <Panel title={texts.changes}>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={6} />}
        isEmpty={({ changes }) => changes.length === 0}
        empty={<p class="note">{texts.changesNone}</p>}
      >
        {({ changes }) => <Changes changes={changes} />}
      </ReadView>
    </Panel>
  );
}

type Change = OverviewAnswer['changes'][number];

/** The newest ones; the others follow when somebody asks. */
function Changes({ changes }: { changes: readonly Change[] }) {
  const texts = useTexts(overviewTexts);
  const format = useFormat();
  const [isWhole, setWhole] = useState(false);
  const groups = groupsOf(changes);
  const labelOf = useLabels(changes.flatMap((change) => [actorOf(change), subjectOf(change)]));
  const more = groups.length - changesShown;
  return (
    <>
      <ol class="changes">
        {groups.slice(0, isWhole ? undefined : changesShown).map(({ change, count }) => (
          <ChangeLine
            key={`${change.at} ${change.action} ${change.subject}`}
            {...{ change, count, labelOf }}
          />
        ))}
      </ol>
      {more > 0 && !isWhole && (
        <button type="button" class="link-button" onClick={() => setWhole(true)}>
          {texts.moreChanges({ count: format.count(more) })}
        </button>
      )}
    </>
  );
}

/** The same change again and again is one line, with the time of the newest. */
function groupsOf(changes: readonly Change[]): { change: Change; count: number }[] {
  const groups: { change: Change; count: number }[] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last !== undefined && isSame(last.change, change)) last.count += 1;
    else groups.push({ change, count: 1 });
  }
  return groups;
}

function isSame(a: Change, b: Change): boolean {
  return a.actor === b.actor && a.action === b.action && a.subject === b.subject;
}

function actorOf({ actor, actorType, actorPersonName }: Change): Known {
  return {
    type: actorType,
    name: actor,
    ...(actorPersonName !== undefined && { personName: actorPersonName }),
  };
}

function subjectOf({ subject, subjectPersonName }: Change): Known {
  return { name: subject, ...(subjectPersonName !== undefined && { personName: subjectPersonName }) };
}

type LineProps = { change: Change; count: number; labelOf(one: Known): string };

function ChangeLine({ change, count, labelOf }: LineProps) {
  const { at, action } = change;
  const [actor, subject] = [actorOf(change), subjectOf(change)];
  const [who, what] = [labelOf(actor), labelOf(subject)];
  const texts = useTexts(overviewTexts);
  const words = useTexts(changeTexts);
  const format = useFormat();
  const [before, after] = sentenceOf(action, words);
  const time = Date.parse(at);
  return (
    <li>
      <span>
        <strong dir="auto" title={tooltipOf(actor, who)}>
          {who}
        </strong>{' '}
        {before}{' '}
        <span dir="auto" title={tooltipOf(subject, what)}>
          {what}
        </span>{' '}
        {after}
        {count > 1 && <span class="note"> {texts.times({ count: format.count(count) })}</span>}
      </span>
      <time class="note" dateTime={at} title={format.full(time)}>
        {format.ago(Date.now() - time)}
      </time>
    </li>
  );
}

/** How many reporters are not well, each a link to them. */
export function ReportersPanel({ read }: Props) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const reporters = pathOfScreen(slug, 'reporters');
  return (
    <Panel
      title={texts.reporters}
      note={texts.reportersNote}
      actions={<a href={to(reporters)}>{texts.allReporters}</a>}
    >
      <ReadView read={read} skeleton={<Skeleton lines={3} />}>
        {({ failingReporters, silentReporters, lateReporters }) => (
          <ul class="tallies">
            <Tally tone="warn" count={failingReporters} href={to(reporters, { state: 'failing' })}>
              {texts.reporterStates.failing}
            </Tally>
            <Tally tone="bad" count={silentReporters} href={to(reporters, { state: 'silent' })}>
              {texts.reporterStates.silent}
            </Tally>
            <Tally tone="warn" count={lateReporters} href={to(reporters, { state: 'late' })}>
              {texts.reporterStates.late}
            </Tally>
          </ul>
        )}
      </ReadView>
    </Panel>
  );
}

type TallyProps = { tone: Tone; count: number | null; href: string; children: string };

/** A count with its name; calm when there is nothing to count, a dash when nobody could. */
function Tally({ tone, count, href, children }: TallyProps) {
  const { none } = useTexts(kitTexts);
  const format = useFormat();
  return (
    <li>
      <a href={href}>
        <Badge tone={count === 0 || count === null ? 'none' : tone}>{children}</Badge>
        <strong>{count === null ? none : format.count(count)}</strong>
      </a>
    </li>
  );
}

/** Emails, webhooks and events that are on their way. */
export function DeliveryPanel({ read }: Props) {
  const texts = useTexts(overviewTexts);
  const format = useFormat();
  return (
    <Panel title={texts.delivery} note={texts.deliveryNote}>
      <ReadView read={read} skeleton={<Skeleton lines={3} />}>
        {({ backlog: { emails, webhooks, events } }) =>
          emails + webhooks + events === 0 ? (
            <p class="note">{texts.deliveryNone}</p>
          ) : (
            <dl class="backlog">
              {[
                { title: texts.emails, count: emails },
                { title: texts.webhooks, count: webhooks },
                { title: texts.events, count: events },
              ].map(({ title, count }) => (
                <div key={title}>
                  <dt>{title}</dt>
                  <dd>{format.count(count)}</dd>
                </div>
              ))}
            </dl>
          )
        }
      </ReadView>
    </Panel>
  );
}
