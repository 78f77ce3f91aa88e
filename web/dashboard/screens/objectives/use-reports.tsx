import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ObjectiveReport } from '../../../../contract/manage/objective-report.js';
import type { ManagedObjective } from '../../../../contract/manage/objectives.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';

/** An objective, and how it does; neither a report nor a failure while that is on its way. */
export type ObjectiveRow = ManagedObjective & { report?: ObjectiveReport | undefined; isFailed?: boolean };

const minuteMs = 60_000;
/** So many reports a minute; a page with more objectives reads each one less often. */
const reportsPerMinute = 20;

/** Returns the objectives with their reports, and the elements that read those: draw them beside the rows. */
export function useReports(objectives: readonly ManagedObjective[]) {
  const [known, setKnown] = useState<ReadonlyMap<string, Pick<ObjectiveRow, 'report' | 'isFailed'>>>(
    new Map(),
  );
  const rows = useMemo(
    (): readonly ObjectiveRow[] => objectives.map((one) => ({ ...one, ...known.get(one.slug) })),
    [objectives, known],
  );
  const everyMs = minuteMs * Math.max(1, Math.ceil(objectives.length / reportsPerMinute));
  const take = (slug: string, found: Pick<ObjectiveRow, 'report' | 'isFailed'>): void =>
    setKnown((before) => new Map(before).set(slug, found));
  const reads = objectives.map(({ slug }) => (
    <ReportRead key={slug} objective={slug} everyMs={everyMs} onRead={take} />
  ));
  return { rows, reads };
}

type ReportReadProps = {
  objective: string;
  everyMs: number;
  onRead(slug: string, found: Pick<ObjectiveRow, 'report' | 'isFailed'>): void;
};

function ReportRead({ objective, everyMs, onRead }: ReportReadProps) {
  const { slug } = usePage();
  const path = pagePath(slug, `/objectives/${encodeURIComponent(objective)}/report`);
  const { data, error } = useRead<ObjectiveReport>(path, { everyMs });
  const isFailed = error !== undefined && data === undefined;
  useEffect(() => {
    if (data !== undefined || isFailed) onRead(objective, { report: data, isFailed });
  }, [data, isFailed]);
  return null;
}
