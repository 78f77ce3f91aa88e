import { useEffect } from 'preact/hooks';
import type { ManagedAlertRule } from '../../../../contract/manage/alert-rule.js';
import { ErrorNotice, Skeleton, Stale } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage, useSession } from '../../session.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { EditRule } from './edit-rule.js';
import { NewRule } from './new-rule.js';
import { rulesTexts } from './texts.js';

const pollMs = 60_000;

/** The rule by which traffic opens incidents, and what it would have done in the last 14 days. */
export default function Rules() {
  const { slug } = usePage();
  const texts = useTexts(rulesTexts);
  const read = useRead<ManagedAlertRule>(pagePath(slug, '/alert-rule'), { everyMs: pollMs });
  const { data, error } = read;
  // A rule that somebody deletes is still known here.
  const isNone = error?.status === 404;
  const { setThreshold } = useSession();
  const threshold = isNone ? null : data?.thresholdPercent;
  useEffect(() => {
    if (threshold !== undefined) setThreshold(slug, threshold);
  }, [threshold]);
  return (
    <Screen title={texts.alerts}>
      {!isNone && data === undefined && error === undefined && <Skeleton height={320} />}
      {!isNone && data === undefined && error !== undefined && (
        <ErrorNotice error={error} retry={read.retry} />
      )}
      {!isNone && data !== undefined && (
        <>
          {error !== undefined && <Stale read={read} error={error} />}
          <EditRule read={read} saved={data} />
        </>
      )}
      {isNone && <NewRule onSet={read.take} />}
    </Screen>
  );
}
