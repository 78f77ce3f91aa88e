import type { AlertLinkTexts } from '../texts/areas.js';
import type { Format } from '../texts/format.js';

/** The facts that an engineer looks up first, as they were when the alert began. Parts may be absent. */
export type ShownEvidence = {
  /** ISO 8601. */
  from?: string;
  to?: string;
  requests?: number;
  errors?: number;
  endpoints?: readonly { service: string; endpoint: string; requests: number; errors: number }[];
  messages?: readonly { message: string; count: number }[];
  deployment?: { service: string; version: string; environment: string | null; at: string };
};

type Props = { evidence: ShownEvidence; texts: AlertLinkTexts; format: Format };

/** The evidence of an alert; nothing when there is none. */
export function AlertEvidenceList({ evidence, texts, format }: Props) {
  const { endpoints = [], messages = [] } = evidence;
  const facts = figuresOf(evidence, texts, format);
  if (facts.length + endpoints.length + messages.length === 0) return null;
  return (
    <>
      <h2>{texts.evidence}</h2>
      <dl class="facts-list">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
        {endpoints.map(({ service, endpoint, requests, errors }) => (
          <div key={`${service} ${endpoint}`}>
            <dt>{texts.endpoint}</dt>
            <dd>
              <bdi>{endpoint}</bdi> · <bdi>{service}</bdi>
              <span class="note">
                {' '}
                {texts.requestsFailed({ requests: format.count(requests), failed: format.count(errors) })}
              </span>
            </dd>
          </div>
        ))}
        {messages.map(({ message, count }) => (
          <div key={message}>
            <dt>{texts.message}</dt>
            <dd>
              <bdi>{message}</bdi>
              <span class="note"> {texts.times({ count })}</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function figuresOf(
  { from, to, requests, errors, deployment }: ShownEvidence,
  texts: AlertLinkTexts,
  format: Format,
): [name: string, value: string][] {
  const facts: [string, string][] = [];
  if (from !== undefined && to !== undefined) {
    const [start, end] = [Date.parse(from), Date.parse(to)];
    facts.push([texts.window, `${format.duration(end - start)}, ${format.dateTime(end)}`]);
  }
  if (requests !== undefined) {
    const counted = format.count(requests);
    const failed = errors === undefined ? undefined : format.count(errors);
    facts.push([
      texts.requests,
      failed === undefined ? counted : texts.requestsFailed({ requests: counted, failed }),
    ]);
  }
  if (deployment !== undefined) {
    const { service, version, environment, at } = deployment;
    const where = environment === null ? '' : ` (${environment})`;
    facts.push([texts.deployment, `${service} ${version}${where}, ${format.dateTime(Date.parse(at))}`]);
  }
  return facts;
}
