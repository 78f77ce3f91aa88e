import { useMemo, useState } from 'preact/hooks';
import type { ManagedSchedule, OnCall, ScheduleShifts } from '../../../../contract/manage/schedules.js';
import { useAddress } from '../../address/use-address.js';
import { Badge } from '../../kit/badge.js';
import { Dialog } from '../../kit/dialog.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { ErrorNotice, ReadView, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { Agenda } from './calendar/agenda.js';
import { Calendar, useWeeks } from './calendar/calendar.js';
import type { Stretch } from './calendar/span.js';
import { EditSchedule } from './editor/edit-schedule.js';
import { FeedButton } from './feed.js';
import { OverrideDialog } from './override/override-dialog.js';
import { OverrideList } from './override/override-list.js';
import { useOverrides } from './override/use-overrides.js';
import { usePeople } from './person-field.js';
import { RemoveSchedule } from './remove-schedule.js';
import { useColours } from './schedule-cards.js';
import { schedulePath } from './schedule-path.js';
import { Standing } from './standing.js';
import { onCallTexts } from './texts.js';

const pollMs = 60_000;
const hourMs = 3_600_000;

/** One schedule: who is on call, its weeks, its overrides; or its editor. */
export function OneSchedule({ slug }: { slug: string }) {
  const { slug: page } = usePage();
  const texts = useTexts(onCallTexts);
  const { query, path, to } = useAddress();
  const read = useRead<ManagedSchedule>(schedulePath(page, slug), { everyMs: pollMs });
  const crumbs = useMemo(() => [{ title: texts.onCall, href: to(path) }], [texts, path]);
  const schedule = read.data;
  const isEdited = query['edit'] === 'schedule';
  return (
    <Screen
      title={schedule?.name ?? texts.onCall}
      crumbs={crumbs}
      actions={schedule !== undefined && !isEdited && <Actions schedule={schedule} read={read} />}
    >
      <ReadView read={read} skeleton={<Skeleton height={320} />}>
        {(saved) =>
          isEdited ? <EditSchedule schedule={saved} read={read} /> : <Shown schedule={saved} read={read} />
        }
      </ReadView>
    </Screen>
  );
}

type ScheduleProps = { schedule: ManagedSchedule; read: Read<ManagedSchedule> };

function Actions({ schedule, read }: ScheduleProps) {
  const texts = useTexts(onCallTexts);
  const { choose } = useAddress();
  const [isAsked, setAsked] = useState(false);
  const small = { permission: 'notifications.write', class: 'button small' } as const;
  return (
    <>
      <FeedButton schedule={schedule} read={read} />
      <PermittedButton {...small} onClick={() => choose({ edit: 'schedule' })}>
        {texts.edit}
      </PermittedButton>
      <PermittedButton {...small} onClick={() => setAsked(true)}>
        {texts.remove}
      </PermittedButton>
      <PermittedButton
        permission="alerts.acknowledge"
        class="button"
        onClick={() => choose({ new: 'override' })}
      >
        <Icon name="plus" />
        {texts.override}
      </PermittedButton>
      {isAsked && <RemoveSchedule {...{ schedule, read }} onClose={() => setAsked(false)} />}
    </>
  );
}

function Shown({ schedule, read }: ScheduleProps) {
  const { slug: page, may } = usePage();
  const texts = useTexts(onCallTexts);
  const { query, choose } = useAddress();
  const path = schedulePath(page, schedule.slug);
  const { whole } = useWeeks(schedule.timeZone);
  const standing = useRead<OnCall>(`${path}/on-call`, { everyMs: 30_000 });
  const range = { from: new Date(whole.from).toISOString(), to: new Date(whole.to).toISOString() };
  const shifts = useRead<ScheduleShifts>(
    pagePath(page, `/schedules/${encodeURIComponent(schedule.slug)}/shifts`, { ...range, with: 'layers' }),
    { everyMs: pollMs },
  );
  const [stretch, setStretch] = useState<Stretch>();
  const overrides = useOverrides(path, schedule.timeZone, () => {
    for (const one of [read, standing, shifts]) one.retry();
  });
  const colourOf = useColours();
  const cover = (chosen: Stretch): void => {
    setStretch(chosen);
    choose({ new: 'override' });
  };
  return (
    <div class="on-call-screen">
      <Warnings schedule={schedule} />
      <Panel title={texts.rightNow}>
        <ReadView read={standing} skeleton={<Skeleton height={72} />}>
          {(data) => <Standing standing={data} zone={schedule.timeZone} colourOf={colourOf} />}
        </ReadView>
      </Panel>
      <Calendar
        {...{ schedule, read: shifts, colourOf }}
        onChoose={may('alerts.acknowledge') ? cover : undefined}
      />
      <div class="on-call-columns">
        <Panel title={texts.shifts}>
          <ReadView read={shifts} skeleton={<Skeleton lines={6} />}>
            {(data) => (
              <Agenda shifts={data.shifts} zone={schedule.timeZone} colourOf={colourOf} onChoose={cover} />
            )}
          </ReadView>
        </Panel>
        <OverrideList schedule={schedule} colourOf={colourOf} overrides={overrides} />
      </div>
      {query['new'] === 'override' && (
        <Override
          zone={schedule.timeZone}
          stretch={stretch ?? usualStretch(standing.data)}
          send={overrides.add}
          onClose={() => {
            setStretch(undefined);
            choose({ new: undefined });
          }}
        />
      )}
    </div>
  );
}

type NewOverrideProps = Omit<Parameters<typeof OverrideDialog>[0], 'people'>;

/** The people are asked for when they are chosen from. */
function Override(props: NewOverrideProps) {
  const people = usePeople();
  const texts = useTexts(onCallTexts);
  if (people.data === undefined && people.error === undefined) return null;
  if (people.data === undefined && people.error !== undefined) {
    return (
      <Dialog title={texts.override} onClose={props.onClose}>
        <ErrorNotice error={people.error} retry={people.retry} />
      </Dialog>
    );
  }
  return <OverrideDialog {...props} people={people.data?.items ?? []} />;
}

/** From now to the next hand-over, or for a day. */
function usualStretch(standing: OnCall | undefined): Stretch {
  const now = Date.now();
  const from = now - (now % 60_000);
  const until = Date.parse(standing?.now?.until ?? standing?.next?.from ?? '');
  return { from, to: until > now ? until : from + 24 * hourMs - (from % hourMs) };
}

function Warnings({ schedule: { gaps, withoutRole, layers } }: { schedule: ManagedSchedule }) {
  const texts = useTexts(onCallTexts);
  const nobodyElse = layers.some(({ people }) => people.includes(null));
  if (gaps === 0 && withoutRole.length === 0 && !nobodyElse) return null;
  return (
    <ul class="on-call-warnings">
      {gaps > 0 && (
        <li>
          <Badge tone="warn">{texts.gaps({ count: gaps })}</Badge> {texts.gapsWhy}
        </li>
      )}
      {withoutRole.length > 0 && (
        <li>
          <Badge tone="warn">{texts.withoutRole}</Badge>{' '}
          {texts.withoutRoleWhy({ people: withoutRole.join(', ') })}
        </li>
      )}
      {nobodyElse && (
        <li>
          <Badge tone="warn">{texts.deletedPerson}</Badge> {texts.deletedPersonWhy}
        </li>
      )}
    </ul>
  );
}
