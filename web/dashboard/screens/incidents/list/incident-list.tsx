import type { IncidentState, ListedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { useAddress } from '../../../address/use-address.js';
import { Segments } from '../../../kit/form/choices.js';
import { Panel } from '../../../kit/panel.js';
import { useLabels } from '../../../kit/person.js';
import { Paging } from '../../../kit/resource-list.js';
import { Empty, ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { type List, useList } from '../../../reads/use-list.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { incidentsTexts } from '../texts.js';
import { usePageFacts } from '../use-page-facts.js';
import { IncidentRow } from './incident-row.js';
import { NewButtons } from './new-buttons.js';

const states: readonly IncidentState[] = ['open', 'scheduled', 'resolved'];

/** Lists open incidents, then planned maintenance, then the past. */
export function IncidentList() {
  const texts = useTexts(incidentsTexts);
  const { query } = useAddress();
  const parts = [useIncidents('open'), useIncidents('scheduled'), useIncidents('resolved')];
  const chosen = states.find((state) => state === query['state']);
  const type = typeOf(query['type']);
  const isNothing =
    chosen === undefined && type === undefined && parts.every(({ read }) => read.data?.items.length === 0);
  if (isNothing) {
    return (
      <Empty title={texts.none} level={2}>
        <p>{texts.noneWhy}</p>
        <div class="form-actions">
          <NewButtons />
        </div>
      </Empty>
    );
  }
  return (
    <>
      <Filters state={chosen} type={type} />
      {parts
        .filter(({ state }) => chosen === undefined || chosen === state)
        .map((part) => (
          <PartPanel key={part.state} part={part} isAlone={chosen !== undefined} />
        ))}
    </>
  );
}

const pollMs = 15_000;

type Part = List<ListedIncident> & { state: IncidentState };

/** Reads the incidents in a state that the address does not leave out, the latest start first. Only the past has parts. */
function useIncidents(state: IncidentState): Part {
  const { slug } = usePage();
  const { query } = useAddress();
  const isWanted = query['state'] === undefined || query['state'] === state;
  const list = useList<ListedIncident>(isWanted ? pagePath(slug, '/incidents') : undefined, {
    ...{ filter: { state, type: typeOf(query['type']) }, everyMs: pollMs },
    ...(state === 'resolved' ? { limit: 25, cursorKey: 'before' } : { limit: 200 }),
  });
  return state === 'resolved' ? { state, ...list } : { state, read: list.read };
}

function typeOf(text: string | undefined): 'incident' | 'maintenance' | undefined {
  return text === 'incident' || text === 'maintenance' ? text : undefined;
}

type FiltersProps = { state: IncidentState | undefined; type: 'incident' | 'maintenance' | undefined };

function Filters({ state, type }: FiltersProps) {
  const texts = useTexts(incidentsTexts);
  const { choose } = useAddress();
  return (
    <div class="incident-filters">
      <Segments
        label={texts.state}
        value={state ?? 'all'}
        onChoose={(value) => choose({ state: value === 'all' ? undefined : value, before: undefined })}
        options={[
          { value: 'all' as const, title: texts.all },
          ...states.map((value) => ({ value, title: texts.stateFilters[value] })),
        ]}
      />
      <Segments
        label={texts.type}
        value={type ?? 'all'}
        onChoose={(value) => choose({ type: value === 'all' ? undefined : value, before: undefined })}
        options={[
          { value: 'all' as const, title: texts.allTypes },
          ...(['incident', 'maintenance'] as const).map((value) => ({
            value,
            title: texts.typeFilters[value],
          })),
        ]}
      />
    </div>
  );
}

/** Planned maintenance has the order of the page. */
const nextFirst = (items: readonly ListedIncident[]): ListedIncident[] =>
  items.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));

const noneTexts = { open: 'noneOpen', scheduled: 'noneScheduled', resolved: 'noneResolved' } as const;

/** An empty list of open incidents is worth a line; an empty plan only where somebody asked for it. */
function PartPanel({ part: { state, read, onNewest, onOlder }, isAlone }: { part: Part; isAlone: boolean }) {
  const texts = useTexts(incidentsTexts);
  const zone = usePageFacts().data?.timeZone;
  const labelOf = useLabels(read.data?.items.map(({ author }) => author) ?? []);
  const isNothing = read.data?.items.length === 0 && read.error === undefined;
  if (isNothing && state === 'scheduled' && !isAlone) return null;
  return (
    <Panel title={texts[state]} flush actions={<Paging {...{ onNewest, onOlder }} />}>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={state === 'resolved' ? 6 : 2} />}
        isEmpty={({ items }) => items.length === 0}
        empty={<p class="incident-none">{texts[noneTexts[state]]}</p>}
      >
        {({ items }) => (
          <ul class="incident-rows">
            {(state === 'scheduled' ? nextFirst(items) : items).map((incident) => (
              <IncidentRow key={incident.id} {...{ incident, zone, labelOf }} />
            ))}
          </ul>
        )}
      </ReadView>
    </Panel>
  );
}
