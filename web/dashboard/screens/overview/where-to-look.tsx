import type { MessageGroupsAnswer } from '../../../../contract/analytics/messages.js';
import { pollMsOf } from '../../address/range.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { useShareLimits } from '../../kit/use-share-limits.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { Row } from './attention-row.js';
import { type Cause, type Rise, toneOfRise } from './rise.js';
import { overviewTexts } from './texts.js';

/** Says that more requests fail than before, with the endpoints that cause it and the message of the first one. */
export function WhereToLook({ rise }: { rise: Rise }) {
  const { now, before, causes } = rise;
  const limits = useShareLimits();
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const [first] = causes;
  return (
    <Row tone={toneOfRise(rise, limits)} kind={texts.errors}>
      <a href={to(pathOfScreen(slug, 'traffic'), { order: 'errors' })}>
        {before === null
          ? texts.failing({ now: format.share(now) })
          : texts.rose({ before: format.share(before), now: format.share(now) })}
      </a>
      {causes.length > 0 && (
        <div class="causes">
          <p class="note">{texts.causes}</p>
          <ol>
            {causes.map((cause) => (
              <CauseLine
                key={`${cause.service} ${cause.endpoint}`}
                cause={cause}
                isCompared={before !== null}
              />
            ))}
          </ol>
          {first !== undefined && <Message cause={first} />}
        </div>
      )}
    </Row>
  );
}

type CauseLineProps = {
  cause: Cause;
  /** Whether there is a period before that had requests. */
  isCompared: boolean;
};

function CauseLine({ cause: { service, endpoint, now, before }, isCompared }: CauseLineProps) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { to } = useAddress();
  const format = useFormat();
  const share = format.share(now.errorShare ?? 0);
  return (
    <li>
      <a href={to(pathOfScreen(slug, 'traffic'), { service, endpoint })}>
        <code dir="auto">{endpoint}</code> {texts.ofService} <span dir="auto">{service}</span>
      </a>
      <span class="note">
        {!isCompared || before === null
          ? texts.failsNow({ now: share })
          : before.errorShare === null
            ? texts.failsNew({ now: share })
            : texts.failsSince({ before: format.share(before.errorShare), now: share })}
        {' · '}
        {texts.count({ errors: format.count(now.errors ?? 0) })}
      </span>
    </li>
  );
}

/** The newest of the most frequent messages of the endpoint; nothing when its requests have none. */
function Message({ cause: { service, endpoint } }: { cause: Cause }) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const { range, to } = useAddress();
  const { data } = useRead<MessageGroupsAnswer>(
    pagePath(slug, '/analytics/messages/groups', { ...range, service, endpoint, limit: '1' }),
    { everyMs: pollMsOf(range, Date.now()) },
  );
  const [group] = data?.groups ?? [];
  if (group === undefined) return null;
  return (
    <p class="cause-message">
      {texts.saying} {texts.ofService} <code dir="auto">{endpoint}</code>:{' '}
      <a href={to(pathOfScreen(slug, 'traffic'), { service, endpoint })}>
        <q dir="auto">{group.message}</q>
      </a>
    </p>
  );
}
