import { useMemo } from 'preact/hooks';
import type { MonitorsOverview } from '../../../../contract/manage/overview.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Command } from '../../kit/command.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/paths.js';
import { useRead } from '../../reads/use-read.js';
import { Screen } from '../../shell/screen.js';
import { usePage } from '../../shell/session.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { columnsOf, type ListedMonitor } from './columns.js';
import { shownState, shownStates } from './state.js';
import { type MonitorsTexts, monitorsTexts } from './texts.js';

const pollMs = 15_000;

/** Every monitor of the page, the worst first. */
export function MonitorList() {
  const { slug } = usePage();
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(monitorsTexts);
  const read = useRead<MonitorsOverview>(pagePath(slug, '/overview/monitors'), { everyMs: pollMs });
  return (
    <Screen title={screens.monitors}>
      <Panel title={headlineOf(read.data?.monitors ?? [], texts) ?? screens.monitors} flush>
        <ReadView
          read={read}
          skeleton={<Skeleton lines={9} />}
          isEmpty={({ monitors }) => monitors.length === 0}
          empty={<NoMonitor slug={slug} />}
        >
          {({ monitors }) => <MonitorTable monitors={monitors} />}
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
  return down > 0 ? texts.someDown(down) : texts.noneDown;
}

function MonitorTable({ monitors }: { monitors: readonly ListedMonitor[] }) {
  const texts = useTexts(monitorsTexts);
  const format = useFormat();
  const { query, choose, path, to } = useAddress();
  const worst = useMemo(() => worstFirst(monitors), [monitors]);
  const chosen = shownStates.find((state) => state === query['state']);
  const rows = useMemo(
    () => (chosen === undefined ? worst : worst.filter((monitor) => shownState(monitor) === chosen)),
    [worst, chosen],
  );
  const columns = useMemo(
    () => columnsOf(texts, format, (monitor) => to(path, { monitor })),
    [texts, format, path, query['from'], query['to']],
  );
  const counted = shownStates
    .map((state) => ({ state, count: monitors.filter((one) => shownState(one) === state).length }))
    .filter(({ state, count }) => count > 0 || state === chosen);
  return (
    <DataTable
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
              title={`${texts.states[state]} ${format.count(count)}`}
              isChosen={chosen === state}
              onChoose={() => choose({ state })}
            />
          ))}
        </fieldset>
      }
    />
  );
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

/** Those that are alike by their state follow by their uptime. */
function worstFirst(monitors: readonly ListedMonitor[]): readonly ListedMonitor[] {
  const rankOf = (monitor: ListedMonitor) => shownStates.indexOf(shownState(monitor));
  return [...monitors].sort((a, b) => rankOf(a) - rankOf(b) || (a.uptime24h ?? 100) - (b.uptime24h ?? 100));
}

function NoMonitor({ slug }: { slug: string }) {
  const texts = useTexts(monitorsTexts);
  const command = `npx heartline monitor create --page ${slug} --slug website --name Website --type http --url https://example.com/`;
  return (
    <Empty title={texts.none}>
      <p>{texts.noneWhy}</p>
      <Command>{command}</Command>
    </Empty>
  );
}
