import { useMemo, useState } from 'preact/hooks';
import type { MonitorsOverview } from '../../../../contract/manage/overview.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import type { RowChoice } from '../../kit/table/choice.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { BulkBar } from './change/bulk-bar.js';
import { columnsOf, type ListedMonitor } from './columns.js';
import { formTexts } from './form/texts.js';
import { shownState, shownStates } from './state.js';
import { stateTexts } from './state-texts.js';
import { type MonitorsTexts, monitorsTexts } from './texts.js';

const pollMs = 15_000;

/** Every monitor of the page, the worst first. */
export function MonitorList() {
  const { slug } = usePage();
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(monitorsTexts);
  const read = useRead<MonitorsOverview>(pagePath(slug, '/overview/monitors'), { everyMs: pollMs });
  return (
    <Screen title={screens.monitors} actions={<AddButton />}>
      <Panel title={headlineOf(read.data?.monitors ?? [], texts) ?? screens.monitors} flush>
        <ReadView
          read={read}
          skeleton={<Skeleton lines={9} />}
          isEmpty={({ monitors }) => monitors.length === 0}
          empty={<NoMonitor />}
        >
          {({ monitors }) => <MonitorTable monitors={monitors} onChanged={read.retry} />}
        </ReadView>
      </Panel>
    </Screen>
  );
}

/** How all of them do, in a sentence. */
function headlineOf(monitors: readonly ListedMonitor[], texts: MonitorsTexts): string | undefined {
  const watched = monitors.filter(({ paused }) => !paused);
  const down = watched.filter(({ state }) => state === 'down').length;
  if (watched.length === 0) return undefined;
  return down > 0 ? texts.someDown({ count: down }) : texts.noneDown;
}

type TableProps = { monitors: readonly ListedMonitor[]; onChanged(): void };

function MonitorTable({ monitors, onChanged }: TableProps) {
  const texts = useTexts(monitorsTexts);
  const states = useTexts(stateTexts);
  const format = useFormat();
  const { query, choose, path, to } = useAddress();
  const worst = useMemo(() => worstFirst(monitors), [monitors]);
  const chosen = shownStates.find((state) => state === query['state']);
  const rows = useMemo(
    () => (chosen === undefined ? worst : worst.filter((monitor) => shownState(monitor) === chosen)),
    [worst, chosen],
  );
  const columns = useMemo(
    () => columnsOf({ texts, states, format }, (monitor) => to(path, { monitor })),
    [texts, states, format, path, query['from'], query['to']],
  );
  const { choice, bulk } = useChosen(monitors, onChanged);
  const counted = shownStates
    .map((state) => ({ state, count: monitors.filter((one) => shownState(one) === state).length }))
    .filter(({ state, count }) => count > 0 || state === chosen);
  return (
    <>
      {bulk}
      <DataTable
        choice={choice}
        addressKey="monitors"
        name={texts.monitors}
        rows={rows}
        columns={columns}
        keyOf={({ slug }) => slug}
        sorting={{ key: 'state', isDescending: false }}
        actions={
          <fieldset class="segments state-filter">
            <legend class="visually-hidden">{texts.counts}</legend>
            <StateChoice
              title={`${texts.all} ${format.count(monitors.length)}`}
              isChosen={chosen === undefined}
              onChoose={() => choose({ state: undefined })}
            />
            {counted.map(({ state, count }) => (
              <StateChoice
                key={state}
                title={`${states[state]} ${format.count(count)}`}
                isChosen={chosen === state}
                onChoose={() => choose({ state })}
              />
            ))}
          </fieldset>
        }
      />
    </>
  );
}

/** The chosen monitors of those that there are, and what can be done with them by people who may. */
function useChosen(monitors: readonly ListedMonitor[], onChanged: () => void) {
  const { may } = usePage();
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  if (!may('monitors.write')) return { choice: undefined, bulk: null };
  const choice: RowChoice<ListedMonitor> = { keys, onChange: setKeys, nameOf: ({ name }) => name };
  const chosen = monitors.filter(({ slug }) => keys.has(slug));
  const bulk = <BulkBar chosen={chosen} onClear={() => setKeys(new Set())} onChanged={onChanged} />;
  return { choice, bulk };
}

type StateChoiceProps = { title: string; isChosen: boolean; onChoose(): void };

function StateChoice({ title, isChosen, onChoose }: StateChoiceProps) {
  return (
    <label>
      <input type="radio" name="monitor-state" checked={isChosen} onChange={onChoose} />
      <span>{title}</span>
    </label>
  );
}

/** Monitors in the same state follow by their uptime. */
function worstFirst(monitors: readonly ListedMonitor[]): readonly ListedMonitor[] {
  const rankOf = (monitor: ListedMonitor) => shownStates.indexOf(shownState(monitor));
  return [...monitors].sort((a, b) => rankOf(a) - rankOf(b) || (a.uptime24h ?? 100) - (b.uptime24h ?? 100));
}

function NoMonitor() {
  const texts = useTexts(monitorsTexts);
  return (
    <Empty title={texts.none}>
      <p>{texts.noneWhy}</p>
      <AddButton isMain />
    </Empty>
  );
}

/** The way to the form of a new monitor. */
function AddButton({ isMain = false }: { isMain?: boolean }) {
  const { choose } = useAddress();
  const { add } = useTexts(formTexts);
  return (
    <PermittedButton
      permission="monitors.write"
      class={isMain ? 'button' : 'button small main'}
      onClick={() => choose({ new: 'http' })}
    >
      <Icon name="plus" />
      {add}
    </PermittedButton>
  );
}
