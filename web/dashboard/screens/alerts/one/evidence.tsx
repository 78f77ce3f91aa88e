import type { AlertFigures, ManagedAlert } from '../../../../../contract/manage/alerts.js';
import { useAddress } from '../../../address/use-address.js';
import { type Format, useFormat } from '../../../format.js';
import { Change } from '../../../kit/figure.js';
import { Panel } from '../../../kit/panel.js';
import { kitTexts } from '../../../kit/texts.js';
import { usePage } from '../../../session.js';
import { deploymentsPath, pathOfScreen } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { alertsTexts } from '../texts.js';

type EvidenceProps = { alert: Pick<ManagedAlert, 'evidence' | 'startedAt' | 'rule'> };

/** The facts that an engineer looks up first, as they were when the alert began. */
export function Evidence({ alert }: EvidenceProps) {
  const texts = useTexts(alertsTexts);
  const { now, endpoints = [], messages = [], deployment, from } = alert.evidence;
  const isNothing = now === undefined && endpoints.length === 0 && messages.length === 0;
  return (
    <Panel title={texts.evidence} note={texts.evidenceWhy}>
      {isNothing && deployment === undefined ? (
        <p class="note">{texts.noEvidence}</p>
      ) : (
        <div class="alert-evidence">
          {now !== undefined && <BeforeAndNow evidence={alert.evidence} />}
          {endpoints.length > 0 && <Endpoints alert={alert} />}
          {messages.length > 0 && <Messages alert={alert} />}
          {(deployment !== undefined || from !== undefined) && <Deployment alert={alert} />}
        </div>
      )}
    </Panel>
  );
}

type FigureRow = {
  key: keyof typeof alertsTexts.en.figures;
  value(figures: AlertFigures): number | null | undefined;
  say(value: number, format: Format): string;
  isGoodWhen: 'lower' | 'either';
};

const rows: readonly FigureRow[] = [
  { key: 'requests', value: (one) => one.requests, say: (n, { count }) => count(n), isGoodWhen: 'either' },
  { key: 'errors', value: (one) => one.errors, say: (n, { count }) => count(n), isGoodWhen: 'lower' },
  { key: 'share', value: shareOf, say: (n, { share }) => share(n), isGoodWhen: 'lower' },
  { key: 'p50Ms', value: (one) => one.p50Ms, say: (n, { ms }) => ms(n), isGoodWhen: 'lower' },
  { key: 'p95Ms', value: (one) => one.p95Ms, say: (n, { ms }) => ms(n), isGoodWhen: 'lower' },
  { key: 'p99Ms', value: (one) => one.p99Ms, say: (n, { ms }) => ms(n), isGoodWhen: 'lower' },
  { key: 'checks', value: (one) => one.checks, say: (n, { count }) => count(n), isGoodWhen: 'either' },
  { key: 'failed', value: (one) => one.failed, say: (n, { count }) => count(n), isGoodWhen: 'lower' },
  { key: 'responseMs', value: (one) => one.responseMs, say: (n, { ms }) => ms(n), isGoodWhen: 'lower' },
];

function shareOf({ requests, errors }: AlertFigures): number | null | undefined {
  if (requests === undefined || errors === undefined) return undefined;
  return requests === 0 ? null : errors / requests;
}

function BeforeAndNow({ evidence }: { evidence: ManagedAlert['evidence'] }) {
  const texts = useTexts(alertsTexts);
  const { none } = useTexts(kitTexts);
  const format = useFormat();
  const { now = {}, before, to } = evidence;
  const write = (row: FigureRow, value: number | null | undefined) =>
    value === null || value === undefined ? none : row.say(value, format);
  return (
    <div>
      <div class="table-box">
        <table class="alert-figures" aria-label={texts.beforeAndNow}>
          <thead>
            <tr>
              <th scope="col">{texts.figure}</th>
              <th scope="col">{texts.before}</th>
              <th scope="col">{texts.now}</th>
            </tr>
          </thead>
          <tbody>
            {rows
              .filter((row) => row.value(now) !== undefined)
              .map((row) => {
                const [then, at] = [before && row.value(before), row.value(now) ?? null];
                return (
                  <tr key={row.key}>
                    <th scope="row">{texts.figures[row.key]}</th>
                    <td>{write(row, then)}</td>
                    <td>
                      <strong>{write(row, at)}</strong>{' '}
                      {at !== null && then !== undefined && (
                        <Change now={at} before={then} isGoodWhen={row.isGoodWhen} />
                      )}
                    </td>
                  </tr>
                );
              })}
          </tbody>
        </table>
      </div>
      {before !== undefined && to !== undefined && (
        <p class="note alert-times">
          {texts.beforeIs({
            from: format.moment(Date.parse(before.from)),
            to: format.minute(Date.parse(before.to)),
            now: format.minute(Date.parse(to)),
          })}
        </p>
      )}
    </div>
  );
}

/** The range of a link: of the window, or none. */
function rangeOf({ from, to }: ManagedAlert['evidence']): { from?: string; to?: string } {
  return from === undefined || to === undefined ? {} : { from, to };
}

function Endpoints({ alert: { evidence } }: EvidenceProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const { slug } = usePage();
  const { to } = useAddress();
  return (
    <section aria-labelledby="alert-endpoints">
      <h3 id="alert-endpoints">{texts.endpoints}</h3>
      <ol class="alert-list">
        {evidence.endpoints?.map(({ service, endpoint, requests, errors, p95Ms, before }) => (
          <li key={`${service} ${endpoint}`}>
            <a href={to(pathOfScreen(slug, 'traffic'), { ...rangeOf(evidence), service, endpoint })}>
              <code dir="auto">{endpoint}</code>{' '}
              <span dir="auto">{texts.ofService({ endpoint: '', service }).trim()}</span>
            </a>
            <span class="note">
              {[
                errors > 0
                  ? `${format.share(errors / Math.max(1, requests))}, ${texts.failedOf({
                      failed: format.count(errors),
                      all: format.count(requests),
                    })}`
                  : texts.requestsNow({ n: requests, count: format.count(requests) }),
                ...(p95Ms === null || p95Ms === undefined ? [] : [texts.p95Is({ value: format.ms(p95Ms) })]),
                ...(before === undefined ? [] : [beforeText(before, { texts, format })]),
              ].join(' · ')}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

type Before = NonNullable<NonNullable<ManagedAlert['evidence']['endpoints']>[number]['before']>;

/** Returns the figure that says most: a share of failures, a percentile, or a number of requests. */
function beforeText(
  { requests, errors, p95Ms }: Before,
  { texts, format }: { texts: typeof alertsTexts.en; format: Format },
): string {
  if (p95Ms !== null && p95Ms !== undefined)
    return texts.requestsBefore({ count: texts.p95Is({ value: format.ms(p95Ms) }) });
  if (errors > 0) return texts.requestsBefore({ count: format.share(errors / Math.max(1, requests)) });
  return texts.requestsBefore({ count: texts.requestsNow({ n: requests, count: format.count(requests) }) });
}

function Messages({ alert: { evidence } }: EvidenceProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  return (
    <section aria-labelledby="alert-messages">
      <h3 id="alert-messages">{texts.messages}</h3>
      <ol class="alert-list">
        {evidence.messages?.map(({ message, count }) => (
          <li key={message}>
            <q dir="auto">{message}</q>
            <span class="note">{texts.timesSaid({ count: format.count(count) })}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Deployment({ alert: { evidence, startedAt } }: EvidenceProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const { slug } = usePage();
  const { deployment } = evidence;
  return (
    <section aria-labelledby="alert-deployment">
      <h3 id="alert-deployment">{texts.deployment}</h3>
      {deployment === undefined ? (
        <p class="note">{texts.noDeployment}</p>
      ) : (
        <p>
          <a href={deploymentsPath(slug, deployment.service)} dir="auto">
            {sayDeployment(deployment, { texts, format, startedAt })}
          </a>
        </p>
      )}
    </section>
  );
}

function sayDeployment(
  { service, version, environment, at }: NonNullable<ManagedAlert['evidence']['deployment']>,
  { texts, format, startedAt }: { texts: typeof alertsTexts.en; format: Format; startedAt: string },
): string {
  const seconds = Math.max(0, Math.round((Date.parse(startedAt) - Date.parse(at)) / 1_000));
  const span = format.roughSpan(seconds);
  return environment === null
    ? texts.deployed({ service, version, span })
    : texts.deployedIn({ service, version, environment, span });
}
