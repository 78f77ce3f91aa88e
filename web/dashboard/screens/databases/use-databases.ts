import { useMemo } from 'preact/hooks';
import type { AcquisitionsAnswer, DatabaseHealthAnswer } from '../../../../contract/database-health.js';
import { endsOf, pollMsOf } from '../../address/range.js';
import { type AddressChanges, useAddress } from '../../address/use-address.js';
import { type Happenings, useHappenings } from '../../kit/chart/use-events.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { type Level, levelOf, levels, summaryStep } from './summary.js';

/** The choice of the address: a place in the hierarchy of pools, and an environment. */
export type Chosen = Readonly<Partial<Record<Level | 'environment', string>>>;

export type DatabaseReads = {
  chosen: Chosen;
  /** The level of the groups. */
  level: Level;
  /** Servers and pools at present, and the figures of all chosen pools over time. */
  all: Read<DatabaseHealthAnswer>;
  /** The largest groups over time. */
  groups: Read<DatabaseHealthAnswer>;
  /** Each group over the whole range, in one point or two. */
  summary: Read<DatabaseHealthAnswer>;
  acquisitions: Read<AcquisitionsAnswer>;
  happenings: Happenings;
};

const groupsMax = { drawn: 20, listed: 200 };

/** The reads of the screen, which begin together. */
export function useDatabases(): DatabaseReads {
  const { slug } = usePage();
  const { range, query } = useAddress();
  const chosen = useMemo(() => readChosen(query), [query]);
  const level = levelOf(chosen);
  const ends = endsOf(range, Date.now()) ?? { from: 0, to: 0 };
  const everyMs = pollMsOf(range, Date.now());
  const path = (name: string, further: AddressChanges) =>
    pagePath(slug, `/analytics/${name}`, { ...range, ...chosen, ...further });
  const groupBy = level;
  return {
    ...{ chosen, level },
    all: useRead(path('database-health', {}), { everyMs }),
    groups: useRead(path('database-health', { groupBy, limit: String(groupsMax.drawn) }), { everyMs }),
    summary: useRead(
      path('database-health', {
        ...{ groupBy, limit: String(groupsMax.listed), step: String(summaryStep(ends)) },
      }),
      { everyMs },
    ),
    acquisitions: useRead(path('database-health/acquisitions', {}), { everyMs }),
    happenings: useHappenings(slug, range, chosen.service),
  };
}

function readChosen(query: Readonly<Record<string, string>>): Chosen {
  const names = [...levels, 'environment'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );
}
