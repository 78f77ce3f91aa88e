import {
  type Comparison as Compared,
  type VersionChange,
  type VersionFigures,
  versionLimits,
} from '../../../../../contract/analytics/versions.js';
import { type Format, useFormat } from '../../../format.js';
import { Icon } from '../../../kit/icons.js';
import { kitTexts } from '../../../kit/texts.js';
import { useTexts } from '../../../texts.js';
import { type VersionsTexts, versionsTexts } from './texts.js';

/** A version beside the one before it: what has changed in sentences, the figures of both, and messages that are new. */
export function Comparison({ comparison }: { comparison: Compared }) {
  return (
    <>
      <Changes comparison={comparison} />
      <FigureTable comparison={comparison} />
      <NewMessages comparison={comparison} />
    </>
  );
}

function Changes({ comparison: { version, previous, isThin, changes } }: { comparison: Compared }) {
  const texts = useTexts(versionsTexts);
  const format = useFormat();
  if (isThin) {
    return <p>{texts.thin({ version, previous, count: format.count(versionLimits.requestsMin) })}</p>;
  }
  if (changes.length === 0) return <p>{texts.same({ version, previous })}</p>;
  return (
    <ul class="version-changes" aria-label={texts.changes}>
      {changes.map((change) => (
        <li key={change.figure} class={change.direction === 'up' ? 'bad' : 'good'}>
          <Icon name={change.direction} />
          {sentenceOf(change, version, { texts, format })}
        </li>
      ))}
    </ul>
  );
}

/** Returns such as `p95 rose from 210 ms to 480 ms with 2.4.1, 12 minutes after it came.` */
export function sentenceOf(
  { figure, direction, from, to, minutesAfter }: VersionChange,
  version: string,
  { texts, format }: { texts: VersionsTexts; format: Pick<Format, 'ms' | 'share' | 'span'> },
): string {
  const write = figure === 'p95Ms' ? format.ms : format.share;
  const when =
    minutesAfter === null
      ? ''
      : minutesAfter === 0
        ? texts.atOnce
        : texts.after({ span: format.span(minutesAfter * 60) });
  return texts.change[figure][direction]({ from: write(from), to: write(to), version, when });
}

function FigureTable({ comparison: { version, previous, now, before } }: { comparison: Compared }) {
  const texts = useTexts(versionsTexts);
  const { none } = useTexts(kitTexts);
  const format = useFormat();
  const rows: [string, (figures: VersionFigures) => string | undefined][] = [
    [texts.rate, ({ ratePerMinute }) => format.number(ratePerMinute)],
    [texts.failureRate, ({ failureRate }) => (failureRate === null ? none : format.share(failureRate))],
    [texts.p50, ({ p50Ms }) => (p50Ms === null ? none : format.ms(p50Ms))],
    [texts.p95, ({ p95Ms }) => (p95Ms === null ? none : format.ms(p95Ms))],
  ];
  return (
    <table class="version-figures" aria-label={texts.compared({ version, previous })}>
      <thead>
        <tr>
          <th scope="col">{texts.figure}</th>
          <th scope="col">{previous}</th>
          <th scope="col">{version}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([title, write]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td>{write(before)}</td>
            <td>{write(now)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NewMessages({ comparison: { version, previous, newMessages } }: { comparison: Compared }) {
  const texts = useTexts(versionsTexts);
  const { count, moment } = useFormat();
  return (
    <div>
      <h3>{texts.newMessages({ version })}</h3>
      {newMessages.length === 0 ? (
        <p class="note">{texts.newMessagesNone({ previous })}</p>
      ) : (
        <ul class="version-messages">
          {newMessages.map((one) => (
            <li key={one.message}>
              <p class="message-text" dir="auto">
                {one.message}
              </p>
              <p class="note">
                {texts.seen({
                  ...{ count: one.count, shown: count(one.count), endpoint: one.endpoint },
                  time: moment(Date.parse(one.firstAt)),
                })}
              </p>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
