import { type AlertNotice, type AlertState, alertLimits } from '../../contract/manage/alerts.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { AlertLinkTexts } from '../texts/areas.js';
import { type Format, formatIn } from '../texts/format.js';
import { textsOf } from '../texts/texts-of.js';
import { Icon } from '../views/elements.js';
import { type AccountView, addressIn, renderAccountDocument } from './account-document.js';
import { AlertEvidenceList, type ShownEvidence } from './alert-evidence.js';
import { accountPaths, screenPath } from './manage-paths.js';

/** An alert as its receivers see it. */
export type LinkedAlert = {
  title: string;
  ruleName: string;
  severity: AlertSeverity;
  state: AlertState;
  startedAt: Date;
  resolvedAt: Date | null;
  acknowledgedAt: Date | null;
  acknowledgedName: string | null;
  note: string | null;
  heldBy: string | null;
  evidence: ShownEvidence;
};

export type AlertLinkInput = {
  token: string;
  page: { slug: string; name: string; timeZone: string };
  /** Told in one message; the first is the one that the page is about. */
  alerts: readonly [LinkedAlert, ...LinkedAlert[]];
  /** How many were told in that message. */
  count: number;
  notices: readonly AlertNotice[];
  mayAnswer: boolean;
  /** The note that was sent before, when it was refused. */
  note?: string;
  /** Why nothing was changed. */
  error?: 'otherOrigin' | 'note';
  /** Milliseconds since the epoch. */
  now: number;
};

type Part = { view: AccountView; texts: AlertLinkTexts; format: Format; input: AlertLinkInput };

/** The alerts of a message, and the form that answers them, as HTML. */
export function renderAlertLink(view: AccountView, input: AlertLinkInput): string {
  const texts = textsOf('alert-link', view.language);
  const { token, page, alerts, count } = input;
  const [first] = alerts;
  const part = { view, texts, format: formatIn(view.language, page.timeZone), input };
  const isAnswerable = alerts.some(({ resolvedAt }) => resolvedAt === null);
  return renderAccountDocument({
    ...{ view, title: first.title, path: accountPaths.alertLink, query: { token }, wide: true },
    children: (
      <section class="form-card alert-card" aria-labelledby="title">
        <p class={`alert-state ${first.state}`}>
          <b>{texts.states[first.state]}</b> {page.name}
        </p>
        <h1 id="title" dir="auto">
          {first.title}
        </h1>
        <Facts {...part} />
        {isAnswerable && (input.mayAnswer ? <Answer {...part} /> : <p class="note">{texts.mayNot}</p>)}
        {count > 1 && <Others {...part} />}
        <AlertEvidenceList evidence={first.evidence} texts={texts} format={part.format} />
        <Told {...part} />
        <p class="below">
          <a href={screenPath(page.slug, 'alerts')}>{texts.dashboard}</a>
        </p>
      </section>
    ),
  });
}

/** The page at the address of a link that does not work, as HTML. */
export function renderNoAlertLink(view: AccountView): string {
  const { goneTitle, gone, dashboard } = textsOf('alert-link', view.language);
  return renderAccountDocument({
    ...{ view, title: goneTitle, path: accountPaths.alertLink },
    children: (
      <section class="form-card" aria-labelledby="title">
        <h1 id="title">{goneTitle}</h1>
        <p class="lead-in">{gone({ days: alertLimits.linkDays })}</p>
        <p class="below">
          <a href={addressIn(view, accountPaths.home)}>{dashboard}</a>
        </p>
      </section>
    ),
  });
}

function Facts({ texts, format, input: { alerts, now } }: Part) {
  const [{ ruleName, severity, startedAt, resolvedAt, acknowledgedAt, acknowledgedName, note, heldBy }] =
    alerts;
  const lasted = (resolvedAt?.getTime() ?? now) - startedAt.getTime();
  return (
    <dl class="facts-list">
      <Fact name={texts.rule} value={ruleName} />
      <Fact name={texts.severity} value={texts.severities[severity]} />
      <Fact name={texts.began} value={format.dateTime(startedAt.getTime())} />
      {resolvedAt !== null && <Fact name={texts.ended} value={format.dateTime(resolvedAt.getTime())} />}
      <Fact name={texts.lasts} value={format.duration(Math.max(0, lasted))} />
      {acknowledgedAt !== null && (
        <Fact
          name={texts.acknowledged}
          value={`${acknowledgedName}, ${format.moment(acknowledgedAt.getTime(), now)}`}
        />
      )}
      {note !== null && <Fact name={texts.note} value={note} />}
      {heldBy !== null && <Fact name={texts.heldBy} value={heldBy} />}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </div>
  );
}

function Answer({ view, texts, input: { token, alerts, note = '', error } }: Part) {
  const isNew = alerts.some(
    ({ acknowledgedAt, resolvedAt }) => acknowledgedAt === null && resolvedAt === null,
  );
  const isWrong = error === 'note';
  return (
    <form method="post" action={addressIn(view, accountPaths.alertLink, { token })}>
      {error === 'otherOrigin' && (
        <p class="form-message wrong" role="alert">
          <Icon kind="incident" />
          <span>{texts.otherOrigin}</span>
        </p>
      )}
      <div class="form-field">
        <label for="note">{texts.noteLabel}</label>
        <input
          type="text"
          id="note"
          name="note"
          maxLength={alertLimits.noteChars}
          autocomplete="off"
          aria-describedby="note-note"
          value={note}
          {...(isWrong && { 'aria-invalid': 'true' as const })}
        />
        <p class={isWrong ? 'field-error' : 'note'} id="note-note">
          {isWrong ? texts.noteInvalid({ chars: alertLimits.noteChars }) : texts.noteNote}
        </p>
      </div>
      <div class="alert-answers">
        {isNew && (
          <button type="submit" class="button" name="answer" value="acknowledge">
            {texts.acknowledge}
          </button>
        )}
        <button type="submit" class="button second" name="answer" value="resolve">
          {texts.resolve}
        </button>
      </div>
      <p class="note">{texts.answerNote}</p>
    </form>
  );
}

function Others({ texts, format, input: { alerts, count } }: Part) {
  const left = count - alerts.length;
  return (
    <>
      <h2>{texts.together({ count })}</h2>
      <ul class="alert-list">
        {alerts.map(({ title, state, startedAt }) => (
          <li key={title}>
            <span dir="auto">{title}</span>{' '}
            <span class="note">
              {texts.states[state]}, {format.time(startedAt.getTime())}
            </span>
          </li>
        ))}
        {left > 0 && <li>{texts.more({ count: left })}</li>}
      </ul>
    </>
  );
}

function Told({ texts, format, input: { notices, now } }: Part) {
  if (notices.length === 0) return null;
  return (
    <>
      <h2>{texts.told}</h2>
      <ul class="alert-list">
        {notices.map(({ at, type, name, state, reason }) => (
          <li key={`${at} ${type} ${name}`}>
            <span dir="auto">{type === 'nobody' ? texts.nobody : name}</span>{' '}
            <span class="note">
              {[format.moment(Date.parse(at), now), state && texts.outcomes[state], reason]
                .filter((one) => one !== null)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
