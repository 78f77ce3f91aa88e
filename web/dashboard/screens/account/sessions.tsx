import { useState } from 'preact/hooks';
import type { ListedSession } from '../../../../contract/manage/session.js';
import { useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Confirm } from '../../kit/form/confirm.js';
import { Done } from '../../kit/form/form.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { ReadError, sendJson } from '../../reads/fetch-json.js';
import type { Read } from '../../reads/use-read.js';
import { useTexts } from '../../texts.js';
import { nameBrowser } from './name-browser.js';
import { Setting } from './setting.js';
import { accountTexts } from './texts.js';

export type SessionsAnswer = { items: readonly ListedSession[] };

/** The session to end, or all but this one. */
type Asked = ListedSession | 'others';

/** The browsers in which the person is signed in; each can be ended but this one, which signs out. */
export function Sessions({ read }: { read: Read<SessionsAnswer> }) {
  const texts = useTexts(accountTexts);
  const [asked, setAsked] = useState<Asked>();
  const [done, setDone] = useState<string>();
  return (
    <Setting title={texts.sessions} note={texts.sessionsWhy}>
      <ReadView read={read} skeleton={<Skeleton lines={4} />}>
        {({ items }) => (
          <>
            <SessionList sessions={items} onEnd={setAsked} />
            <div class="form-actions session-actions">
              {items.length > 1 && (
                <button type="button" class="button small" onClick={() => setAsked('others')}>
                  {texts.endOthers}
                </button>
              )}
              <Done text={done} />
            </div>
            {asked !== undefined && (
              <EndSessions
                asked={asked}
                others={items.filter(({ isCurrent }) => !isCurrent)}
                onClose={() => setAsked(undefined)}
                onEnded={() => {
                  setDone(asked === 'others' ? texts.othersEnded : texts.ended);
                  read.retry();
                }}
              />
            )}
          </>
        )}
      </ReadView>
    </Setting>
  );
}

type ListProps = { sessions: readonly ListedSession[]; onEnd(session: ListedSession): void };

function SessionList({ sessions, onEnd }: ListProps) {
  const texts = useTexts(accountTexts);
  const format = useFormat();
  const current = [...sessions].sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
  return (
    <ul class="session-list">
      {current.map((session) => {
        const title = nameBrowser(session.userAgent, texts);
        const unseenMs = Date.now() - Date.parse(session.lastSeenAt);
        return (
          <li key={session.id}>
            <div>
              <p class="session-title" title={session.userAgent}>
                {title}
                {session.isCurrent && <Badge tone="good">{texts.thisSession}</Badge>}
              </p>
              <p class="note">
                {session.address} ·{' '}
                {unseenMs < 3_600_000 ? texts.seenNow : texts.seen({ ago: format.ago(unseenMs) })}
                {', '}
                {texts.since({ moment: format.moment(Date.parse(session.createdAt)) })}
              </p>
            </div>
            {!session.isCurrent && (
              <button
                type="button"
                class="button small"
                aria-label={texts.endOf({ session: `${title}, ${session.address}` })}
                onClick={() => onEnd(session)}
              >
                {texts.end}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

type EndProps = { asked: Asked; others: readonly ListedSession[]; onEnded(): void; onClose(): void };

function EndSessions({ asked, others, onEnded, onClose }: EndProps) {
  const texts = useTexts(accountTexts);
  const isAll = asked === 'others';
  const confirm = async (): Promise<void> => {
    for (const { id } of isAll ? others : [asked]) await endSession(id);
    onEnded();
  };
  return (
    <Confirm
      title={isAll ? texts.endOthersTitle : texts.endTitle}
      action={isAll ? texts.endOthers : texts.end}
      isDanger
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {isAll
          ? texts.endOthersWhy({ count: others.length })
          : texts.endWhy({ session: `${nameBrowser(asked.userAgent, texts)}, ${asked.address},` })}
      </p>
    </Confirm>
  );
}

/** One that has ended meanwhile is what was asked for. */
async function endSession(id: string): Promise<void> {
  await sendJson('DELETE', `/api/v1/sessions/${id}`).catch((error: unknown) => {
    if (!(error instanceof ReadError && error.status === 404)) throw error;
  });
}
