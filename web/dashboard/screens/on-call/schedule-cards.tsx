import type { ManagedSchedule, OnCall } from '../../../../contract/manage/schedules.js';
import { useAddress } from '../../address/use-address.js';
import { Badge } from '../../kit/badge.js';
import { Icon } from '../../kit/icons.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { colourPeople } from './person.js';
import { Standing } from './standing.js';
import { Strip } from './strip.js';
import { onCallTexts } from './texts.js';

/** Hand-overs are rare; whoever looks at the moment of one sees it within half a minute. */
const pollMs = 30_000;
/** A page has at most fifty schedules. */
const all = { limit: '200' };

/** Every schedule of the page as a card: who is on call now, who next, and the coming week. */
export function ScheduleCards() {
  const { slug } = usePage();
  const texts = useTexts(onCallTexts);
  const { choose } = useAddress();
  const standings = useRead<ListAnswer<OnCall>>(pagePath(slug, '/on-call', all), { everyMs: pollMs });
  const schedules = useSchedules();
  const colourOf = useColours();
  const add = (
    <PermittedButton
      permission="notifications.write"
      class="button small"
      onClick={() => choose({ new: 'schedule' })}
    >
      <Icon name="plus" />
      {texts.add}
    </PermittedButton>
  );
  return (
    <Screen title={texts.onCall} actions={add}>
      <ReadView
        read={standings}
        skeleton={<CardSkeletons />}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Empty title={texts.none} level={2}>
            <p>{texts.noneWhy}</p>
            {add}
          </Empty>
        }
      >
        {({ items }) => (
          <ul class="on-call-cards">
            {items.map((standing) => (
              <Card
                key={standing.slug}
                standing={standing}
                colourOf={colourOf}
                schedule={schedules.data?.items.find((one) => one.slug === standing.slug)}
              />
            ))}
          </ul>
        )}
      </ReadView>
    </Screen>
  );
}

function CardSkeletons() {
  return (
    <div class="on-call-cards">
      {[0, 1, 2].map((at) => (
        <Skeleton key={at} height={190} />
      ))}
    </div>
  );
}

type CardProps = {
  standing: OnCall;
  schedule: ManagedSchedule | undefined;
  colourOf(email: string): string;
};

function Card({ standing, schedule, colourOf }: CardProps) {
  const texts = useTexts(onCallTexts);
  const { path, to } = useAddress();
  const zone = schedule?.timeZone ?? 'UTC';
  const href = to(path, { schedule: standing.slug });
  return (
    <li class="panel on-call-card">
      <header>
        <h2>
          <a class="row-link" href={href} dir="auto">
            {standing.name}
          </a>
        </h2>
        <span class="note">{zone.replaceAll('_', ' ')}</span>
      </header>
      <Standing {...{ standing, zone, colourOf }} />
      {schedule !== undefined && <Strip {...{ schedule, colourOf }} />}
      {schedule !== undefined && schedule.gaps > 0 && (
        <p class="on-call-warning">
          <Badge tone="warn">{texts.gaps({ count: schedule.gaps })}</Badge>
        </p>
      )}
    </li>
  );
}

function useSchedules(): Read<ListAnswer<ManagedSchedule>> {
  const { slug } = usePage();
  return useRead(pagePath(slug, '/schedules', all), { everyMs: pollMs });
}

/** The colours of the people of all schedules, so that somebody looks the same in each of them. */
export function useColours(): (email: string) => string {
  const { data } = useSchedules();
  return colourPeople(
    (data?.items ?? []).flatMap(({ layers, overrides }) => [
      ...layers.flatMap(({ people }) => people.filter((email) => email !== null)),
      ...overrides.map(({ person }) => person.email),
    ]),
  );
}
