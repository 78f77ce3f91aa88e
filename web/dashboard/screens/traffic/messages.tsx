import { useState } from 'preact/hooks';
import type { MessageGroup, MessageGroupsAnswer } from '../../../../contract/analytics/messages.js';
import { useFormat } from '../../format.js';
import { CopyButton } from '../../kit/copy-button.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { useTexts } from '../../texts.js';
import type { Place } from './place.js';
import { useMessageGroups } from './reads.js';
import { Samples } from './samples.js';
import { StatusBadge } from './status-badge.js';
import { trafficTexts } from './texts.js';

/** More are shown on demand, so that the tables below stay within reach. */
const groupsShown = 4;

/** Messages of failing responses, grouped by text, with their places and counts. */
export function Messages({ place }: { place: Place }) {
  const texts = useTexts(trafficTexts).messages;
  const { moment } = useFormat();
  const read = useMessageGroups(place);
  const note = place.filters.method === undefined ? texts.note : texts.ofAllMethods;
  const keptFrom = read.data?.keptFrom ?? null;
  const kept = keptFrom === null ? '' : ` ${texts.keptFrom({ time: moment(Date.parse(keptFrom)) })}`;
  return (
    <Panel title={texts.title} note={`${note}${kept}`} flush>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={5} />}
        isEmpty={({ groups }) => groups.length === 0}
        empty={
          <p class="panel-none">
            {texts.none} <span class="note">{texts.noneWhy}</span>
          </p>
        }
      >
        {(answer) => <GroupList answer={answer} place={place} />}
      </ReadView>
    </Panel>
  );
}

function GroupList({ answer: { groups, truncated }, place }: { answer: MessageGroupsAnswer; place: Place }) {
  const texts = useTexts(trafficTexts).messages;
  const { count } = useFormat();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? groups : groups.slice(0, groupsShown);
  return (
    <>
      <ul class="message-groups">
        {shown.map((group) => (
          <Group key={group.pattern} group={group} place={place} />
        ))}
      </ul>
      {groups.length > groupsShown && (
        <button type="button" class="message-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole
            ? texts.showFewer
            : texts.showAll({ count: `${count(groups.length)}${truncated ? '+' : ''}` })}
        </button>
      )}
    </>
  );
}

type GroupProps = { group: MessageGroup; place: Place };

function Group({ group, place }: GroupProps) {
  const { filters, hrefOf } = place;
  const texts = useTexts(trafficTexts).messages;
  const format = useFormat();
  const [first, last] = [Date.parse(group.firstAt), Date.parse(group.lastAt)];
  return (
    <li>
      <div class="message-head">
        <p class="message-text" dir="auto">
          {group.message}
        </p>
        <span class="message-count" title={texts.seenHelp({ count: format.count(group.count) })}>
          {texts.seen({ count: format.count(group.count) })}
        </span>
        <CopyButton text={group.message} />
      </div>
      <div class="message-facts">
        <ul class="inline-list" aria-label={texts.statuses}>
          {group.statuses.map((status) => (
            <li key={status}>
              <a class="status-link" href={hrefOf({ ...filters, status: String(status) })}>
                <StatusBadge status={status} />
              </a>
            </li>
          ))}
        </ul>
        <time class="note" dateTime={group.lastAt} title={format.full(last)}>
          {texts.last({ time: format.ago(Date.now() - last) })}
        </time>
        {first !== last && (
          <time class="note" dateTime={group.firstAt} title={format.full(first)}>
            {texts.first({ time: format.moment(first) })}
          </time>
        )}
        <GroupEndpoints group={group} place={{ filters, hrefOf }} />
      </div>
      <Samples message={group.message} place={place} />
    </li>
  );
}

type GroupEndpointsProps = { group: MessageGroup; place: Pick<Place, 'filters' | 'hrefOf'> };

/** Links to the endpoints that have the message; an endpoint that is on the screen is none. */
function GroupEndpoints({ group, place: { filters, hrefOf } }: GroupEndpointsProps) {
  const texts = useTexts(trafficTexts).messages;
  const { count } = useFormat();
  if (filters.endpoint !== undefined && group.endpointsTotal <= 1) return null;
  const more = group.endpointsTotal - group.endpoints.length;
  return (
    <ul class="inline-list" aria-label={texts.endpoints}>
      {group.endpoints.map(({ service, endpoint }) => (
        <li key={`${service} ${endpoint}`}>
          <a href={hrefOf({ service, endpoint })} dir="auto">
            {filters.service === undefined && <span class="note">{service} </span>}
            {endpoint}
          </a>
        </li>
      ))}
      {more > 0 && <li class="note">{texts.more({ count: count(more) })}</li>}
    </ul>
  );
}
